/* Speed of the SM model alone: a register FFMA loop on every SM of the H200, windows of L cycles. */
#include "isa/exec.h"
#include "sim/sm.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct inst code[128];
static struct kernel kernel = {.name = (char *)"loop", .code = code, .nreg = 32};

static struct inst *add(enum op op)
{
    struct inst *in = &code[kernel.n++];
    *in = (struct inst){
        .op = (uint16_t)op, .guard = PT, .sched = {.present = true, .stall = 1, .wr_sb = SB_NONE, .rd_sb = SB_NONE}};
    return in;
}
static struct operand reg(uint32_t r)
{
    return (struct operand){.kind = OPD_REG, .reg = (uint8_t)r, .width = 1};
}

static void make_loop(void)
{
    for (uint32_t i = 0; i < 64; i++) {
        struct inst *in = add(OP_FFMA);
        uint32_t d = 8 + i % 8;
        in->opd[0] = reg(d);
        in->opd[1] = reg(d);
        in->opd[2] = (struct operand){.kind = OPD_IMM, .imm = 0x3f000000};
        in->opd[3] = reg(2);
        in->sched.reuse = 4;
        in->nwrite = 1;
        in->writes[0] = (struct regref){RF_R, (uint8_t)d, 1};
        in->nread = 2;
        in->reads[0] = (struct regref){RF_R, (uint8_t)d, 1};
        in->reads[1] = (struct regref){RF_R, 2, 1};
    }
    struct inst *in = add(OP_BRA);
    in->sched.stall = 5;
    in->opd[2] = (struct operand){.kind = OPD_TARGET, .imm = 0};
    add(OP_EXIT);
    for (uint32_t i = 0; i < kernel.n; i++)
        code[i].exec = exec_of(&code[i]);
}

int main(int argc, char **argv)
{
    cycle cycles = argc > 1 ? strtoull(argv[1], NULL, 0) : 20000;
    uint32_t nwarp = argc > 2 ? (uint32_t)atoi(argv[2]) : 32;
    uint32_t nsm = argc > 3 ? (uint32_t)atoi(argv[3]) : 0;
    struct error err = {0};
    static struct config c;
    if (!config_load(&c, "h200", NULL, 0, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 2;
    }
    if (nsm && nsm < c.nsm)
        c.nsm = nsm;
    make_loop();
    struct program program = {0};
    struct launch_state ls = {.launch = {.program = &program, .kernel = &kernel}, .warps_per_block = nwarp};
    ls.env = (struct launch_env){.kernel = &kernel, .grid = {1, 1, 1}, .block = {nwarp * 32, 1, 1}, .nlane = 32};
    struct launch_state *list[] = {&ls};
    struct gpu_options o = {0};
    sm_launch_begin(&c, &ls, &err);
    struct sm **sms = calloc(c.nsm, sizeof(*sms));
    struct memory *mem = memory_new(&c);
    for (uint32_t i = 0; i < c.nsm; i++) {
        sms[i] = sm_new(&c, i, mem, &o);
        sm_prepare(sms[i], list, 1);
        msgbox_push(sm_inbox(sms[i]), (struct message){.time = 0, .kind = MSG_BLOCK_LAUNCH, .payload = PAYLOAD_NONE});
    }
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    cycle window = c.window_cycles ? c.window_cycles : 90;
    for (cycle t = 0; t < cycles; t += window)
        for (uint32_t i = 0; i < c.nsm; i++)
            sm_run(sms[i], t, t + window);
    clock_gettime(CLOCK_MONOTONIC, &b);
    double seconds = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
    uint64_t n = 0;
    for (uint32_t i = 0; i < c.nsm; i++) {
        n += sm_counters(sms[i])->inst_executed;
        if (sm_fault(sms[i])->set)
            puts(sm_fault(sms[i])->text);
        sm_free(sms[i]);
    }
    printf("%llu warp instructions, %.3f s, %.2f M/s, window %llu, %.3f IPC a sub-core\n", (unsigned long long)n,
           seconds, (double)n / seconds * 1e-6, (unsigned long long)window,
           (double)n / (double)cycles / c.nsm / c.subcores);
    sm_launch_end(&ls);
    memory_free(mem);
    free(sms);
    return 0;
}
