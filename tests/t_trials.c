/* Every form of instruction on awkward and random operands, word by word as a real GPU computed it: tests/trials. The
 * recording (tests/data/trials_sm_90.z) holds the words and hashes of an H200's results, four for each word;
 * the quick run compares the first quarter. With an argument, all of them; HEDDLE_TRIALS=every number: each so many-th
 * word only.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/trials/trials.h"

static bool whole;

struct counts {
    uint32_t tried, wrong, refused;
};

static void name_trial(const struct trial *t, uint32_t number, const char *why)
{
    struct inst in;
    struct error err = {0};
    struct sb text = {0};
    inst_decode(ARCH_SM90, t->word, 0, &in, &err);
    inst_print(ARCH_SM90, &in, &text);
    fprintf(stderr, "trial %u, %s (0x%016llx 0x%016llx): %s\n", number, text.text, (unsigned long long)t->word[0],
            (unsigned long long)t->word[1], why);
    sb_finish(&text);
}

static uint32_t judge(const struct trial *const *t, const uint32_t *number, uint32_t n, struct trial_run *r)
{
    uint32_t bad = 0;
    bool all = trial_simulate(r, t, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t hash[TRIAL_BLOCKS], *out = r->out;
        struct trial_run one = {.inputs = r->inputs, .out = out, .only_first = r->only_first};
        if (!all && !trial_simulate(&one, t + i, 1)) {
            name_trial(t[i], number[i], one.why);
            bad++;
            continue;
        }
        trial_hashes(t[i], out + (all ? (size_t)i * trial_records(t[i]) * OUTPUT_WORDS : 0), hash);
        if (memcmp(hash, t[i]->hash, whole ? sizeof hash : sizeof hash[0]) != 0 && bad++ < 20)
            name_trial(t[i], number[i], "not what the GPU computed");
    }
    return bad;
}

static void judge_file(const char *name, uint32_t least)
{
    const char *root = getenv("HEDDLE_SOURCE_DIR"), *every = getenv("HEDDLE_TRIALS");
    char *path = xasprintf("%s/tests/data/%s_sm_90.z", root ? root : ".", name);
    uint32_t step = every ? (uint32_t)strtoul(every, NULL, 10) : 1, bad = 0, tried = 0;
    struct trials s = {0};
    struct error err = {0};
    ck_assert_msg(trials_read(&s, path, &err), "%s", err.text);
    struct trial_run r = {.only_first = !whole};
    r.inputs = xcalloc((size_t)FAM_COUNT * INPUT_RECORDS * INPUT_WORDS, 4);
    r.out = xcalloc((size_t)TRIALS_A_KERNEL * TRIAL_LANES * OUTPUT_WORDS, 4);
    trial_inputs(r.inputs);
    for (uint32_t kind = 0; kind < 2; kind++) {
        const struct trial *t[TRIALS_A_KERNEL];
        uint32_t number[TRIALS_A_KERNEL], n = 0, length = 0;
        for (uint32_t i = 0; i < s.n; i += step) {
            const struct trial *x = &s.t[i];
            if (x->state != TRIAL_DONE || !!(x->flags & TF_PER_WARP) != (kind == 1))
                continue;
            if (!trial_joins(t, n, x, &length)) {
                bad += judge(t, number, n, &r);
                tried += n;
                n = 0;
                trial_joins(t, n, x, &length);
            }
            t[n] = x;
            number[n++] = i;
        }
        bad += n ? judge(t, number, n, &r) : 0;
        tried += n;
    }
    printf("%s: %u words tried, %u wrong\n", name, tried, bad);
    ck_assert_uint_eq(bad, 0);
    ck_assert_uint_ge(tried * step, least);
    free(r.inputs);
    free(r.out);
    free(s.t);
    free(path);
}

START_TEST(words_as_recorded)
{
    judge_file("trials", 20000);
}
END_TEST
int main(int argc, char **argv)
{
    (void)argv;
    whole = argc > 1;
    TCase *t = tcase_create("trials");
    tcase_set_timeout(t, 600);
    tcase_add_test(t, words_as_recorded);
    Suite *s = suite_create("trials");
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
