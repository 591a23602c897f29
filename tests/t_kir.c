/* KIR text: what is printed reads back to an equal program; hand-written text means what it says; mistakes are named
 * with their place. */
#include <check.h>
#include <dirent.h>
#include <stdlib.h>

#include "tests/kir_equal.h"

static char *source_path(const char *name)
{
    const char *root = getenv("HEDDLE_SOURCE_DIR");
    return path_join(root ? root : ".", name);
}

static void round_trip(const struct program *p)
{
    char why[300] = "";
    struct sb text = {0}, again = {0}, stripped = {0};
    struct error err = {0};
    kir_print(p, false, &text);
    struct program *q = kir_assemble("lifted.kir", text.text, &err);
    ck_assert_msg(q != NULL, "%s", err.text);
    ck_assert_msg(same_program(p, q, why), "%s: %s", p->path, why);
    kir_print(q, false, &again);
    ck_assert_str_eq(text.text, again.text);
    kir_print(p, true, &stripped);
    struct program *s = kir_assemble("stripped.kir", stripped.text, &err);
    ck_assert_msg(s != NULL, "%s", err.text);
    for (uint32_t k = 0; k < s->nkernel; k++)
        for (uint32_t i = 0; i < s->kernels[k].n; i++)
            ck_assert(!s->kernels[k].code[i].sched.present);
    program_free(s);
    program_free(q);
    sb_finish(&text);
    sb_finish(&again);
    sb_finish(&stripped);
}

START_TEST(every_cubin_survives_being_lifted)
{
    char *root = source_path("workloads");
    uint32_t n = 0;
    DIR *d = opendir(root);
    ck_assert_ptr_nonnull(d);
    for (struct dirent *e; (e = readdir(d));) {
        char *folder = path_join(root, e->d_name);
        DIR *f = e->d_name[0] == '.' ? NULL : opendir(folder);
        for (struct dirent *x; f && (x = readdir(f));) {
            size_t len = strlen(x->d_name);
            char *path = path_join(folder, x->d_name);
            struct error err = {0};
            if (len > 6 && strcmp(x->d_name + len - 6, ".cubin") == 0) {
                struct program *p = program_load(path, &err);
                ck_assert_msg(p != NULL, "%s", err.text);
                round_trip(p);
                program_free(p);
                n++;
            }
            free(path);
        }
        if (f)
            closedir(f);
        free(folder);
    }
    closedir(d);
    free(root);
    ck_assert_uint_gt(n, 15);
}
END_TEST

static struct program *assemble(const char *text)
{
    struct error err = {0};
    struct program *p = kir_assemble("t.kir", text, &err);
    ck_assert_msg(p != NULL, "%s", err.text);
    return p;
}

static const char vecadd[] = "// z[i] = x[i] + y[i]\n"
                             ".kernel vecadd\n"
                             "  .param x ptr\n  .param y ptr\n  .param z ptr\n  .param n u32\n"
                             "    S2R %tid, SR_TID.X\n"
                             "    S2R %cta, SR_CTAID.X\n"
                             "    IMAD %i, %cta, c[0x0][0x0], %tid   # global index\n"
                             "    ISETP.GE.U32.AND %out, PT, %i, c[n], PT\n"
                             "    @%out EXIT\n"
                             "    MOV %four, 4\n"
                             "    IMAD.WIDE %xa, %i, %four, c[x]\n"
                             "    IMAD.WIDE %ya, %i, %four, c[y]\n"
                             "    IMAD.WIDE %za, %i, %four, c[z]\n"
                             "    LDG.E %a, [%xa]\n"
                             "    LDG.E %b, [%ya]\n"
                             "    FADD %a, %a, %b\n"
                             "    STG.E [%za], %a\n"
                             "    EXIT\n";

START_TEST(hand_written_text)
{
    struct program *p = assemble(vecadd);
    struct kernel *k = &p->kernels[0];
    ck_assert_uint_eq(k->n, 14);
    ck_assert_uint_eq(k->nparam, 4);
    ck_assert_uint_eq(k->params[3].offset, 24);
    ck_assert_uint_eq(k->param_bytes, 28);
    ck_assert_int_eq(k->code[3].opd[3].imm, arch_info(ARCH_KIR)->param_base + 24);
    ck_assert_uint_eq(k->code[6].opd[0].width, 2); /* the address is a pair, at an even register */
    ck_assert_uint_eq(k->code[6].opd[0].reg % 2, 0);
    ck_assert_uint_eq(k->code[6].opd[0].reg, k->code[9].opd[2].reg);
    ck_assert_uint_eq(k->code[4].guard, k->code[3].opd[0].reg);
    ck_assert_uint_eq(k->code[4].line, 11); /* the text is its own source */
    ck_assert(!k->code[0].sched.present);
    round_trip(p);
    program_free(p);
}
END_TEST

