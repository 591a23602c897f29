/* Golden tables of a machine that YAML alone changes: bank conflicts for 16, 32 and 64 banks of 4 and 8 bytes at
 * strides of 1 to 33 words, counted and timed; divergence for warps of 32 and 64 lanes on both kinds of divergence;
 * grids that share the machine. Expected values are worked out here, from the rules and not from the simulator's code.
 */
#include "sim/sim.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { STRIDES = 33 };

struct run {
    struct config config;
    struct program *program;
    struct gpu *gpu;
    struct launch_result r[2];
    uint32_t out[4096];
    uint64_t at;
};
static struct run x;

static void begin(const char *config, const char *text, const char *const *sets, size_t nset)
{
    struct error err = {0};
    memset(&x, 0, sizeof x);
    ck_assert_msg(config_load(&x.config, config, sets, nset, &err), "%s", err.text);
    x.program = kir_assemble("test.kir", text, &err);
    ck_assert_msg(x.program, "%s", err.text);
    struct gpu_options o = {.max_cycles = 10000000};
    x.gpu = gpu_new(&x.config, &o, &err);
    ck_assert_msg(x.gpu, "%s", err.text);
    ck_assert(gpu_alloc(x.gpu, "out", sizeof x.out, &x.at, &err));
    ck_assert(gpu_write(x.gpu, x.at, x.out, sizeof x.out, &err));
    ck_assert_msg(gpu_load(x.gpu, x.program, &err), "%s", err.text);
}
static struct launch launch(uint32_t kernel, uint32_t grid, uint32_t block, uint32_t stream)
{
    return (struct launch){.program = x.program,
                           .kernel = &x.program->kernels[kernel],
                           .grid = {grid, 1, 1},
                           .block = {block, 1, 1},
                           .params = &x.at,
                           .param_bytes = 8,
                           .stream = stream};
}
static void go(const struct launch *l, size_t n)
{
    struct error err = {0};
    ck_assert_msg(gpu_run(x.gpu, l, n, x.r, &err), "%s", err.text);
    ck_assert(gpu_read(x.gpu, x.at, x.out, sizeof x.out, &err));
}
static void done(void)
{
    launch_result_finish(&x.r[0]);
    launch_result_finish(&x.r[1]);
    gpu_free(x.gpu);
    program_free(x.program);
}

/* ---- bank conflicts -------------------------------------------------------------------------------------------- */
/* One warp loads at every stride and takes the time of each load and its use. */
static char *strides_kernel(void)
{
    struct sb s = {0};
    sb_add(
        &s,
        ".kernel k\n.param out ptr\n.shared 8192\n    S2R %t, SR_TID.X\n    MOV R40, c[out]\n    MOV R41, c[out+4]\n");
    for (int i = 1; i <= STRIDES; i++) {
        sb_addf(&s, "    MOV %%k, %d\n    IMAD %%a, %%t, %%k, RZ\n    IADD3 %%a, %%a, RZ, RZ\n", 4 * i);
        sb_addf(&s,
                "    BAR.SYNC 0\n    CS2R.32 %%b, SR_CLOCKLO\n    LDS %%v, [%%a]\n    IADD3 %%v, %%v, RZ, RZ\n"
                "    CS2R.32 %%e, SR_CLOCKLO\n    IADD3 %%d, %%e, -%%b, RZ\n    STG.E [R40+%d], %%d\n",
                4 * i);
    }
    sb_add(&s, "    EXIT\n");
    return s.text;
}

/* Words of 32 lanes at a stride fall into banks; each bank delivers one of its own words a wavefront. */
static uint32_t expected(uint32_t banks, uint32_t width, uint32_t stride)
{
    uint32_t most = 0;
    for (uint32_t b = 0; b < banks; b++) {
        uint32_t words[32], n = 0;
        for (uint32_t lane = 0; lane < 32; lane++) {
            uint32_t word = lane * stride * 4 / width, k = 0;
            if (word % banks != b)
                continue;
            while (k < n && words[k] != word)
                k++;
            if (k == n)
                words[n++] = word;
        }
        most = n > most ? n : most;
    }
    return most;
}

static const struct {
    uint32_t banks, width;
} arrays[] = {{16, 4}, {16, 8}, {32, 4}, {32, 8}, {64, 4}, {64, 8}};

