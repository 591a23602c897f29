/* Registers whose rows a warp's start does not clear: what the analysis says of each way of reading and writing, and
 * that whatever lies in those rows changes nothing. */
#include <check.h>
#include <stdlib.h>

#include "isa/isa.h"

static struct program *assemble(const char *body)
{
    struct error err = {0};
    char *text = xasprintf(".kernel k\n%s\nEXIT\n", body);
    struct program *p = kir_assemble("t.kir", text, &err);
    ck_assert_msg(p != NULL, "%s", err.text);
    free(text);
    return p;
}

static const struct {
    const char *what, *body;
    uint32_t reg;
    bool unread;
} rows[] = {
    {"not named", "MOV R1, RZ", 9, true},
    {"written, then read", "MOV R9, RZ\nIADD3 R1, R9, R9, RZ", 9, true},
    {"read by what writes it", "IADD3 R9, R9, RZ, RZ", 9, false},
    {"written under a guard", "@P0 MOV R9, RZ\nIADD3 R1, R9, R9, RZ", 9, false},
    {"written on one way only", "@P0 BRA over\nMOV R9, RZ\nover:\nIADD3 R1, R9, R9, RZ", 9, false},
    {"written on both ways", "@P0 BRA over\nMOV R9, RZ\nBRA out\nover:\nMOV R9, R1\nout:\nIADD3 R1, R9, R9, RZ", 9,
     true},
    {"carried round a loop", "again:\nIADD3 R1, R9, R9, RZ\nMOV R9, R2\n@P0 BRA again", 9, false},
    {"written before a loop reads it", "MOV R9, R2\nagain:\nIADD3 R1, R9, R9, RZ\n@P0 BRA again", 9, true},
    {"loaded", "LDG.E R9, desc[UR4][R2.64]\nIADD3 R1, R9, R9, RZ", 9, true},
    {"the second half of an address", "LDG.E R9, desc[UR4][R2.64]", 3, false},
    {"the second half of a pair that is loaded", "LDG.E.64 R8, desc[UR4][R2.64]\nIADD3 R1, R9, R9, RZ", 9, true},
    {"stored", "STG.E desc[UR4][R2.64], R9", 9, false},
    {"old value of an atomic", "ATOMG.E.ADD.STRONG.GPU PT, R9, desc[UR4][R2.64], R1\nIADD3 R1, R9, R9, RZ", 9, false},
    {"shuffled", "SHFL.BFLY PT, R1, R9, 0x1, 0x1f", 9, false},
    {"another path's exit", "MOV R9, RZ\n@P0 EXIT\nIADD3 R1, R9, R9, RZ", 9, true},
    {"read behind a guarded exit", "@P0 EXIT\nIADD3 R1, R9, R9, RZ", 9, false},
    {"a matrix product takes whole rows", "MOV R9, RZ\nHMMA.16816.F32 R4, R16, R20, R4", 9, false},
    {"behind a jump to anywhere", "BRX R2 0x0", 9, false},
    {"written before a jump to anywhere", "MOV R9, RZ\nBRX R2 0x0", 9, true},
};

START_TEST(who_reads_first)
{
    struct program *p = assemble(rows[_i].body);
    struct unread u;
    kernel_unread(&p->kernels[0], &u);
    ck_assert_msg((u.rows[rows[_i].reg / 64] >> rows[_i].reg % 64 & 1) == rows[_i].unread, "%s", rows[_i].what);
    program_free(p);
}
END_TEST

START_TEST(uniform_registers_end)
{
    struct program *p = assemble("ULDC.64 UR4, c[0x0][0x208]\nLDG.E R9, desc[UR4][R2.64]");
    struct unread u;
    kernel_unread(&p->kernels[0], &u);
    ck_assert_uint_eq(u.uregs, NUREG - 6);
    program_free(p);
}
END_TEST

/* A warp's start clears what may be read and leaves the rest. */
START_TEST(start_clears_the_others)
{
    enum { ROWS = 130, LEFT = 9 };
    struct kernel k = {.nreg = ROWS};
    struct launch_env env = {.kernel = &k, .nlane = 32, .unread = {.rows = {UINT64_C(1) << LEFT, ~UINT64_C(0)}}};
    struct warp *w = xcalloc(1, sizeof *w);
    w->env = &env;
    w->full = 0xffffffffu;
    w->reg = xcalloc(ROWS * 32, sizeof *w->reg);
    for (uint32_t i = 0; i < ROWS * 32; i++)
        w->reg[i] = i + 1;
    warp_start(w);
    for (uint32_t i = 0; i < ROWS * 32; i++) {
        bool left = i / 32 == LEFT || (i / 32 >= 64 && i / 32 < 128);
        ck_assert_uint_eq(w->reg[i], left ? i + 1 : 0);
    }
    free(w->reg);
    free(w);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("unread");
    TCase *t = tcase_create("rows");
    tcase_add_loop_test(t, who_reads_first, 0, ARRAY_LEN(rows));
    tcase_add_test(t, uniform_registers_end);
    tcase_add_test(t, start_clears_the_others);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