START_TEST(the_usual_type_may_be_written)
{
    struct program *p = assemble(
        ".kernel k\nI2F R1, R2\nI2F.S32 R1, R2\nI2F.F32.S32 R1, R2\nF2I.S32.TRUNC R1, R2\nI2F.F64.U32 R2, R4\nEXIT\n");
    char why[300] = "";
    struct inst *c = p->kernels[0].code;
    ck_assert_msg(same_inst(&c[0], &c[1], "k", 1, why) && same_inst(&c[0], &c[2], "k", 2, why), "%s", why);
    ck_assert_str_eq(mod_value_name(MOD_DTYPE, c[3].mod[MOD_DTYPE]), "");
    ck_assert_str_eq(mod_value_name(MOD_CTYPE, c[4].mod[MOD_CTYPE]), "U32");
    program_free(p);
}
END_TEST

START_TEST(forms_with_meaning_of_their_own)
{
    struct program *p =
        assemble(".arch kir\n.global table 16\n  .word 1, 2\n  .zero 8\n"
                 ".kernel \"odd name\"\n .shared tile 1024\n .shared more 64 128\n .equ STEP 12\n .reg %acc = R9\n"
                 " .maxntid 256\n .bank 3 8\n .word 0x3f800000\n .byte 1, 2\n"
                 "loop: IADD3 %lo, %carry, %a, %b, RZ\n"
                 "  IADD3.X %hi, %c, ~%d, RZ, %carry, !PT {stall 4, yield, wr 0, rd 1, wait 0|2, reuse A|C}\n"
                 "  FADD R3, -|R4|, 1.5\n"
                 "  FADD R3, R4, 0x7fc00001\n"
                 "  DADD %wide, %wide, -2.5\n"
                 "  HFMA2 R3, R4.H0_H0, 1, -0.5, R5.H1_H1\n"
                 "  LDS %v, [%t.X4+tile+STEP]\n"
                 "  STS [more], %acc\n"
                 "  @!P0 BRA loop; /* back */\n"
                 "  EXIT\n");
    struct kernel *k = &p->kernels[0];
    ck_assert_str_eq(k->name, "odd name");
    ck_assert_uint_eq(k->shared_bytes, 1024 + 64);
    ck_assert_uint_eq(k->bank[3][5], 2);
    ck_assert_uint_eq(p->globals[0].init[4], 2);
    ck_assert_uint_eq(k->maxntid[0], 256);
    ck_assert_int_eq(k->code[0].opd[1].kind, OPD_PRED);
    ck_assert_uint_eq(k->code[0].opd[1].reg, k->code[1].opd[6].reg);
    ck_assert_uint_eq(k->code[1].sched.wait, 5);
    ck_assert_uint_eq(k->code[1].sched.reuse, 5);
    ck_assert(k->code[1].sched.yield);
    ck_assert(k->code[1].opd[4].flags & OPF_NOT);
    ck_assert_uint_eq(k->code[2].opd[1].flags, OPF_NEG | OPF_ABS);
    ck_assert_int_eq(k->code[2].opd[2].imm, 0x3fc00000);
    ck_assert_int_eq(k->code[3].opd[2].imm, 0x7fc00001);
    ck_assert_int_eq(k->code[4].opd[2].imm, 0xc0040000);
    ck_assert_int_eq(k->code[5].opd[2].imm, 0x3c00b800);
    ck_assert_int_eq(k->code[6].opd[1].imm, 12);
    ck_assert_uint_eq(k->code[6].opd[1].sel, 1);
    ck_assert_int_eq(k->code[7].opd[0].imm, 1024);
    ck_assert_uint_eq(k->code[7].opd[1].reg, 9);
    ck_assert_int_eq(k->code[8].opd[2].imm, 0);
    round_trip(p);
    program_free(p);
}
END_TEST

