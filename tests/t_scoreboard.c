/* The scoreboard finds the latencies of the hardware: a dependent pair without scheduling fields issues as far apart as
 * it does with the least stall count that gave the right value on the H200 (micro_stall: stall counts patched to 1 to
 * 11). */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/workloads.h"

enum { NCOUNT = 11, NLAUNCH = 64, NPC = 4096, NWORD = 16 };

static struct config machine;
static struct check_result measured;

/* ---- when each instruction issued last ---------------------------------------------------------- */
static cycle issued[NLAUNCH][NPC];

static cycle look(void *arg, const struct gpu *g, cycle now)
{
    (void)arg, (void)now;
    uint32_t first = gpu_first_launch(g);
    for (uint32_t sm = 0; sm < machine.nsm; sm++) {
        struct sm_view v;
        gpu_sm_view(g, sm, &v);
        for (size_t i = 0; i < v.nissue; i++)
            issued[first + v.issues[i].launch][v.issues[i].pc] = v.issues[i].time;
    }
    return machine.window_cycles;
}

static void run(struct spec *s)
{
    for (uint32_t i = 0; i < s->nbuffer; i++)
        s->buffers[i].wanted = true;
    struct error err = {0};
    struct gpu *g = gpu_new(&machine, &(struct gpu_options){.threads = 1}, &err);
    struct launch_result *r = xcalloc(s->nlaunch, sizeof *r);
    uint8_t *all = xcalloc(machine.nsm, 1);
    memset(all, 1, machine.nsm);
    memset(issued, 0, sizeof issued);
    ck_assert_msg(g && spec_place(s, g, &err), "%s", err.text);
    gpu_observe(g, &(struct observer){.barrier = look, .record = all});
    ck_assert_msg(gpu_run(g, s->sim, s->nlaunch, r, &err), "%s", err.text);
    ck_assert_msg(spec_collect(s, g, &err), "%s", err.text);
    for (uint32_t i = 0; i < s->nlaunch; i++)
        launch_result_finish(&r[i]);
    gpu_free(g);
    free(all);
    free(r);
}

/* ---- the pairs ---------------------------------------------------------------------------------- */
static bool depends(const struct inst *next, const struct inst *in)
{
    for (uint32_t i = 0; i < in->nwrite; i++)
        for (uint32_t k = 0; k < next->nread; k++) {
            struct regref w = in->writes[i], r = next->reads[k];
            if (w.file == r.file && w.first < r.first + r.count && r.first < w.first + w.count && w.first != RZ &&
                (w.file != RF_P || w.first != PT))
                return true;
        }
    return false;
}

/* Instructions of fixed latency whose stall counts are 1, 2, .. 11, without yield, and whose next one reads their
 * result. No compiler's code has the first three. */
static void find_pairs(const struct kernel *k, uint32_t pc[NCOUNT])
{
    uint32_t n = 0;
    for (uint32_t i = 0; i + 1 < k->n && n < NCOUNT; i++) {
        const struct sched *f = &k->code[i].sched;
        if (f->stall == n + 1 && f->wr_sb == SB_NONE && !f->yield && depends(&k->code[i + 1], &k->code[i]))
            pc[n++] = i;
    }
    ck_assert_msg(n == NCOUNT, "%s: %u pairs", k->name, n);
}

static struct spec *load(void)
{
    struct error err = {0};
    struct spec *s = spec_load("micro_stall", &(struct spec_options){.arch = ARCH_SM90}, &err);
    ck_assert_msg(s && spec_link(s, &err), "%s", err.text);
    return s;
}

static uint32_t apart(uint32_t launch, uint32_t pc)
{
    ck_assert(issued[launch][pc] > 0 && issued[launch][pc + 1] > issued[launch][pc]);
    return (uint32_t)(issued[launch][pc + 1] - issued[launch][pc]);
}

static uint32_t measured_count(const char *pair)
{
    for (uint32_t i = 0; i < measured.rows[0].ncounter; i++)
        if (!strcmp(measured.rows[0].counters[i].name, pair))
            return (uint32_t)measured.rows[0].counters[i].measured;
    ck_abort_msg("%s was not measured", pair);
    return 0;
}

/* The least stall count with which pairs of this one's kind gave the right value; out: the kernel's words, out[count] 1
 * if right. */
static uint32_t least_of_kind(const struct kernel *k, const uint32_t pc[NCOUNT], const uint32_t *out, uint32_t pair)
{
    uint32_t least = 0;
    for (uint32_t count = 1; count <= NCOUNT; count++)
        if (k->code[pc[count - 1]].op == k->code[pc[pair]].op)
            least = !out[count] ? 0 : least ? least : count;
    return least;
}

START_TEST(as_far_apart_as_the_least_stall_count)
{
    struct spec *s = load(), *bare = load();
    uint32_t n = s->nlaunch, pairs[NLAUNCH][NCOUNT], want[NLAUNCH][NCOUNT], far = 0;
    ck_assert_uint_le(n, NLAUNCH);
    run(s);
    const uint32_t *out = (const uint32_t *)(const void *)s->buffers[0].out;
    for (uint32_t l = 0; l < n; l++) {
        const struct kernel *k = s->launches[l].kernel;
        find_pairs(k, pairs[l]);
        ck_assert_uint_eq(out[l * NWORD], measured_count(k->name + strlen("stall_")));
        for (uint32_t i = 0; i < NCOUNT; i++) {
            uint32_t least = least_of_kind(k, pairs[l], out + (size_t)l * NWORD, i);
            ck_assert_uint_gt(least, 0);
            want[l][i] = apart(l, pairs[l][least - 1]);
        }
    }
    for (uint32_t i = 0; i < bare->nprogram; i++)
        program_strip(bare->programs[i]);
    run(bare);
    for (uint32_t l = 0; l < n; l++)
        for (uint32_t i = 0; i < NCOUNT; i++) {
            uint32_t got = apart(l, pairs[l][i]);
            if (got == want[l][i])
                continue;
            far++;
            printf("%s at pc 0x%x: %u cycles apart, with stall counts %u\n", s->launches[l].kernel_name,
                   pairs[l][i] * INST_BYTES, got, want[l][i]);
        }
    spec_free(s);
    spec_free(bare);
    ck_assert_msg(far == 0, "%u of %u pairs", far, n * NCOUNT);
}
END_TEST

int main(void)
{
    struct error err = {0};
    const char *stale = "sm.hazards=stale";
    if (!config_load(&machine, "h200", &stale, 1, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return EXIT_FAILURE;
    }
    struct check_options o = {.config = &machine,
                              .gpu = "h200",
                              .targets = (const char *[]){"micro_stall"},
                              .ntarget = 1,
                              .threads = 1,
                              .micro = true};
    if (!check_run(&measured, &o, &err) || measured.n != 1) {
        fprintf(stderr, "micro_stall: %s\n", err.text);
        return EXIT_FAILURE;
    }
    Suite *s = suite_create("scoreboard");
    TCase *t = tcase_create("scoreboard");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, as_far_apart_as_the_least_stall_count);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    check_finish(&measured);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
