/* The verifier and the linker: what instructions read and write, and what must not run. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"

static struct program *assemble(const char *body, struct error *err)
{
    char *text = xasprintf(".kernel k\n%s\nEXIT\n", body);
    struct program *p = kir_assemble("t.kir", text, err);
    free(text);
    return p;
}

/* "R4-5 R8 UR2-3 P0" of a set */
static char *set_text(const struct regref *r, unsigned n)
{
    static const char *const prefix[] = {[RF_R] = "R", [RF_UR] = "UR", [RF_P] = "P", [RF_UP] = "UP", [RF_B] = "B"};
    struct sb out = {0};
    sb_add(&out, "");
    for (; n; n--, r++) {
        sb_addf(&out, "%s%s%u", out.len ? " " : "", prefix[r->file], r->first);
        if (r->count > 1)
            sb_addf(&out, "-%u", r->first + r->count - 1);
    }
    return out.text ? out.text : xstrdup("");
}

static const struct {
    const char *inst, *reads, *writes;
} sets[] = {
    {"IADD3 R1, R2, R3, RZ", "R2 R3", "R1"},
    {"@P1 IADD3 R1, P0, R2, 0x5, RZ", "R2 P1", "R1 P0"},
    {"IMAD.WIDE R2, R4, R5, R6", "R4 R5 R6-7", "R2-3"},
    {"DFMA R2, R4, R6, R8", "R4-5 R6-7 R8-9", "R2-3"},
    {"F2F.F64.F32 R2, R4", "R4", "R2-3"},
    {"F2F.F32.F64 R2, R4", "R4-5", "R2"},
    {"LDG.E.128 R4, desc[UR4][R2.64+0x10]", "R2-3 UR4-5", "R4-7"},
    {"STG.E.64 desc[UR4][R2.64], R6", "R2-3 UR4-5 R6-7", ""},
    {"LDS.U8 R1, [R2+UR4]", "R2 UR4", "R1"},
    {"STS.128 [R2], R4", "R2 R4-7", ""},
    {"SHFL.BFLY PT, R1, R2, 0x1, 0x1f", "R2", "R1"},
    {"ISETP.LT.AND P0, PT, R1, R2, P1", "R1 R2 P1", "P0"},
    {"ATOMG.E.CAS.64 PT, R2, [R4], R6, R8", "R4-5 R6-7 R8-9", "R2-3"},
    {"BSSY B3, 0x10", "", "B3"},
    {"P2R R1, PR, RZ, 0x7f", "P0-6", "R1"},
    {"LDSM.16.M88.4 R4, [R2]", "R2", "R4-7"},
    {"HMMA.16816.F32 R8, R0, R4, R8", "R0-3 R4-5 R8-11", "R8-11"},
    {"HMMA.16816.F16 R8, R0, R4, R8", "R0-3 R4-5 R8-9", "R8-9"},
    {"HMMA.1688.F32 R8, R0, R4, R8", "R0-1 R4 R8-11", "R8-11"},
    {"UIADD3 UR4, UP0, UR5, UR6, URZ", "UR5 UR6", "UR4 UP0"},
    {"ULDC.64 UR4, c[0x0][0x208]", "", "UR4-5"},
    {"CS2R R2, SR_CLOCKLO", "", "R2-3"},
    {"CS2R.32 R2, SR_CLOCKLO", "", "R2"},
    {"LDC.64 R2, c[0x3][R4+0x8]", "R4", "R2-3"},
};

START_TEST(registers_read_and_written)
{
    struct error err = {0};
    struct program *p = assemble(sets[_i].inst, &err);
    ck_assert_msg(p != NULL, "%s", err.text);
    const struct inst *in = &p->kernels[0].code[0];
    char *reads = set_text(in->reads, in->nread), *writes = set_text(in->writes, in->nwrite);
    ck_assert_msg(strcmp(reads, sets[_i].reads) == 0, "%s reads %s", sets[_i].inst, reads);
    ck_assert_msg(strcmp(writes, sets[_i].writes) == 0, "%s writes %s", sets[_i].inst, writes);
    ck_assert_ptr_nonnull(in->exec);
    free(reads);
    free(writes);
    program_free(p);
}
END_TEST

START_TEST(damaged_programs_are_refused)
{
    struct error err = {0};
    struct program *p = assemble("MOV R9, R8\nBRA 0x20\nBAR.SYNC 0x0", &err);
    ck_assert_ptr_nonnull(p);
    struct kernel *k = &p->kernels[0];
    ck_assert(program_verify(p, &err));
    k->nreg = 9;
    ck_assert(!program_verify(p, &err));
    ck_assert(strstr(err.text, "R9 is used, but the kernel has 9 registers") != NULL);
    k->nreg = 10;
    struct error target = {0};
    k->code[1].opd[2].imm = 0x40;
    ck_assert(!program_verify(p, &target));
    ck_assert(strstr(target.text, "0x10: BRA leads to 0x40, outside") != NULL);
    k->code[1].opd[2].imm = 0x20;
    struct error end = {0};
    k->n--;
    ck_assert(!program_verify(p, &end));
    ck_assert(strstr(end.text, "past the end") != NULL);
    k->n++;
    program_free(p);
}
END_TEST

START_TEST(code_that_no_way_leads_to_is_said)
{
    struct error err = {0};
    struct program *p = assemble("BRA 0x20\nMOV R1, 1", &err);
    struct sb out = {0};
    ck_assert_ptr_nonnull(p);
    program_warnings(p, &out);
    ck_assert_str_eq(out.text, "t.kir: kernel k: no way leads to 0x10\n");
    sb_finish(&out);
    program_free(p);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("verify");
    TCase *t = tcase_create("verify");
    tcase_add_loop_test(t, registers_read_and_written, 0, (int)ARRAY_LEN(sets));
    tcase_add_test(t, damaged_programs_are_refused);
    tcase_add_test(t, code_that_no_way_leads_to_is_said);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
