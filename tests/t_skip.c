/* Which matrix products may be left out: results that only flow into values, and each way in which they decide more. */
#include <check.h>
#include <stdlib.h>

#include "isa/isa.h"

static bool skips(const char *body, bool memory)
{
    struct error err = {0};
    char *text = xasprintf(".kernel k\n%s\nEXIT\n", body);
    struct program *p = kir_assemble("t.kir", text, &err);
    ck_assert_msg(p != NULL, "%s", err.text);
    struct cfg g;
    ck_assert_msg(cfg_build(&g, &p->kernels[0], &err), "%s", err.text);
    uint8_t *flags = xcalloc(p->kernels[0].n, 1);
    bool yes = kernel_skips(&p->kernels[0], &g, memory, flags);
    for (uint32_t i = 0; yes && i < p->kernels[0].n; i++)
        ck_assert_int_eq(flags[i], p->kernels[0].code[i].op == OP_HMMA);
    free(flags);
    cfg_finish(&g);
    program_free(p);
    free(text);
    return yes;
}
#define PRODUCT "HMMA.16816.F32 R8, R0, R4, R8\n"

static const struct {
    const char *what, *body;
    bool memory, skips;
} rows[] = {
    {"no product", "FADD R8, R8, R9", false, false},
    {"stored", PRODUCT "FADD R9, R8, R8\nSTG.E desc[UR4][R2.64], R9", false, true},
    {"selects a value", PRODUCT "FSETP.GT.AND P0, PT, R8, RZ, PT\nFSEL R9, R8, RZ, P0\nSTG.E desc[UR4][R2.64], R9",
     false, true},
    {"guards", PRODUCT "FSETP.GT.AND P0, PT, R8, RZ, PT\n@P0 FADD R9, R8, R8", false, false},
    {"branches", PRODUCT "FSETP.GT.AND P0, PT, R8, RZ, PT\n@P0 BRA out\nNOP\nout:", false, false},
    {"is an address", PRODUCT "MOV R12, R8\nMOV R13, RZ\nLDG.E R14, desc[UR4][R12.64]", false, false},
    {"an address after it was overwritten", PRODUCT "MOV R8, R2\nMOV R9, R3\nLDG.E R14, desc[UR4][R8.64]", false, true},
    {"through memory", PRODUCT "STS [R20], R8\nLDS R21, [R20]\nLDS R22, [R21]", false, false},
    {"through memory of another kind", PRODUCT "STG.E desc[UR4][R2.64], R8\nLDS R21, [R20]\nLDS R22, [R21]", false,
     true},
    {"left out by an earlier launch", PRODUCT "LDG.E R12, desc[UR4][R2.64]\nLDS R22, [R12]", true, false},
    {"round a loop", "again:\n@P0 BRA out\n" PRODUCT "FSETP.GT.AND P0, PT, R8, RZ, PT\nBRA again\nout:", false, false},
};

START_TEST(products_are_left_out_if_nothing_depends)
{
    ck_assert_msg(skips(rows[_i].body, rows[_i].memory) == rows[_i].skips, "%s", rows[_i].what);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("skip");
    TCase *t = tcase_create("products");
    tcase_add_loop_test(t, products_are_left_out_if_nothing_depends, 0, ARRAY_LEN(rows));
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
