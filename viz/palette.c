#include "viz/palette.h"

const struct state_style state_styles[STATE_COUNT] = {
    [STATE_ISSUED] = {"issued", "an instruction of this warp issued", {0xf7, 0xf7, 0xf2}},
    [STATE_READY] = {"ready", "could issue, but the scheduler chose another warp", {0xf0, 0xe4, 0x42}},
    [STATE_MEMORY] = {"memory",
                      "waits for global or local memory: for a load, a fence, or at its end for its stores",
                      {0xd5, 0x5e, 0x00}},
    [STATE_SHARED] = {"shared/SFU",
                      "waits for shared memory, a shuffle or a special function (short scoreboard)",
                      {0xe6, 0x9f, 0x00}},
    [STATE_DEPENDENCY] = {"dependency",
                          "waits the fixed number of cycles its last instruction needs",
                          {0x56, 0xb4, 0xe9}},
    [STATE_THROTTLED] = {"throttled", "the unit or queue it needs is full", {0x8f, 0x6b, 0xd1}},
    [STATE_BARRIER] = {"barrier", "waits for the other warps of its block", {0xcc, 0x79, 0xa7}},
    [STATE_FETCH] = {"fetch/branch",
                     "waits for its next instruction, a constant or a branch target",
                     {0x00, 0x72, 0xb2}},
    [STATE_OTHER] = {"other", "asleep, or anything else", {0x8a, 0x8f, 0x98}},
    [STATE_EMPTY] = {"empty", "no warp in this slot", {0x22, 0x26, 0x2f}},
};

enum state_class state_of_stall(unsigned stall)
{
    switch ((enum stall)stall) {
    case STALL_selected:
        return STATE_ISSUED;
    case STALL_not_selected:
        return STATE_READY;
    case STALL_long_scoreboard:
    case STALL_membar:
    case STALL_drain:
        return STATE_MEMORY;
    case STALL_short_scoreboard:
    case STALL_gmma:
        return STATE_SHARED;
    case STALL_wait:
        return STATE_DEPENDENCY;
    case STALL_dispatch_stall:
    case STALL_math_pipe_throttle:
    case STALL_mio_throttle:
    case STALL_lg_throttle:
        return STATE_THROTTLED;
    case STALL_barrier:
        return STATE_BARRIER;
    case STALL_imc_miss:
    case STALL_branch_resolving:
    case STALL_no_instruction:
        return STATE_FETCH;
    default:
        return STATE_OTHER;
    }
}

const struct rgb INK = {0xec, 0xee, 0xf2}, INK_DIM = {0xa3, 0xab, 0xb8}, GROUND = {0x0e, 0x10, 0x15},
                 PANEL = {0x18, 0x1b, 0x22}, PANEL_EDGE = {0x33, 0x39, 0x45}, ACCENT = {0x5a, 0xb8, 0xf0},
                 WARN = {0xf2, 0xa6, 0x5e}, GOOD = {0x4f, 0xc3, 0xa1};
const struct rgb hues[6] = {{0x56, 0xb4, 0xe9}, {0xe6, 0x9f, 0x00}, {0x2f, 0xb5, 0x8a},
                            {0xcc, 0x79, 0xa7}, {0xf0, 0xe4, 0x42}, {0xb0, 0x8d, 0xf0}};

struct rgb heat(double v)
{
    static const struct rgb stops[] = {
        {0x23, 0x29, 0x4a}, {0x2b, 0x5d, 0x8a}, {0x1f, 0x96, 0x8b}, {0x7a, 0xc9, 0x5c}, {0xfd, 0xe7, 0x25}};
    if (!(v > 0))
        return stops[0];
    if (v >= 1)
        return stops[4];
    int i = (int)(v * 4);
    double f = v * 4 - i;
    struct rgb a = stops[i], b = stops[i + 1];
    return (struct rgb){(uint8_t)(a.r + f * (b.r - a.r)), (uint8_t)(a.g + f * (b.g - a.g)),
                        (uint8_t)(a.b + f * (b.b - a.b))};
}
