/* What the viewer knows. Fed with frames (one a barrier: from a live run or from a recording), read by the painter.
 * Everything is kept in rings of fixed size, so memory is bounded: about 12 MiB plus the listing, twice (the painter
 * draws from a copy of what it shows, so that it never holds up the simulation).
 *
 * A frame holds what changed since the last one: the records of the watched SM, and samples of the chip. */
#ifndef HEDDLE_VIZ_MODEL_H
#define HEDDLE_VIZ_MODEL_H

#include "sim/sim.h"
#include "viz/palette.h"

enum {
    NHISTORY = 4096,      /* chip samples kept */
    NISSUES = 1 << 18,    /* issue records of the watched SM kept */
    NBLOCKS = 4096,
    NACCESSES = 1024,
    NCOMMANDS = 1 << 14,  /* DRAM commands of the watched channel kept */
    NVIEWCHANNEL = 256, NVIEWBANK = 64, NVIEWPART = 256, NVIEWLAUNCH = 32,
};

struct machine_info { /* what a recording must know to be drawn without its config and program */
    char config[64], title[128];
    uint32_t nsm, ngpc, subcores, max_warps, warp_size, smem_banks, smem_bank_bytes;
    uint32_t nslice, npart, nchannel, nbank, bank_groups;
    uint32_t gpc_of_sm[NLIST];
    float unit_interval[UNIT_COUNT]; /* cycles between two issues on a sub-core; 0: not shown */
    double sm_mhz, mem_mhz, dram_peak, l2_peak;/* bytes a cycle of the chip */
    uint32_t nlaunch;
    struct launch_info {  /* residency on one SM, and where its kernel's listing begins */
        uint32_t max_resident_warps, max_blocks, warps_per_block, regs, shared_bytes, first_pc, npc;
        char limiter[32], kernel[128];
    } launches[NVIEWLAUNCH];
    uint32_t npc;         /* of all kernels, one after the other: a pc is an index of them */
    char **listing;       /* text of each instruction */
    uint8_t *unit_of;     /* enum unit of each */
};

struct sm_sample {        /* an SM over the last interval */
    uint16_t resident;    /* warps now */
    uint16_t blocks;
    float issue;          /* instructions issued a cycle, of `subcores` at most */
    float eligible;       /* warps able to issue, mean */
    float memory_stall;   /* share of resident warp cycles held by memory */
    float l1_hit;         /* sectors that hit, -1: no access */
};
struct part_sample {      /* a memory partition's L2 slices over the last interval */
    float busy;           /* share of the peak rate */
    float hit;            /* -1: no access */
};
struct chip_sample {
    cycle time;
    float resident, eligible, issue; /* means over SMs */
    float l2_hit, l1_hit;            /* -1: none */
    float dram_bytes_per_cycle, memory_stall;
    float sm_resident, sm_eligible;  /* of the watched SM */
};
struct channel_state {
    int32_t open_row[NVIEWBANK];
    uint64_t activates[NVIEWBANK];
    cycle activated[NVIEWBANK];      /* when the count last rose */
    uint64_t hits, misses, conflicts;
    float busy;                      /* share of the last interval */
    uint64_t bus_busy;
};
struct frame {
    cycle now;
    uint32_t sm, channel;            /* the watched ones */
    uint32_t first_launch;           /* which the records count as 0 */
    const struct issue_record *issues;
    const struct block_record *blocks;
    const struct access_record *accesses;
    const struct command_record *commands;
    uint32_t nissue, nblock, naccess, ncommand;
    const struct warp_view *warps;   /* max_warps of the watched SM */
    const struct sm_sample *sms;     /* nsm, or NULL: no new sample */
    const struct part_sample *parts; /* npart, valid with sms */
    struct chip_sample chip;         /* valid with sms */
    const struct channel_view *channels; /* nchannel, or NULL */
    uint64_t blocks_done, blocks_total;
};
struct pc_stats {                    /* an instruction on the watched SM */
    uint64_t executed, lanes;
    uint64_t waited[STATE_COUNT];    /* warp cycles before it issued, by what held the warp */
};
struct model {
    struct machine_info info;
    cycle now;
    uint32_t sm, channel, launch;    /* launch: the latest that issued */
    uint64_t blocks_done, blocks_total;
    struct sm_sample sms[NLIST];
    struct part_sample parts[NVIEWPART];
    struct chip_sample history[NHISTORY];
    uint64_t nhistory;               /* ever; index modulo NHISTORY */
    cycle history_every;             /* samples are at least so far apart: doubled when the ring is full */
    struct issue_record *issues;
    uint64_t nissue;
    cycle last_issue[NLANE];         /* of each warp slot; 0: none */
    struct block_record blocks[NBLOCKS];
    uint64_t nblock;
    struct access_record *accesses;
    uint64_t naccess;
    struct command_record *commands;
    uint64_t ncommand;
    struct warp_view warps[NLANE];
    uint8_t waits[NLANE];            /* enum state_class: what was last seen to hold the warp since it issued; READY: nothing */
    uint32_t rows;                   /* warp slots used so far: highest + 1 */
    struct channel_state channels[NVIEWCHANNEL];
    cycle channels_at;               /* when their state was last fed */
    struct pc_stats *pcs;            /* of the watched SM */
    struct sm_sample *mean;          /* of each SM over the run so far, `resident` and `blocks` aside */
    double *mean_resident;
    double mean_time;                /* cycles in the means: those with a warp on the chip */
    struct chip_sample chip_mean;
    struct part_sample *parts_mean;
    bool finished, is_copy;
};

struct model *model_new(const struct machine_info *info); /* takes over info->listing and unit_of */
void model_free(struct model *m);
void model_feed(struct model *m, const struct frame *f);
void model_watch(struct model *m, uint32_t sm);      /* another SM: its rings start empty */
void model_watch_channel(struct model *m, uint32_t channel);
/* What a picture of the cycles from `from` on needs, into a model that model_copy_new made of the same machine. */
struct model *model_copy_new(const struct model *m);
void model_copy(struct model *to, const struct model *m, cycle from);
/* The kernel that is shown: of the latest launch. */
const struct launch_info *model_launch(const struct model *m);
/* Byte offset of an instruction in its own kernel. */
uint32_t model_offset(const struct model *m, uint32_t pc);
/* The end of what there is to see: now, or when the watched SM's last warp had left. */
cycle model_end(const struct model *m);
/* Oldest cycle that the rings of the watched SM still cover. */
cycle model_oldest(const struct model *m);
/* Last issue of a warp at or before t; NULL if none is kept. */
const struct issue_record *model_last_issue(const struct model *m, uint32_t warp, cycle t);
/* Last access of a warp (any warp if < 0) or of an instruction (any if < 0) at or before t. */
const struct access_record *model_last_access(const struct model *m, int warp, int64_t pc, cycle t);
/* The chip at a cycle: the mean of the samples of the `span` cycles before it; of the whole run at its end. */
struct chip_sample model_chip(const struct model *m, cycle t, double span);
/* Share of the time of late in which a channel's bus was busy; of the run when it has ended. */
double model_channel_busy(const struct model *m, uint32_t channel);

#endif
