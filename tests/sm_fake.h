/* A streaming multiprocessor alone: scripted instructions instead of the execution routines, and a memory side with
 * fixed latencies. Times in these tests can be checked by hand against hw_configs/tiny.yaml. */
#ifndef HEDDLE_TESTS_SM_FAKE_H
#define HEDDLE_TESTS_SM_FAKE_H

#include "sim/sm.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory side: sources free after 10 cycles, results after 20 (the queue has room for fake_room) ---- */
enum { FAKE_SOURCES = 10, FAKE_RESULT = 20, FAKE_QUEUE = 512 };
struct lsu {
    struct effect effect[FAKE_QUEUE];
    struct completion c[FAKE_QUEUE];
    uint32_t n, used, room;
    uint32_t outstanding[64];
    cycle constant_ready;
    uint32_t constants;
};
static struct lsu *fake_lsu;

struct lsu *lsu_new(const struct config *c, uint32_t smid, struct memory *mem, struct storelog *log, struct msgbox *out,
                    struct sm_counters *counters)
{
    (void)c, (void)smid, (void)mem, (void)log, (void)out, (void)counters;
    fake_lsu = calloc(1, sizeof *fake_lsu);
    fake_lsu->room = UINT32_MAX;
    return fake_lsu;
}
void lsu_free(struct lsu *l)
{
    free(l);
}
void lsu_new_launch(struct lsu *l, uint64_t nblock, cycle now)
{
    (void)l, (void)nblock, (void)now;
}

void lsu_configure(struct lsu *l, uint32_t carveout, struct pc_counters *pcs)
{
    (void)l, (void)carveout, (void)pcs;
}
void lsu_record(struct lsu *l, bool on, const struct gpc_clock *clock)
{
    (void)l, (void)on, (void)clock;
}
const struct access_record *lsu_records(const struct lsu *l, size_t *n)
{
    (void)l;
    *n = 0;
    return NULL;
}
void lsu_watch(struct lsu *l, bool on)
{
    (void)l, (void)on;
}
bool lsu_watch_changed(const struct lsu *l)
{
    (void)l;
    return false;
}
void lsu_watch_races(struct lsu *l, struct races *races)
{
    (void)l;
    (void)races;
}
void lsu_shared_base(struct lsu *l, uint32_t base)
{
    (void)l, (void)base;
}
void lsu_warp_block(struct lsu *l, uint32_t warp, const struct cluster_map *map, uint32_t launch, uint64_t block)
{
    (void)l, (void)warp, (void)map, (void)launch, (void)block;
}
void lsu_serve(struct lsu *l, const struct message *m, struct payload *p, uint8_t *shared, uint32_t shared_bytes)
{
    (void)l, (void)m, (void)p, (void)shared, (void)shared_bytes;
}
void lsu_ask_issue(const struct lsu *l, uint32_t warp)
{
    (void)l;
    (void)warp;
}
uint64_t lsu_ask_answer(const struct lsu *l, uint32_t tag, uint32_t step)
{
    (void)l;
    (void)tag;
    (void)step;
    return 0;
}
void lsu_warp_pcs(struct lsu *l, uint32_t warp, struct pc_counters *pcs)
{
    (void)l, (void)warp, (void)pcs;
}
bool lsu_can_issue(const struct lsu *l, uint32_t subcore, const struct inst *in, cycle now)
{
    (void)subcore, (void)in, (void)now;
    return l->n < l->room;
}
uint64_t lsu_writing_warps(const struct lsu *l)
{
    (void)l;
    return 0;
}
bool lsu_head_is_global(const struct lsu *l, uint32_t subcore)
{
    (void)l, (void)subcore;
    return false;
}
static void fake_push(struct lsu *l, cycle t, uint8_t kind, uint32_t warp, uint32_t effect)
{
    uint32_t i = l->n++;
    for (; i > 0 && l->c[i - 1].time > t; i--)
        l->c[i] = l->c[i - 1];
    l->c[i] = (struct completion){.time = t, .kind = kind, .warp = (uint8_t)warp, .effect = effect};
}
void lsu_issue(struct lsu *l, cycle now, uint32_t subcore, uint32_t warp, uint32_t pc, const struct effect *e,
               uint8_t *shared, uint32_t shared_bytes, uint8_t *local, uint32_t local_bytes)
{
    (void)subcore, (void)pc, (void)shared, (void)shared_bytes, (void)local, (void)local_bytes;
    uint32_t i = l->used++ % FAKE_QUEUE;
    l->effect[i] = *e;
    l->outstanding[warp]++;
    if (e->kind == EFF_BARRIER) {
        fake_push(l, now + 1, COMPLETE_BARRIER, warp, i);
        return;
    }
    fake_push(l, now + FAKE_SOURCES, COMPLETE_SOURCES, warp, i);
    fake_push(l, now + FAKE_RESULT, e->kind == EFF_FENCE ? COMPLETE_FENCE : COMPLETE_RESULT, warp, i);
}
cycle lsu_constant(struct lsu *l, cycle now, uint32_t subcore, uint32_t bank, uint32_t offset)
{
    (void)subcore, (void)bank, (void)offset;
    l->constants++;
    return l->constant_ready > now ? l->constant_ready : now;
}
cycle lsu_constant_indexed(struct lsu *l, cycle now, uint32_t subcore, const struct effect *e)
{
    (void)subcore, (void)e;
    l->constants++;
    return now + FAKE_RESULT;
}
bool lsu_step(struct lsu *l, cycle now)
{
    (void)l, (void)now;
    return true;
}
bool lsu_pop(struct lsu *l, cycle now, struct completion *out)
{
    if (l->n == 0 || l->c[0].time > now)
        return false;
    *out = l->c[0];
    memmove(l->c, l->c + 1, --l->n * sizeof *l->c);
    return true;
}
struct effect *lsu_effect(struct lsu *l, uint32_t effect)
{
    return &l->effect[effect];
}
void lsu_effect_free(struct lsu *l, uint32_t effect)
{
    (void)l, (void)effect;
}
void lsu_receive(struct lsu *l, const struct message *m)
{
    (void)l, (void)m;
}
cycle lsu_next_event(const struct lsu *l, cycle now)
{
    (void)now;
    return l->n ? l->c[0].time : UINT64_MAX;
}
uint64_t lsu_active_warps(const struct lsu *l)
{
    uint64_t busy = 0;
    for (uint32_t i = 0; i < l->n; i++)
        busy |= UINT64_C(1) << l->c[i].warp;
    return busy;
}
void lsu_bulk_done(struct lsu *l, cycle now, uint32_t effect)
{
    (void)l, (void)now, (void)effect;
}
bool lsu_only_waits(const struct lsu *l)
{
    return lsu_idle(l);
}
void lsu_copies_arrive(struct lsu *l, cycle now, uint32_t effect)
{
    (void)l, (void)now, (void)effect;
}
bool lsu_idle(const struct lsu *l)
{
    return l->n == 0;
}
struct lsu_fault lsu_fault(const struct lsu *l)
{
    (void)l;
    return (struct lsu_fault){0};
}
struct payload_head *lsu_payload(struct lsu *l, uint32_t index)
{
    (void)l, (void)index;
    return NULL;
}

