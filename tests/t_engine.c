/* The engine with made-up SMs: whatever the number of host threads and the length of the window, every counter, time
 * and value comes out the same. The SMs here run blocks that send a random mixture of requests, closed loop. */
#include "sim/engine.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/result.h"

enum { SLOTS = 4, REQUESTS = 40, BYTES = 1 << 18, INFLIGHT = 6 };
struct fake_block {
    bool busy;
    uint32_t tag, left, inflight, x;
    uint64_t number;
    cycle next; /* when it sends again; UINT64_MAX: waits for an answer */
};
struct sm {
    const struct config *c;
    uint32_t id, seq;
    struct memory *mem;
    struct storelog *log;
    struct msgbox in, out;
    struct sm_counters counters;
    struct sm_fault fault;
    struct fake_block block[SLOTS];
    struct payload pay[SLOTS * 64];
    uint64_t hash;
};
static uint64_t base; /* of the memory the blocks work on */
static const struct inst add_inst = {.op = OP_RED};

struct sm *sm_new(const struct config *c, uint32_t smid, struct memory *mem, const struct gpu_options *o)
{
    (void)o;
    struct sm *s = xcalloc(1, sizeof *s);
    s->c = c;
    s->id = smid;
    s->mem = mem;
    s->log = storelog_new(smid);
    return s;
}
void sm_record(struct sm *s, bool on, bool accesses)
{
    (void)accesses;
    (void)s, (void)on;
}

void sm_view_get(const struct sm *s, struct sm_view *v)
{
    (void)s, (void)v;
}

void sm_warp_view_get(const struct sm *s, uint32_t warp, cycle now, struct warp_view *v)
{
    (void)s, (void)warp, (void)now, (void)v;
}

void sm_free(struct sm *s)
{
    storelog_free(s->log);
    msgbox_finish(&s->in);
    msgbox_finish(&s->out);
    free(s);
}
void sm_prepare(struct sm *s, struct launch_state *const *l, size_t n)
{
    (void)l, (void)n;
    s->counters = (struct sm_counters){0};
}
struct msgbox *sm_inbox(struct sm *s)
{
    return &s->in;
}
struct msgbox *sm_outbox(struct sm *s)
{
    return &s->out;
}
struct storelog *sm_log(struct sm *s)
{
    return s->log;
}
struct payload_head *sm_payload(struct sm *s, uint32_t i)
{
    return &s->pay[i].head;
}
const struct sm_fault *sm_fault(const struct sm *s)
{
    return &s->fault;
}
struct sm_counters *sm_counters(struct sm *s)
{
    return &s->counters;
}
cycle sm_matrix_until(const struct sm *s)
{
    (void)s;
    return 0;
}
const struct pc_counters *sm_pcs(struct sm *s, size_t l, uint32_t *n)
{
    (void)s, (void)l;
    *n = 0;
    return NULL;
}
bool sm_describe_stuck(struct sm *s, struct sb *out)
{
    sb_addf(out, "SM %u\n", s->id);
    return true;
}
void sm_set_clock(struct sm *s, const struct gpc_clock *clock)
{
    (void)s, (void)clock;
}
void sm_set_peers(struct sm *s, struct sm_peers peers)
{
    (void)s, (void)peers;
}
bool sm_only_waits(const struct sm *s)
{
    (void)s;
    return false;
}
void sm_watch_begin(struct sm *s)
{
    (void)s;
}
void sm_watch_mark(struct sm *s)
{
    (void)s;
}
void sm_watch_end(struct sm *s)
{
    (void)s;
}
void sm_describe_loops(const struct sm *s, struct sb *out)
{
    (void)s, (void)out;
}
bool sm_watch_recurs(struct sm *s)
{
    (void)s;
    return true;
}
struct why sm_warp_why(const struct sm *s, uint32_t w, cycle now)
{
    (void)s, (void)w, (void)now;
    return (struct why){0};
}
bool sm_idle(const struct sm *s)
{
    for (int i = 0; i < SLOTS; i++)
        if (s->block[i].busy)
            return false;
    return true;
}
cycle sm_next_event(const struct sm *s)
{
    cycle next = UINT64_MAX;
    for (int i = 0; i < SLOTS; i++)
        if (s->block[i].busy && s->block[i].next < next)
            next = s->block[i].next;
    return next;
}

