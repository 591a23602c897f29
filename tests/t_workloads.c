/* Every workload on the h200 and tiny configs gives its reference's values, and nothing depends on how many host
 * threads ran it or how long the windows were. With names as arguments: only those. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "workloads/workloads.h"

/* What a run leaves that must not depend on the host: hash over outputs, cycles and counters. */
struct trace {
    char hash[65];
    cycle cycles;
};

static struct config configs[2]; /* h200, tiny */
static const char *const machines[] = {"h200", "tiny"};

static void load_configs(void)
{
    struct error err = {0};
    for (int i = 0; i < 2; i++)
        ck_assert_msg(config_load(&configs[i], machines[i], NULL, 0, &err), "%s", err.text);
}

static void add_result(struct sb *all, const struct launch_result *r)
{
    sb_addn(all, (const char *)&r->cycles, sizeof r->cycles);
    sb_addn(all, (const char *)&r->sm, sizeof r->sm);
    sb_addn(all, (const char *)&r->mp, sizeof r->mp);
    for (uint32_t i = 0; i < r->nsm; i++)
        sb_addn(all, (const char *)&r->sms[i], sizeof r->sms[i]);
    for (uint32_t i = 0; i < r->npc; i++)
        sb_addn(all, (const char *)&r->pcs[i], sizeof r->pcs[i]);
}

static struct trace digest(const struct spec *s, const struct launch_result *results)
{
    struct trace t = {.cycles = 0};
    struct sb all = {0};
    for (uint32_t i = 0; i < s->nlaunch; i++) {
        add_result(&all, &results[i]);
        t.cycles += results[i].cycles;
    }
    for (uint32_t i = 0; i < s->nexpect; i++)
        sb_add(&all, s->expects[i].verdict.sha256);
    sha256_hex(all.text, all.len, t.hash);
    sb_finish(&all);
    return t;
}

/* Runs it; false and text when it failed or its values are wrong. */
static bool run_once(const struct config *c, const char *name, uint32_t threads, uint32_t window, struct trace *t,
                     struct error *err)
{
    struct gpu_options o = {.threads = threads, .window_cycles = window};
    struct spec *s = spec_load(name, &(struct spec_options){.arch = ARCH_SM90}, err);
    struct gpu *g = s ? gpu_new(c, &o, err) : NULL;
    struct launch_result *r = s ? xcalloc(s->nlaunch, sizeof *r) : NULL;
    bool ok = g && spec_place(s, g, err) && gpu_run(g, s->sim, s->nlaunch, r, err) && spec_collect(s, g, err);
    for (uint32_t i = 0; ok && i < s->nexpect; i++)
        if (s->expects[i].verdict.checked && !s->expects[i].verdict.ok)
            ok = error_set(err, EXIT_FAILED, "wrong: %s", s->expects[i].verdict.text);
    if (ok)
        *t = digest(s, r);
    for (uint32_t i = 0; r && i < s->nlaunch; i++)
        launch_result_finish(&r[i]);
    free(r);
    if (g)
        gpu_free(g);
    spec_free(s);
    return ok;
}

static size_t nonly;
static char **only;

static bool wanted(const struct spec_entry *e)
{
    for (size_t i = 0; i < nonly; i++)
        if (strcmp(only[i], e->name) == 0)
            return true;
    return nonly == 0 && !e->micro && strncmp(e->name, "kernels_", 8) != 0 &&
           strncmp(e->name, "practice_", 9) != 0; /* t_kernels runs those */
}

static void all_on(int config)
{
    struct error err = {0};
    size_t n, bad = 0;
    load_configs();
    struct spec_entry *list = spec_list(&n, &err);
    struct sb report = {0};
    for (size_t i = 0; i < n; i++) {
        struct trace t;
        struct error mine = {0};
        if (!wanted(&list[i]) || run_once(&configs[config], list[i].name, 1, 0, &t, &mine))
            continue;
        if (config == 1 && mine.status == EXIT_BAD_INPUT) /* larger than the small machine takes */
            continue;
        sb_addf(&report, "\n%s on %s: %s", list[i].name, machines[config], mine.text);
        bad++;
    }
    ck_assert_msg(bad == 0, "%zu failed:%s", bad, report.text);
    sb_finish(&report);
    spec_list_free(list, n);
}

START_TEST(values_are_right_on_h200)
{
    all_on(0);
}
END_TEST

START_TEST(values_are_right_on_tiny)
{
    all_on(1);
}
END_TEST

static void same_for(const struct config *c, const char *name, const uint32_t *threads, const uint32_t *windows,
                     size_t n)
{
    struct trace first = {.cycles = 0}, t;
    for (size_t i = 0; i < n; i++) {
        struct error err = {0};
        ck_assert_msg(run_once(c, name, threads[i], windows[i], &t, &err), "%s with %u threads, windows of %u: %s",
                      name, threads[i], windows[i], err.text);
        if (i == 0)
            first = t;
        ck_assert_msg(
            strcmp(first.hash, t.hash) == 0,
            "%s: %u threads, windows of %u give %llu cycles and other counters or values than 1 thread (%llu cycles)",
            name, threads[i], windows[i], (unsigned long long)t.cycles, (unsigned long long)first.cycles);
    }
}

static const char *const varied[] = {"racy",   "atomic_sync", "atomic_sync_ticket", "vecadd_tail",
                                     "reduce", "histogram",   "gelu_chain"};

START_TEST(host_threads_and_windows_change_nothing_on_tiny)
{
    load_configs();
    for (size_t i = 0; i < ARRAY_LEN(varied); i++)
        same_for(&configs[1], varied[i], (const uint32_t[]){1, 2, 5, 1, 2, 5}, (const uint32_t[]){0, 0, 0, 1, 7, 7}, 6);
}
END_TEST

START_TEST(host_threads_and_windows_change_nothing_on_h200)
{
    load_configs();
    same_for(&configs[0], "racy", (const uint32_t[]){1, 2, 5, 1, 2}, (const uint32_t[]){0, 0, 0, 7, 7}, 5);
    same_for(&configs[0], "atomic_sync", (const uint32_t[]){1, 2, 5, 1, 2}, (const uint32_t[]){0, 0, 0, 1, 7}, 5);
    same_for(&configs[0], "histogram", (const uint32_t[]){1, 2, 5}, (const uint32_t[]){0, 0, 0}, 3);
}
END_TEST

int main(int argc, char **argv)
{
    nonly = (size_t)(argc - 1);
    only = argv + 1;
    TCase *t = tcase_create("workloads");
    tcase_set_timeout(t, 400);
    tcase_add_test(t, values_are_right_on_h200);
    tcase_add_test(t, values_are_right_on_tiny);
    if (!nonly) {
        tcase_add_test(t, host_threads_and_windows_change_nothing_on_tiny);
        tcase_add_test(t, host_threads_and_windows_change_nothing_on_h200);
    }
    Suite *s = suite_create("workloads");
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