/* ---- execution: registers do not matter; branches are taken fake_loops times ------------------------------ */
static uint32_t fake_loops[64];
void warp_start(struct warp *w)
{
    w->pred[PT] = ~(lanemask)0;
    w->nsplit = 1;
    w->cur = 0;
    w->split[0] = (struct split){.mask = w->full};
    fake_loops[w->slot] = 0;
}
void isa_complete(struct warp *w, const struct effect *e)
{
    (void)w, (void)e;
}
static uint32_t fake_loop_count;
void warp_issue(struct warp *w, struct issue *is)
{
    const struct inst *in = &w->env->kernel->code[w->split[0].pc];
    enum effect_class k = op_table[in->op].effect;
    is->exec = w->split[0].mask;
    w->split[0].pc++;
    if (k == EFF_EXIT)
        w->live = 0;
    if (in->op == OP_BRA) {
        is->branch = true;
        if (fake_loops[w->slot]++ < fake_loop_count)
            w->split[0].pc = (uint32_t)in->opd[2].imm;
    }
    if (k != EFF_NONE && k != EFF_CONTROL && k != EFF_EXIT && k != EFF_VARIABLE && k != EFF_DEPBAR) {
        is->effect->kind = (uint8_t)k;
        is->effect->inst = in;
        is->effect->mask = is->exec;
        is->effect->value = k == EFF_BARRIER || k == EFF_SLEEP ? (uint64_t)in->opd[0].imm : 0;
        is->effect->value2 = k == EFF_BARRIER ? (uint64_t)in->opd[1].imm : 0;
    }
}
void inst_print(enum arch a, const struct inst *in, struct sb *out)
{
    (void)a;
    sb_add(out, op_table[in->op].text);
}

