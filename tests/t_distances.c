/* Compilers know the hardware's latencies: in their code no instruction may read a result before the model has it.
 * Every straight piece of every cubin among the workloads is walked with its stall counts; the least time between a
 * fixed-latency instruction and a reader is compared with what the model asks for. */
#include <check.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "sim/sm_core.h"

struct pending {
    uint32_t writer; /* instruction, or UINT32_MAX */
    int64_t ready;
};
struct walk {
    const struct kernel *k;
    const struct timing *t;
    struct pending reg[NKEY];
    int64_t now;
    uint64_t pairs, early;
    char first[300];
};

static void forget(struct walk *w)
{
    for (uint32_t i = 0; i < NKEY; i++)
        w->reg[i].writer = UINT32_MAX;
}

static bool is_guard(const struct inst *in, uint32_t key)
{
    return in->guard != PT && key < KEY_UR && key == (in->guard_uniform ? KEY_UP : KEY_P) + (uint32_t)in->guard;
}

static void read_key(struct walk *w, uint32_t pc, uint32_t key, uint32_t late)
{
    const struct pending *p = &w->reg[key];
    const struct inst *in = &w->k->code[pc], *writer = p->writer == UINT32_MAX ? NULL : &w->k->code[p->writer];
    if (!writer || (writer->guard != PT && !is_guard(in, key) &&
                    (in->guard != writer->guard || in->guard_not != writer->guard_not)))
        return; /* other lanes than the writer's */
    w->pairs++;
    if (p->ready <= w->now + late)
        return;
    if (!w->early++)
        snprintf(w->first, sizeof w->first,
                 "%s, pc 0x%x: %s reads a result of %s (pc 0x%x) %d cycle(s) before the model has it", w->k->name,
                 pc * INST_BYTES, op_table[in->op].text, op_table[writer->op].text, p->writer * INST_BYTES,
                 (int)(p->ready - w->now - late));
}

static void step(struct walk *w, uint32_t pc)
{
    const struct idesc *d = &w->t->desc[pc];
    for (uint32_t i = 0; d->effect != EFF_TENSOR_ASYNC && i < d->nread; i++)
        for (uint32_t k = 0; k < d->read[i].count; k++)
            read_key(w, pc, d->read[i].first + k, d->read[i].late);
    bool fixed = d->flags & D_FIXED && d->wr_sb == SB_NONE;
    for (uint32_t i = 0; i < d->nwrite; i++)
        for (uint32_t k = 0; k < d->write[i].count; k++)
            w->reg[d->write[i].first + k] = (struct pending){
                fixed ? pc : UINT32_MAX, w->now + d->latency - (i == d->early_at && k == 0 ? d->early : 0)};
    w->now += d->stall;
}

static void walk_kernel(struct walk *w, const struct config *c, struct program *p, struct kernel *k)
{
    struct launch_state ls = {.launch = {.program = p, .kernel = k}};
    struct error err = {0};
    ck_assert_msg(sm_launch_begin(c, &ls, &err), "%s", err.text);
    bool *target = xcalloc(k->n + 1, sizeof *target);
    for (uint32_t i = 0; i < k->n; i++)
        for (uint32_t o = 0; o < NOPERAND; o++)
            if (k->code[i].opd[o].kind == OPD_TARGET && (uint64_t)k->code[i].opd[o].imm / INST_BYTES < k->n)
                target[k->code[i].opd[o].imm / INST_BYTES] = true;
    w->k = k;
    w->t = ls.timing;
    forget(w);
    for (uint32_t i = 0; i < k->n; i++) {
        if (target[i] || ls.timing->desc[i].wait)
            forget(w); /* it waited for we do not know how long */
        step(w, i);
        if (ls.timing->desc[i].flags & D_BRANCH && k->code[i].guard == PT)
            forget(w);
    }
    free(target);
    sm_launch_end(&ls);
}

START_TEST(compilers_never_read_too_early)
{
    struct config *c = xcalloc(1, sizeof *c);
    struct error err = {0};
    struct walk *w = xcalloc(1, sizeof *w);
    char pattern[1024];
    glob_t files;
    ck_assert_msg(config_load(c, "h200", NULL, 0, &err), "%s", err.text);
    snprintf(pattern, sizeof pattern, "%s/workloads/*/*.sm_90*.cubin", getenv("HEDDLE_SOURCE_DIR"));
    ck_assert_int_eq(glob(pattern, 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        struct program *p = program_load(files.gl_pathv[i], &err);
        ck_assert_msg(p && program_link(p, &err), "%s", err.text);
        for (uint32_t k = 0; k < p->nkernel; k++)
            if (strncmp(p->kernels[k].name, "stall_", 6) != 0) /* those are patched to read too early */
                walk_kernel(w, c, p, &p->kernels[k]);
        program_free(p);
    }
    ck_assert_msg(w->early == 0, "%llu of %llu: %s", (unsigned long long)w->early, (unsigned long long)w->pairs,
                  w->first);
    ck_assert_msg(w->pairs > 5000, "only %llu pairs were seen", (unsigned long long)w->pairs);
    globfree(&files);
    free(w);
    free(c);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("distances");
    TCase *t = tcase_create("all");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, compilers_never_read_too_early);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