START_TEST(bank_table)
{
    uint32_t banks = arrays[_i].banks, width = arrays[_i].width;
    char set[2][48], *text = strides_kernel();
    const char *sets[] = {set[0], set[1], "sm.shared.conflict_cycles=2"};
    snprintf(set[0], sizeof set[0], "sm.shared.banks=%u", banks);
    snprintf(set[1], sizeof set[1], "sm.shared.bank_bytes=%u", width);
    begin("tiny", text, sets, 3);
    struct launch l = launch(0, 1, 32, 0);
    go(&l, 1);
    uint32_t pc = 0, base = 0;
    for (uint32_t stride = 1; stride <= STRIDES; stride++) {
        while (x.program->kernels[0].code[pc].op != OP_LDS)
            pc++;
        uint32_t want = expected(banks, width, stride), ideal = banks * width < 128 ? 128 / (banks * width) : 1;
        ck_assert_msg(x.r[0].pcs[pc].wavefronts == want, "%u banks of %u bytes, stride %u: %u wavefronts, not %u",
                      banks, width, stride, (uint32_t)x.r[0].pcs[pc].wavefronts, want);
        if (stride == 1)
            base = x.out[1] - 2 * (want - ideal);
        ck_assert_msg(x.out[stride] == base + 2 * (want - ideal),
                      "%u banks of %u bytes, stride %u: %u cycles, not %u + 2 x %u", banks, width, stride,
                      x.out[stride], base, want - ideal);
        pc++;
    }
    done();
    free(text);
}
END_TEST

/* ---- divergence ------------------------------------------------------------------------------------------------- */
/* Lanes take both sides of a branch, inside it one of three ways, then a loop of lane + 1 turns. */
static const char paths[] =
    ".kernel k\n.param out ptr\n    S2R %t, SR_TID.X\n    MOV %r, 0\n    LOP3.LUT %odd, %t, 1, RZ, 0xc0, !PT\n"
    "    ISETP.NE.AND P0, PT, %odd, RZ, PT\n    @P0 BRA b\n    IADD3 %r, %r, 10, RZ\n    BRA join\n"
    "b:\n    LOP3.LUT %two, %t, 2, RZ, 0xc0, !PT\n    ISETP.NE.AND P1, PT, %two, RZ, PT\n    @P1 BRA c\n"
    "    IADD3 %r, %r, 20, RZ\n    BRA join\nc:\n    IADD3 %r, %r, 30, RZ\njoin:\n    IADD3 %n, %t, 1, RZ\n"
    "loop:\n    IADD3 %r, %r, 100, RZ\n    IADD3 %n, %n, -1, RZ\n    ISETP.NE.AND P0, PT, %n, RZ, PT\n    @P0 BRA "
    "loop\n"
    "    MOV %four, 4\n    IMAD.WIDE %p, %t, %four, c[out]\n    STG.E [%p], %r\n    EXIT\n";
enum { PC_EVEN = 5, PC_ODD = 7, PC_TWENTY = 10, PC_THIRTY = 12, PC_JOIN = 13, PC_LOOP = 14, PC_STORE = 20 };

START_TEST(divergence_table)
{
    uint32_t lanes = _i & 1 ? 64 : 32;
    const char *sets[3] = {_i & 2 ? "sm.divergence=stack" : "sm.divergence=its",
                           _i & 1 ? "sm.warp_size=64" : "sm.warp_size=32", "isa=0"};
    begin("tiny", paths, sets, lanes == 64 ? 3 : 2);
    struct launch l = launch(0, 1, lanes, 0);
    go(&l, 1);
    const struct pc_counters *p = x.r[0].pcs;
    static const struct {
        uint32_t pc, share; /* of the lanes: 1 / share */
    } once[] = {{PC_EVEN, 2}, {PC_ODD, 2}, {PC_TWENTY, 4}, {PC_THIRTY, 4}, {PC_JOIN, 1}, {PC_STORE, 1}};
    for (size_t i = 0; i < ARRAY_LEN(once); i++) {
        ck_assert_uint_eq(p[once[i].pc].executed, 1);
        ck_assert_uint_eq(p[once[i].pc].thread_executed, lanes / once[i].share);
    }
    ck_assert_uint_eq(p[PC_LOOP].executed, lanes); /* as many turns as the longest lane has */
    ck_assert_uint_eq(p[PC_LOOP].thread_executed, lanes * (lanes + 1) / 2);
    ck_assert_uint_eq(p[4].divergent, 1);
    ck_assert_uint_eq(p[9].divergent, 1);
    ck_assert_uint_eq(p[17].divergent, lanes - 1); /* one lane leaves the loop each turn */
    for (uint32_t i = 0; i < lanes; i++)
        ck_assert_uint_eq(x.out[i], (i & 1 ? i & 2 ? 30 : 20 : 10) + 100 * (i + 1));
    done();
}
END_TEST