/* ---- scripts ------------------------------------------------------------------------------------------------ */
struct script {
    struct inst code[512];
    struct kernel kernel;
    struct program program;
    struct config config;
    struct launch_state ls;
    struct launch_state *list[1];
    struct memory *mem;
    struct sm *sm;
    struct storelog *unused;
};
enum { NONE = 255 };
static struct inst *add(struct script *x, enum op op, int dst, int a, int b, int c)
{
    struct inst *in = &x->code[x->kernel.n++];
    *in = (struct inst){
        .op = (uint16_t)op, .guard = PT, .sched = {.present = true, .stall = 1, .wr_sb = SB_NONE, .rd_sb = SB_NONE}};
    const char *shape = op_table[op].shape;
    uint32_t slot = 0;
    for (; *shape && *shape != '|'; shape++)
        slot += *shape >= 'A' && *shape <= 'Z';
    if (dst != NONE)
        in->writes[in->nwrite++] = (struct regref){RF_R, (uint8_t)dst, 1};
    int src[3] = {a, b, c};
    for (int i = 0; i < 3; i++)
        if (src[i] != NONE) {
            in->reads[in->nread++] = (struct regref){RF_R, (uint8_t)src[i], 1};
            if (slot + (uint32_t)i < NOPERAND)
                in->opd[slot + (uint32_t)i] = (struct operand){.kind = OPD_REG, .reg = (uint8_t)src[i], .width = 1};
        }
    return in;
}
static struct inst *fma3(struct script *x, int d, int a, int b, int c)
{
    return add(x, OP_FFMA, d, a, b, c);
}
static struct inst *exit_inst(struct script *x)
{
    struct inst *in = add(x, OP_EXIT, NONE, NONE, NONE, NONE);
    in->sched.stall = 5;
    return in;
}

static void script_begin(struct script *x, const char *const *sets, size_t nset)
{
    struct error err = {0};
    memset(x, 0, sizeof *x);
    ck_assert_msg(config_load(&x->config, "tiny", sets, nset, &err), "%s", err.text);
    x->kernel.name = (char *)"k";
    x->kernel.code = x->code;
    x->kernel.nreg = 64;
    fake_loop_count = 0;
}

/* Runs one block of nwarp warps from cycle 100 on, in windows of `window` cycles. */
static void script_run(struct script *x, uint32_t nwarp, cycle window, cycle to)
{
    struct error err = {0};
    x->ls.launch = (struct launch){.program = &x->program, .kernel = &x->kernel};
    x->ls.env = (struct launch_env){
        .arch = ARCH_KIR, .kernel = &x->kernel, .grid = {1, 1, 1}, .block = {nwarp * 32, 1, 1}, .nlane = 32};
    x->ls.warps_per_block = nwarp;
    x->ls.nblock = 1;
    x->list[0] = &x->ls;
    struct gpu_options o = {0};
    x->mem = memory_new(&x->config); /* for the SM's own state */
    x->sm = sm_new(&x->config, 0, x->mem, &o);
    ck_assert(sm_launch_begin(&x->config, &x->ls, &err));
    sm_prepare(x->sm, x->list, 1);
    sm_record(x->sm, true, false);
    msgbox_push(sm_inbox(x->sm), (struct message){.time = 100, .kind = MSG_BLOCK_LAUNCH, .payload = PAYLOAD_NONE});
    for (cycle t = 0; t < to; t += window)
        sm_run(x->sm, t, t + window);
}
static void script_end(struct script *x)
{
    sm_free(x->sm);
    memory_free(x->mem);
    sm_launch_end(&x->ls);
}
/* "warp@cycle" of each issue of one sub-core (or all: -1), cycles from the first one. */
static const char *trace(struct script *x, int subcore)
{
    static char text[8192];
    struct sm_view v = {0};
    sm_view_get(x->sm, &v);
    size_t n = 0;
    text[0] = 0;
    cycle first = v.nissue ? v.issues[0].time : 0;
    for (size_t i = 0; i < v.nissue && n + 32 < sizeof text; i++)
        if (subcore < 0 || v.issues[i].warp % x->config.subcores == (uint32_t)subcore)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%u@%u", n ? " " : "", v.issues[i].warp,
                                  (uint32_t)(v.issues[i].time - first));
    return text;
}
/* The profiler's identity: reasons add up to warp cycles. */
static void check_sums(struct script *x)
{
    struct sm_counters *c = sm_counters(x->sm);
    uint64_t sum = 0, pc_sum = 0;
    uint32_t n;
    const struct pc_counters *p = sm_pcs(x->sm, 0, &n);
    for (int r = 0; r < STALL_COUNT; r++) {
        sum += c->stall[r];
        for (uint32_t i = 0; i < n; i++)
            pc_sum += p[i].stall[r];
    }
    ck_assert_uint_eq(sum, c->warps_active);
    ck_assert_uint_eq(pc_sum, c->warps_active);
    ck_assert_uint_eq(c->stall[STALL_selected], c->inst_executed);
    ck_assert(sm_idle(x->sm));
}

#endif
