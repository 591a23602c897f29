/* Reads of neighbouring SMs that meet before L2, against the profiler's count of an H200 (tests/data/share.h200.txt;
 * there by loads that bypass L1, here by ordinary ones of fresh lines). */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "workloads/workloads.h"

enum { LINES = 256, SECTORS = 4, OTHER = 60 }; /* OTHER: sectors that are none of the reads */
struct row {
    unsigned gpc, who, delay, few, warps, sectors;
};

/* Sectors at L2 of the second launch: the first brings the lines there. */
static double predicted(const struct row *r)
{
    char text[5][32];
    const char *sizes[5];
    snprintf(text[0], sizeof text[0], "gpc=%u", r->gpc);
    snprintf(text[1], sizeof text[1], "who=%u", r->who);
    snprintf(text[2], sizeof text[2], "delay=%u", r->delay);
    snprintf(text[3], sizeof text[3], "few=%u", r->few);
    snprintf(text[4], sizeof text[4], "warps=%u", r->warps);
    for (uint32_t i = 0; i < 5; i++)
        sizes[i] = text[i];
    struct error err = {0};
    struct config *c = xcalloc(1, sizeof *c);
    struct launch_result result = {0};
    ck_assert_msg(config_load(c, "h200", NULL, 0, &err), "%s", err.text);
    struct spec *s = spec_load("micro_share", &(struct spec_options){.sizes = sizes, .nsize = 5}, &err);
    struct gpu *g = s ? gpu_new(c, &(struct gpu_options){.threads = 1}, &err) : NULL;
    ck_assert_msg(g && s->nlaunch == 1, "%s", err.text);
    static const uint32_t zero[128];
    uint64_t reads = 0;
    ck_assert_msg(spec_place(s, g, &err), "%s", err.text);
    for (uint32_t i = 0; i < 2; i++) {
        ck_assert_msg(gpu_write(g, s->buffers[0].addr, zero, sizeof zero, &err), "%s", err.text);
        ck_assert_msg(gpu_run(g, s->sim, 1, &result, &err), "%s", err.text);
        reads = result.mp.l2_reads;
        launch_result_finish(&result);
    }
    gpu_free(g);
    spec_free(s);
    free(c);
    return (double)reads - OTHER;
}

static size_t read_rows(struct row *rows, size_t cap)
{
    const char *root = getenv("HEDDLE_SOURCE_DIR");
    char *path = xasprintf("%s/tests/data/share.h200.txt", root ? root : "."), line[256];
    FILE *f = fopen(path, "r");
    ck_assert_msg(f != NULL, "%s", path);
    size_t n = 0;
    while (fgets(line, sizeof line, f)) {
        struct row *r = &rows[n];
        if (sscanf(line, "%u 0x%x %u %u %u %u", &r->gpc, &r->who, &r->delay, &r->few, &r->warps, &r->sectors) == 6)
            ck_assert_uint_lt(++n, cap);
    }
    fclose(f);
    free(path);
    return n;
}

/* Reads that reached L2, together, for SMs so far apart. When each SM sees the timer's tick differs here by some cycles
 * (and with everything that lies before), so now and then a tick of the coalescer lies between those that begin
 * together. */
START_TEST(as_many_meet)
{
    static const struct {
        unsigned sms, least, most; /* cycles apart */
        double within;
    } kinds[] = {{2, 0, 0, 0.3},   {2, 20, 60, 0.15}, {2, 80, 400, 0.03}, {6, 0, 10, 0.2},
                 {6, 20, 40, 0.2}, {18, 0, 10, 0.2},  {18, 20, 40, 0.2}};
    static struct row rows[512];
    size_t n = read_rows(rows, ARRAY_LEN(rows));
    ck_assert_uint_gt(n, 100);
    for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
        double model = 0, h200 = 0;
        uint32_t taken = 0;
        for (size_t i = 0; i < n; i++) {
            const struct row *r = &rows[i];
            if (r->warps != 1 || r->few || (unsigned)__builtin_popcount(r->who) != kinds[k].sms ||
                r->delay < kinds[k].least || r->delay > kinds[k].most || taken == 9)
                continue;
            taken++;
            model += predicted(r);
            h200 += (double)r->sectors - OTHER;
        }
        printf("%u SMs %u to %u cycles apart: %.0f sectors at L2, measured %.0f\n", kinds[k].sms, kinds[k].least,
               kinds[k].most, model, h200);
        ck_assert_uint_gt(taken, 0);
        ck_assert_double_eq_tol(model / h200, 1, kinds[k].within);
    }
}
END_TEST

/* Who asks for one sector and who asks for all four do not meet, whoever comes first; who asks for the same one does.
 */
START_TEST(only_equal_sectors)
{
    static struct row rows[512];
    size_t n = read_rows(rows, ARRAY_LEN(rows));
    for (size_t i = 0; i < n; i++)
        if (rows[i].few && !rows[i].delay) {
            double p = predicted(&rows[i]), measured = (double)rows[i].sectors - OTHER;
            if (rows[i].few == 3)
                ck_assert_double_lt(p, 1.5 * LINES);
            else
                ck_assert_double_eq_tol(p, measured, 0.02 * measured);
        }
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("share");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, as_many_meet);
    tcase_add_test(t, only_equal_sectors);
    Suite *s = suite_create("share");
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