static void send(struct sm *s, struct message m, cycle t)
{
    m.time = t + m.seq % 5; /* SMs may send ahead */
    m.seq = s->seq++;
    m.source = s->id;
    msgbox_push(&s->out, m);
}

static void act(struct sm *s, uint32_t slot, cycle now)
{
    struct fake_block *b = &s->block[slot];
    if (!b->left) {
        b->next = UINT64_MAX;
        if (!b->inflight) {
            b->busy = false;
            send(s,
                 (struct message){.kind = MSG_BLOCK_DONE,
                                  .tag = b->tag,
                                  .addr = b->number,
                                  .payload = PAYLOAD_NONE,
                                  .dest = s->c->nsm + s->c->mem_partitions},
                 now);
        }
        return;
    }
    uint32_t x = b->x = hash32(b->x + 1), k = x % 16;
    uint64_t line = base + (x >> 8) % (BYTES / 128) * 128;
    if (k > 10)
        line = base + (x >> 8) % 4 * 128; /* hot */
    struct message m = {.addr = line,
                        .sectors = (uint8_t)(1 + (x >> 4) % 15),
                        .tag = slot * 64 + b->left,
                        .payload = PAYLOAD_NONE,
                        .dest = s->c->nsm + partition_of(s->c, line),
                        .wire_bytes = 8,
                        .seq = x >> 16};
    m.kind = k < 6 ? MSG_READ : k < 10 ? MSG_WRITE : k < 13 ? MSG_REDUCE : MSG_ATOMIC;
    uint32_t v = x;
    if (k == 9 || k == 10) { /* racy weak store and load; partial write */
        memory_store(s->mem, s->log, now, line + 4 * (x >> 20 & 7), &v, 4);
        m.sectors = 1;
        m.payload = m.tag;
        s->pay[m.tag] = (struct payload){.head.byte_mask = {0xfu << 4 * (x >> 20 & 7)}};
        m.kind = MSG_WRITE;
    }
    if (k >= 10) {
        struct payload *p = &s->pay[m.tag];
        *p = (struct payload){.mask = 3, .bytes = 4, .inst = &add_inst};
        p->addr[0] = line + 64;
        p->addr[1] = line + 68;
        p->data[0][0] = 1;
        p->data[0][1] = x;
        m.sectors = 4;
        m.payload = m.tag;
        m.kind = k < 13 ? MSG_REDUCE : MSG_ATOMIC;
    }
    memory_load(s->mem, s->log, line + 4 * (x >> 20 & 7), &v, 4);
    s->hash = (s->hash ^ v ^ now) * 0x9e3779b97f4a7c15;
    s->counters.requests_sent++;
    *(m.kind == MSG_READ    ? &s->counters.l1_read_misses_unmerged
      : m.kind == MSG_WRITE ? &s->counters.l1_write_sent
                            : &s->counters.atom_sectors) += (uint32_t)__builtin_popcount(m.sectors);
    send(s, m, now);
    b->left--;
    b->next = ++b->inflight < INFLIGHT ? now + 1 + x % 7 : UINT64_MAX;
}

static void receive(struct sm *s, const struct message *m)
{
    if (m->kind == MSG_BLOCK_LAUNCH) {
        for (int i = 0; i < SLOTS; i++)
            if (!s->block[i].busy) {
                s->block[i] =
                    (struct fake_block){true, m->tag, REQUESTS, 0, (uint32_t)m->addr * 7919, m->addr, m->time};
                s->counters.blocks_launched++;
                return;
            }
        ck_abort_msg("no slot");
    }
    struct fake_block *b = &s->block[m->tag / 64];
    s->counters.replies_received++;
    if (m->payload == PAYLOAD_SHARED) {
        s->counters.coalesced_reads++;
        s->counters.coalesced_sectors += (uint64_t)__builtin_popcount(m->sectors);
    }
    s->hash = (s->hash ^ m->time) * 0x9e3779b97f4a7c15 + m->kind;
    if (m->kind == MSG_ATOMIC_REPLY)
        s->hash += s->pay[m->payload].data[0][0] + 3 * s->pay[m->payload].data[0][1];
    b->inflight--;
    if (b->next == UINT64_MAX)
        b->next = m->time + 1;
}