static const struct {
    const char *text, *place, *says;
} wrong[] = {
    {"S2R %t, SR_TIDX\nEXIT", "t.kir:3:9:", "did you mean SR_TID"},
    {"FAD R1, R2, R3\nEXIT", "t.kir:3:1:", "did you mean FADD?"},
    {"FADD.FZ R1, R2, R3\nEXIT", "t.kir:3:1:", "FADD has no modifier .FZ"},
    {"FADD R1 R2, R3\nEXIT", "t.kir:3:9:", "a comma is expected"},
    {"FADD R1, R2\nEXIT", "t.kir:3:12:", "an operand is missing"},
    {"FADD R1, R2, R3, R4\nEXIT", "t.kir:3:16:", "more operands"},
    {"done:\nBRA dnoe\nEXIT", "t.kir:4:5:", "did you mean done?"},
    {"a:\na:\nEXIT", "t.kir:4:1:", "set twice"},
    {"MOV R1, c[m]\nEXIT", "t.kir:3:11:", "no parameter m"},
    {"MOV R1, 0x444444444\nEXIT", "t.kir:3:9:", "does not fit"},
    {".parm n 4\nEXIT", "t.kir:3:1:", "did you mean .param?"},
    {"NOP", "t.kir:3:1:", "run past the end"},
    {"@P0 EXIT", "t.kir:3:5:", "run past the end"},
    {"LDG.E.64 R3, [R4.64]\nEXIT", "t.kir:3:", ""},
    {"LDG.E.64 R3, [R4]\nEXIT", "t.kir:3:1:", "even number"},
    {"LDG.E.128 R6, [R4]\nEXIT", "t.kir:3:1:", "multiple of 4"},
    {".regs 4\nMOV R5, R6\nEXIT", "t.kir:4:1:", "the kernel has 4 registers"},
    {"BSYNC B0\nEXIT", "t.kir:3:1:", "no BSSY"},
    {"BAR.SYNC 16\nEXIT", "t.kir:3:10:", "does not fit"},
    {"BRA 0x5000\nEXIT", "t.kir:3:1:", "outside the kernel"},
    {"BRA 0x8\nEXIT", "t.kir:3:1:", "between two instructions"},
    {"MOV R1, R2 {stal 4}\nEXIT", "t.kir:3:13:", "did you mean stall?"},
    {"MOV %a, 1\nISETP.LT.AND %a, PT, R1, R2, PT\nEXIT", "t.kir:4:14:", "%a is a register"},
    {"MOV R255, R1\nEXIT", "t.kir:3:5:", "a register"},
    {"MOV R1, R2 R3\nEXIT", "t.kir:3:12:", "more operands"},
    {".bank 3 4\n.word 1, 2\nEXIT", "t.kir:4:1:", "more data"},
    {"EXIT\n.kernel k\nEXIT", "t.kir:4:9:", "two kernels"},
    {"/* never ends\nEXIT", "t.kir:3:1:", "does not end"},
    {"", "t.kir: kernel k:", "no instructions"},
};

START_TEST(mistakes_are_named_with_their_place)
{
    char *text = xasprintf(".arch kir\n.kernel k\n%s\n", wrong[_i].text);
    struct error err = {0};
    ck_assert_msg(kir_assemble("t.kir", text, &err) == NULL, "accepted: %s", wrong[_i].text);
    ck_assert_int_eq(err.status, EXIT_BAD_INPUT);
    ck_assert_msg(strncmp(err.text, wrong[_i].place, strlen(wrong[_i].place)) == 0, "%s", err.text);
    ck_assert_msg(strstr(err.text, wrong[_i].says) != NULL, "%s", err.text);
    free(text);
}
END_TEST

START_TEST(random_damage_gives_an_error_or_a_program)
{
    uint32_t seed = 7;
    for (int i = 0; i < 3000; i++) {
        char text[sizeof vecadd];
        memcpy(text, vecadd, sizeof text);
        for (int b = 0; b < 3; b++) {
            seed = hash32(seed + 1);
            text[seed % (sizeof text - 1)] = (char)("\n .,[]{}@!%R0x9P\"+-|~:;c/*#"[(seed >> 16) % 28]);
        }
        struct error err = {0};
        struct program *p = kir_assemble("t.kir", text, &err);
        ck_assert(p != NULL || err.text[0]);
        program_free(p);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("kir");
    TCase *t = tcase_create("kir");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, every_cubin_survives_being_lifted);
    tcase_add_test(t, hand_written_text);
    tcase_add_test(t, the_usual_type_may_be_written);
    tcase_add_test(t, forms_with_meaning_of_their_own);
    tcase_add_loop_test(t, mistakes_are_named_with_their_place, 0, (int)ARRAY_LEN(wrong));
    tcase_add_test(t, random_damage_gives_an_error_or_a_program);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