/* ---- grids that share the machine ------------------------------------------------------------------------------- */
static const char two[] = ".kernel slow\n.param out ptr\n    S2R %b, SR_CTAID.X\n    MOV %four, 4\n    MOV %n, 500\n"
                          "loop:\n    IADD3 %n, %n, -1, RZ\n    ISETP.NE.AND P0, PT, %n, RZ, PT\n    @P0 BRA loop\n    "
                          "S2R %s, SR_VIRTUALSMID\n"
                          "    IMAD.WIDE %p, %b, %four, c[out]\n    STG.E [%p], %s\n    EXIT\n";

static cycle together(uint32_t grid, uint32_t block, uint32_t stream)
{
    begin("tiny", two, NULL, 0);
    struct launch l[] = {launch(0, grid, block, 0), launch(0, grid, block, stream)};
    go(l, 2);
    cycle sum =
        stream ? (x.r[0].cycles > x.r[1].cycles ? x.r[0].cycles : x.r[1].cycles) : x.r[0].cycles + x.r[1].cycles;
    done();
    return sum;
}

START_TEST(streams_overlap_where_there_is_room)
{
    cycle one_after_another = together(1, 32, 0), side_by_side = together(1, 32, 1);
    ck_assert_uint_lt(side_by_side, one_after_another * 6 / 10);
    /* a grid that fills every SM leaves no room: the other's blocks wait */
    cycle full = together(2, 512, 0), crowded = together(2, 512, 1);
    ck_assert_uint_gt(crowded, full * 8 / 10);
}
END_TEST

/* ---- code that left L2 -------------------------------------------------------------------------------------- */
START_TEST(cold_code_costs_a_launch_more)
{
    const char *sets[] = {"launch.cold_code_cycles=70", "launch.cold_code_bytes=32"};
    begin("tiny", two, sets, 2);
    struct launch l = launch(0, 1, 32, 0);
    static const cycle extra[] = {70, 0, 0, 70, 0};
    for (size_t i = 0; i < ARRAY_LEN(extra); i++) {
        if (i == 3)
            gpu_flush_l2_clean(x.gpu);
        go(&l, 1);
        ck_assert_uint_eq(x.r[0].overhead_cycles, extra[i]);
        launch_result_finish(&x.r[0]);
    }
    done();
    sets[1] = "launch.cold_code_bytes=65536"; /* short code costs nothing */
    begin("tiny", two, sets, 2);
    l = launch(0, 1, 32, 0);
    go(&l, 1);
    ck_assert_uint_eq(x.r[0].overhead_cycles, 0);
    done();
}
END_TEST

/* ---- tails (case W1, W2): equal blocks on an SM each, or two ------------------------------------------------------
 */
START_TEST(equal_blocks_in_waves)
{
    static const struct {
        uint32_t grid, shared;
        double waves;
    } t[] = {{131, 122880, 1}, {132, 122880, 1}, {133, 122880, 2}, {264, 122880, 2}, {265, 122880, 3},
             {131, 92160, 1},  {133, 92160, 1},  {264, 92160, 1},  {265, 92160, 2}};
    cycle one = 0;
    for (size_t i = 0; i < ARRAY_LEN(t); i++) {
        begin("h200", two, NULL, 0);
        struct launch l = launch(0, t[i].grid, 32, 0);
        l.dynamic_shared_bytes = t[i].shared;
        go(&l, 1);
        cycle own = x.r[0].cycles - x.r[0].overhead_cycles;
        one = i ? one : own;
        double waves = (double)own / (double)one;
        ck_assert_msg(waves > t[i].waves * 0.9 && waves < t[i].waves * 1.1, "%u blocks, %u bytes: %.2f waves, not %.0f",
                      t[i].grid, t[i].shared, waves, t[i].waves);
        done();
    }
}
END_TEST

/* ---- launch order ---------------------------------------------------------------------------------------------------
 */
/* The groups of tests/data/launch_order.h200.txt, and what every recorded launch has in common: the group S first, then
 * the others in turn, A to H and again; S comes again earlier than its turn as long as the grid has blocks for it.
 * Where the turn begins (mostly at A) and which half of S is first varies from launch to launch. */
