/* The PTX writer: what a lesson becomes, and what is refused because it would be lost. (Whether the vendor's assembler
 * takes the text is checked where it is found: tests/ptxas.sh.) */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"

static bool write(const char *body, struct sb *out, struct error *err)
{
    char *text = xasprintf(".kernel k\n.param x ptr\n.param n u32\n.shared part 64\n%s\nEXIT\n", body);
    struct program *p = kir_assemble("t.kir", text, err);
    ck_assert_msg(p != NULL, "%s", err->text);
    bool ok = ptx_write(p, out, err);
    program_free(p);
    free(text);
    return ok;
}

static const struct {
    const char *inst, *ptx;
} forms[] = {
    {"S2R R1, SR_TID.X", "mov.u32 %r1, %tid.x;"},
    {"MOV R1, c[0x0][0x0]", "mov.u32 %t0, %ntid.x;"},
    {"MOV R1, c[n]", "ld.param.b32 %t0, [p_n+0];"},
    {"IADD3 R1, R2, 0x5, -R3", "neg.s32 %t1, %t1;"},
    {"IMAD R1, R2, R3, R4", "mad.lo.s32 %r1, %r2, %r3, %r4;"},
    {"IMAD.WIDE.U32 R2, R4, 0x4, R6", "mad.wide.u32 %d0, %r4, 0x4, %d1;"},
    {"ISETP.LT.U32.AND P0, PT, R1, R2, !P1", "setp.lt.and.u32 %p0|%psink, %r1, %r2, !%p1;"},
    {"LOP3.LUT R1, R2, R3, RZ, 0xc0, !PT", "lop3.b32 %t0, %r2, %r3, 0, 0xc0;"},
    {"FFMA.FTZ R1, R2, 1.5, R3", "fma.rn.ftz.f32 %r1, %r2, 0f3fc00000, %r3;"},
    {"@!P2 FADD R1, R2, R3", "@!%p2 add.rn.f32 %r1, %r2, %r3;"},
    {"LDG.E.128 R4, [R2+0x10]", "ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%d0+16];"},
    {"STS.64 [R2.X8+part], R4", "st.shared.v2.b32 [%t0+0], {%r4, %r5};"},
    {"BAR.SYNC 3", "bar.sync 0x3;"},
    {"SHFL.BFLY P0, R1, R2, 0x4, 0x1f", "shfl.sync.bfly.b32 %r1|%p0, %r2, 0x4, 0x1f, %t0;"},
    {"ATOMS.ADD R1, [R2], R3", "atom.shared.add.u32 %r1, [%t0+0], %r3;"},
    {"RED.E.ADD.F32.FTZ.RN.STRONG.GPU [R2], R4", "red.global.add.f32 [%d0+0], %r4;"},
    {"DFMA R2, R4, R6, 2.5", "fma.rn.f64"},
    {"MUFU.EX2 R1, R2", "ex2.approx.ftz.f32 %r1, %r2;"},
};

START_TEST(form)
{
    struct sb out = {0};
    struct error err = {0};
    ck_assert_msg(write(forms[_i].inst, &out, &err), "%s", err.text);
    ck_assert_msg(strstr(out.text, forms[_i].ptx) != NULL, "%s gives\n%s", forms[_i].inst, out.text);
    sb_finish(&out);
}
END_TEST

static const struct {
    const char *inst, *why;
} refused[] = {
    {"MOV R1, R2 {stall 4}", "scheduling fields"},
    {"BSSY B0, 0x0", "convergence barriers"},
    {"UMOV UR4, 0x5", "no form"},
    {"IMAD R1, R2, UR4, RZ", "uniform registers"},
    {"LDG.E R1, desc[UR4][R2.64]", "uniform registers and descriptors"},
    {"MOV R1, c[0x3][0x0]", "only parameters"},
    {"LDG.E R1, [R2]\nDEPBAR.LE SB0, 0x0", "dependence counters"},
};

START_TEST(refusal)
{
    struct sb out = {0};
    struct error err = {0};
    ck_assert(!write(refused[_i].inst, &out, &err));
    ck_assert_int_eq(err.status, EXIT_BAD_INPUT);
    ck_assert_msg(strstr(err.text, refused[_i].why) != NULL, "%s", err.text);
    ck_assert_msg(strncmp(err.text, "t.kir:", 6) == 0, "%s", err.text);
    sb_finish(&out);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("ptx");
    TCase *t = tcase_create("ptx");
    tcase_add_loop_test(t, form, 0, (int)ARRAY_LEN(forms));
    tcase_add_loop_test(t, refusal, 0, (int)ARRAY_LEN(refused));
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