void sm_run(struct sm *s, cycle from, cycle to)
{
    for (cycle t = from; t < to;) {
        for (struct message *m; (m = msgbox_peek(&s->in, t)); s->in.head++)
            receive(s, m);
        for (uint32_t i = 0; i < SLOTS; i++)
            if (s->block[i].busy && s->block[i].next <= t)
                act(s, i, t);
        cycle next = sm_next_event(s), arrives = msgbox_next(&s->in);
        next = next < arrives ? next : arrives;
        t = next > t ? next : t + 1;
    }
}

struct outcome {
    uint64_t hash, memory;
    cycle end;
    struct mp_counters mp;
};

static struct outcome run(const char *name, uint32_t threads, uint32_t window, uint64_t blocks)
{
    struct config c;
    struct error err = {0};
    ck_assert_msg(config_load(&c, name, NULL, 0, &err), "%s", err.text);
    struct gpu_options o = {.threads = threads, .window_cycles = window};
    struct memory *mem = memory_new(&c);
    ck_assert(memory_alloc(mem, "m", BYTES, 0, &base, &err));
    struct engine e;
    engine_init(&e, &c, &o, mem);
    struct outcome out = {0};
    struct kernel k = {.name = (char *)"fake", .nreg = 16};
    for (int launch = 0; launch < 2; launch++) { /* the second starts with a warm L2 */
        struct launch_state ls = {.launch = {.kernel = &k, .grid = {1, 1, 1}},
                                  .occupancy = {.blocks = SLOTS},
                                  .warps_per_block = 1,
                                  .nblock = blocks};
        struct launch_state *list[1] = {&ls};
        bool ok = engine_run(&e, list, 1, &err);
        ck_assert_msg(ok, "%s", err.text);
        result_check(&e);
        out.end += ls.end;
        ck_assert_uint_eq(ls.blocks_done, blocks);
    }
    for (uint32_t s = 0; s < c.nsm; s++)
        out.hash = (out.hash ^ e.sms[s]->hash) * 0x9e3779b97f4a7c15;
    for (uint32_t p = 0; p < e.npart; p++)
        mp_counters_add(&out.mp, mempart_counters(e.parts[p]));
    static uint8_t bytes[BYTES];
    ck_assert(memory_read(mem, base, bytes, BYTES, &err));
    for (size_t i = 0; i < BYTES; i++)
        out.memory = (out.memory ^ bytes[i]) * 0x9e3779b97f4a7c15;
    engine_finish(&e);
    memory_free(mem);
    return out;
}

static void compare(const char *name, uint64_t blocks, const uint32_t *threads, const uint32_t *windows, size_t n)
{
    struct outcome first = run(name, 1, 0, blocks);
    for (size_t i = 0; i < n; i++) {
        struct outcome o = run(name, threads[i], windows[i], blocks);
        ck_assert_msg(!memcmp(&o, &first, sizeof o),
                      "%s: %u threads, window %u: end %lu against %lu, values %s, answers %s", name, threads[i],
                      windows[i], (unsigned long)o.end, (unsigned long)first.end,
                      o.memory == first.memory ? "equal" : "differ", o.hash == first.hash ? "equal" : "differ");
    }
}

START_TEST(tiny_is_the_same_with_any_threads_and_window)
{
    compare("tiny", 60, (uint32_t[]){1, 1, 1, 2, 5, 5}, (uint32_t[]){1, 7, 40, 0, 1, 13}, 6);
}
END_TEST