static char run_of(const uint32_t *sm, uint32_t *length, char lines[16][160])
{
    for (uint32_t g = 0; g < 16 && lines[g][0]; g++) {
        uint32_t n = 0, k = 0;
        bool same = true;
        for (char *p = lines[g] + 4, *end; (k = (uint32_t)strtoul(p, &end, 10)), end != p; p = end)
            same &= sm[n++] == k;
        if (same) {
            *length = n;
            return lines[g][2];
        }
    }
    return 0;
}

START_TEST(launch_order)
{
    char path[512], line[4096], groups[16][160] = {{0}};
    snprintf(path, sizeof path, "%s/tests/data/launch_order.h200.txt",
             getenv("HEDDLE_SOURCE_DIR") ? getenv("HEDDLE_SOURCE_DIR") : ".");
    FILE *f = fopen(path, "r");
    ck_assert_msg(f != NULL, "%s", path);
    uint32_t ngroup = 0, nlaunch = 0, begins_with_a = 0;
    while (fgets(line, sizeof line, f)) {
        if (line[0] == '#' && line[2] && line[3] == ' ' && ngroup < 15)
            snprintf(groups[ngroup++], sizeof groups[0], "%.150s", line);
        if (line[0] == '#')
            continue;
        char *order = strrchr(line, ' ') + 1, last = 0;
        ck_assert(order[0] == 'S' || order[0] == 's');
        begins_with_a += order[1] == 'A';
        for (char *p = order; *p >= 'A'; p++) {
            if (*p == 'S' || *p == 's')
                continue;
            ck_assert_msg(!last || *p == (last == 'H' ? 'A' : last + 1), "%s", line);
            last = *p;
        }
        nlaunch++;
    }
    fclose(f);
    ck_assert_uint_ge(nlaunch, 20);
    ck_assert_uint_gt(begins_with_a, nlaunch / 2);

    begin("h200", two, NULL, 0);
    struct launch l = launch(0, 132, 32, 0);
    go(&l, 1);
    char got[16] = {0}, last = 0;
    for (uint32_t b = 0, n = 0, i = 0; b < 132; b += n) {
        char g = run_of(x.out + b, &n, groups);
        ck_assert_msg(g && i < 15, "block %u starts on SM %u", b, x.out[b]);
        ck_assert((g == 'S' || g == 's') == (b == 0));
        ck_assert(b == 0 || !last || g == (last == 'H' ? 'A' : last + 1));
        last = b ? g : 0;
        got[i++] = g;
    }
    ck_assert_uint_eq(strlen(got), 9);
    done();
}
END_TEST

/* ---- clocks and sleep: as measured --------------------------------------------------------------------------------
 */
START_TEST(sleep_ends_with_the_timer)
{
    static const struct {
        uint32_t ns, cycles, slack; /* one after another, as the H200 took them */
    } t[] = {{200, 507, 10}, {1000, 2028, 10}, {2000, 4055, 10}, {5000, 16220, 10}, {100000, 259523, 20}};
    for (size_t i = 0; i < ARRAY_LEN(t); i++) {
        char *text = xasprintf(
            ".kernel k\n.param out ptr\n    MOV R40, c[out]\n    MOV R41, c[out+4]\n    MOV %%n, %u\n    NANOSLEEP "
            "%%n\n"
            "    CS2R.32 %%a, SR_CLOCKLO\n    NANOSLEEP %%n\n    NANOSLEEP %%n\n    CS2R.32 %%b, SR_CLOCKLO\n"
            "    IADD3 %%b, %%b, -%%a, RZ\n    STG.E [R40], %%b\n    S2UR UR4, SR_GLOBALTIMERLO\n    MOV %%g, UR4\n"
            "    STG.E [R40+4], %%g\n    EXIT\n",
            t[i].ns);
        begin("h200", text, NULL, 0);
        struct launch l = launch(0, 1, 32, 0);
        go(&l, 1);
        uint32_t each = x.out[0] / 2;
        ck_assert_msg(each + t[i].slack >= t[i].cycles && each <= t[i].cycles + t[i].slack, "%u ns: %u cycles, not %u",
                      t[i].ns, each, t[i].cycles);
        ck_assert_uint_eq(x.out[1] % 32, 0);
        done();
        free(text);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("tables");
    TCase *t = tcase_create("tables");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, bank_table, 0, (int)ARRAY_LEN(arrays));
    tcase_add_loop_test(t, divergence_table, 0, 4);
    tcase_add_test(t, streams_overlap_where_there_is_room);
    tcase_add_test(t, cold_code_costs_a_launch_more);
    tcase_add_test(t, equal_blocks_in_waves);
    tcase_add_test(t, launch_order);
    tcase_add_test(t, sleep_ends_with_the_timer);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