START_TEST(h200_is_the_same_with_any_threads_and_window)
{
    compare("h200", 700, (uint32_t[]){1, 2, 5, 5}, (uint32_t[]){1, 7, 0, 31}, 4);
}
END_TEST

START_TEST(every_item_is_done_once_by_a_crew)
{
    struct counts {
        unsigned n[1000];
    } *k = xcalloc(1, sizeof *k);
    struct crew *c = crew_new(5);
    extern void t_engine_bump(void *arg, uint32_t i);
    for (uint32_t round = 0; round < 2000; round++)
        crew_do(c, 1 + round % 1000, t_engine_bump, k->n);
    for (uint32_t i = 0; i < 1000; i++)
        ck_assert_uint_eq(k->n[i], 2 * (1000 - i));
    crew_free(c);
    free(k);
}
END_TEST
void t_engine_bump(void *arg, uint32_t i);
void t_engine_bump(void *arg, uint32_t i)
{
    ((unsigned *)arg)[i]++;
}

START_TEST(blocks_start_breadth_first_and_end_in_turn)
{
    struct config c;
    struct error err = {0};
    ck_assert(config_load(&c, "h200", NULL, 0, &err));
    struct msgbox *in[NLIST], *out[NLIST], boxes[2 * NLIST] = {0};
    for (uint32_t s = 0; s < c.nsm; s++) {
        in[s] = &boxes[2 * s];
        out[s] = &boxes[2 * s + 1];
    }
    struct hub *h = hub_new(&c, in, out, NULL);
    struct blocks *b = blocks_new(&c);
    struct kernel k = {.name = (char *)"k", .nreg = 32};
    struct launch_state ls = {
        .launch = {.kernel = &k}, .occupancy = {.blocks = 2}, .warps_per_block = 4, .nblock = 400};
    struct launch_state *list[1] = {&ls};
    blocks_begin(b, list, 1, 0);
    blocks_step(b, h, 5000);
    ck_assert_uint_eq(ls.next_block, 264);
    for (uint32_t i = 0; i < c.nsm; i++) {
        struct msgbox *box = in[c.launch_order[i]];
        ck_assert_uint_eq(box->n, 2);
        ck_assert_uint_eq(box->m[0].addr, i); /* the measured order of SMs */
        ck_assert_uint_eq(box->m[1].addr, 132 + i);
    }
    ck_assert_uint_eq(in[c.launch_order[131]]->m[1].time,
                      (cycle)(263 * c.block_start_interval + 0.99) + c.window_cycles);
    /* All end at once: they are taken in turn, and each makes room for one of the 136 that wait, which starts
     * later than the room is free. */
    cycle ended = 6000;
    for (uint32_t i = 0; i < 264; i++)
        msgbox_push(
            hub_completions(h, 0),
            (struct message){.time = ended, .source = c.launch_order[i % 132], .seq = i, .kind = MSG_BLOCK_DONE});
    blocks_step(b, h, 20000);
    ck_assert_uint_eq(ls.next_block, 400);
    ck_assert_uint_eq(ls.blocks_done, 264);
    cycle last = 0;
    for (uint32_t s = 0; s < c.nsm; s++)
        last = in[s]->m[in[s]->n - 1].time > last ? in[s]->m[in[s]->n - 1].time : last;
    ck_assert_uint_eq(last, ended + (cycle)(136 * c.block_launch_cycles + 0.99) + c.window_cycles + c.block_refill);
    ck_assert_uint_eq(ls.end, ended + (cycle)(264 * c.block_launch_cycles + 0.99) - c.window_cycles);
    blocks_free(b);
    hub_free(h);
    for (uint32_t s = 0; s < 2 * NLIST; s++)
        msgbox_finish(&boxes[s]);
}
END_TEST

/* A grid of fewer blocks than SMs: the group of leftovers first, then the GPCs, an SM of each TPC. On the H200 the turn
 * begins at another group, so which GPCs get one block more differs; how many of them do, and on which SMs of a GPC
 * they are, does not. */
static void read_small(uint32_t blocks, uint32_t *sm)
{
    const char *root = getenv("HEDDLE_SOURCE_DIR");
    char *path = xasprintf("%s/tests/data/launch_small.h200.txt", root ? root : "."), line[1024];
    FILE *f = fopen(path, "r");
    ck_assert_msg(f != NULL, "%s", path);
    bool found = false;
    while (!found && fgets(line, sizeof line, f)) {
        char *at = line;
        found = line[0] != '#' && strtoul(at, &at, 10) == blocks;
        for (uint32_t i = 0; found && i < blocks; i++)
            sm[i] = (uint32_t)strtoul(at, &at, 10);
    }
    ck_assert(found);
    fclose(f);
    free(path);
}

static int downwards(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x < y) - (x > y);
}

/* Blocks by GPC, the fullest first; and TPCs whose two SMs work. */
static uint32_t shares(const struct config *c, const uint32_t *sm, uint32_t blocks, uint32_t *of_gpc)
{
    uint32_t of_tpc[NLIST] = {0}, both = 0;
    memset(of_gpc, 0, NLIST * sizeof *of_gpc);
    for (uint32_t i = 0; i < blocks; i++) {
        of_gpc[c->gpc_of_sm[sm[i]]]++;
        both += ++of_tpc[c->tpc_of_sm[sm[i]]] == 2;
    }
    qsort(of_gpc, c->ngpc, sizeof *of_gpc, downwards);
    return both;
}

START_TEST(small_grids_are_spread)
{
    static const uint32_t sizes[] = {8, 16, 64};
    uint32_t blocks = sizes[_i], gpu[NLIST], ours[NLIST], of_gpu[NLIST], of_ours[NLIST];
    struct config c;
    struct error err = {0};
    ck_assert(config_load(&c, "h200", NULL, 0, &err));
    struct msgbox *in[NLIST], *out[NLIST], boxes[2 * NLIST] = {0};
    for (uint32_t s = 0; s < c.nsm; s++) {
        in[s] = &boxes[2 * s];
        out[s] = &boxes[2 * s + 1];
    }
    struct hub *h = hub_new(&c, in, out, NULL);
    struct blocks *b = blocks_new(&c);
    struct kernel k = {.name = (char *)"k", .nreg = 32};
    struct launch_state ls = {
        .launch = {.kernel = &k}, .occupancy = {.blocks = 2}, .warps_per_block = 4, .nblock = blocks};
    struct launch_state *list[1] = {&ls};
    blocks_begin(b, list, 1, 0);
    blocks_step(b, h, 5000);
    uint32_t n = 0;
    for (uint32_t s = 0; s < c.nsm; s++)
        for (size_t i = 0; i < in[s]->n; i++, n++)
            ours[in[s]->m[i].addr] = s;
    ck_assert_uint_eq(n, blocks);
    read_small(blocks, gpu);
    ck_assert_uint_eq(shares(&c, ours, blocks, of_ours), shares(&c, gpu, blocks, of_gpu));
    for (uint32_t g = 0; g < c.ngpc; g++)
        ck_assert_uint_eq(of_ours[g], of_gpu[g]);
    ck_assert(!memcmp(ours, gpu, 8 * sizeof *ours));
    blocks_free(b);
    hub_free(h);
    for (uint32_t s = 0; s < 2 * NLIST; s++)
        msgbox_finish(&boxes[s]);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("engine");
    TCase *t = tcase_create("all");
    tcase_set_timeout(t, 100);
    tcase_add_test(t, every_item_is_done_once_by_a_crew);
    tcase_add_test(t, blocks_start_breadth_first_and_end_in_turn);
    tcase_add_loop_test(t, small_grids_are_spread, 0, 3);
    tcase_add_test(t, tiny_is_the_same_with_any_threads_and_window);
    tcase_add_test(t, h200_is_the_same_with_any_threads_and_window);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? 1 : 0;
}
