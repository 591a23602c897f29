/* Words taken from listings of NVIDIA's disassembler: text, round trip, and refusal of what is not known. */
#include "isa/isa.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    uint32_t address;
    uint64_t lo, hi;
    const char *text;
} sm90[] = {
    {0x950, 0x03e19c0498187df0, 0x000fe6000b802b18,
     "HGMMA.SP.64x256x16.F32.TF32 R24, -R152, gdesc[UR4], R24, UP0, R156, 0x1, gsb0"},
    {0x940, 0xebe19800041879f0, 0x000fe6000b801a18,
     "HGMMA.SP.64x256x32.F32.BF16 R24, gdesc[UR4].negB.tnspA.tnspB, R24, UP0, R152, 0x1, gsb0"},
    {0x160, 0x08011a00041879f0, 0x000fe6000b800218, "HGMMA.SP.64x8x32.F16 R24, gdesc[UR4], R24, UP0, R26, 0x1, gsb0"},
    {0x950, 0x06809c0498187df1, 0x000fe6000b840218,
     "IGMMA.SP.64x256x64.U8.S8 R24, R152, gdesc[UR4], R24, UP0, R156, gsb0"},
    {0x180, 0x00201c00041879f1, 0x000fe6000b841a18, "IGMMA.SP.64x8x64.S8.S8.SAT R24, gdesc[UR4], R24, UP0, R28, gsb0"},
    {0x2d0, 0x8560340430187df3, 0x000fe6000b801218,
     "QGMMA.SP.64x96x64.F16.E5M2.E4M3 R24, R48, gdesc[UR4].negB, R24, UP0, R52, gsb0"},
    {0x940, 0x87e09800041879f3, 0x000fe6000b802a18,
     "QGMMA.SP.64x256x64.F32.E4M3.E5M2 R24, gdesc[UR4].negB, R24, UP0, R152, gsb0"},
    {0x2480, 0x0001cc707834723c, 0x240ff00000045a34, "HMMA.SP.16832.F32.BF16 R52, R120.reuse, R112, R52, R204, 0x1"},
    {0x560, 0x00000016ff07723e, 0x080fe400030004ff, "F2FP.F16.E5M2.UNPACK_B R7, R22.reuse.H1"},
    {0x110, 0x0001000c06087237, 0x004fde0000441d08, "IMMA.SP.16832.S8.U8.SAT R8, R6.ROW, R12.COL, R8, R0, 0x1"},
    {0x140, 0x0000000504087239, 0x000fe40000006606, "I2IP.U4.S32.SAT R8, R4, R5, R6.24"},
    {0x140, 0x0000000504087239, 0x000fe40000007606, "I2IP.S4.S32.SAT R8, R4, R5, R6.24"},
    {0x140, 0x0000000504087239, 0x000fe40000004706, "I2IP.U2.S32.SAT R8, R4, R5, R6.28"},
    {0x140, 0x0000000504087239, 0x000fe40000005706, "I2IP.S2.S32.SAT R8, R4, R5, R6.28"},
    {0x100, 0x30000004040a7231, 0x000fe20003a59805, "HFMA2.BF16_V2.OOB.RELU R10, R4.H0_H0, R4.H1_H1, R5.H0_H0"},
    {0x140, 0x0000000504087231, 0x000fc60000011006, "HFMA2.OOB R8, R4, R5, R6"},
    {0x3a0, 0x0000080a0409738b, 0x002ea800001ee10b, "ATOM.E.CAS.STRONG.GPU PT, R9, [R4+0x8], R10, R11"},
    {0x6d0, 0x0000000c04ff09a8, 0x000f68000b1ee1c8, "@P0 ATOMG.E.OR.STRONG.GPU PT, RZ, desc[UR8][R4.64], R12"},
    {0x380, 0x000008041706738d, 0x000e240001800406, "ATOMS.CAST.SPIN.64 R6, [R23+0x8], R4, R6"},
    {0x4a0, 0x0000000000ff731c, 0x000ea20000024000, "B2R.RESULT RZ, P1"},
    {0x490, 0x0000000000007b1d, 0x000fec0000814800, "BAR.RED.OR.DEFER_BLOCKING 0x0, P1"},
    {0x110, 0x0000000006127355, 0x001e2a0000100000, "BMOV.32.CLEAR R18, B6"},
    {0x310, 0x000000040000795c, 0x001fe20000300000, "BPT.TRAP 0x1"},
    {0x2f0, 0xfffffffc00fc7947, 0x000fc0000383ffff, "BRA 0x2f0"},
    {0xb70, 0x0000000000018942, 0x000fea0003800000, "@!P0 BREAK B1"},
    {0x290, 0x0000000000087301, 0x000e220000000000, "BREV R8, R0"},
    {0x100, 0xfffffffc08bc7949, 0x000fea000383ffff, "BRX R8 -0x110"},
    {0x860, 0x000004f000007945, 0x000fe20003800000, "BSSY B0, 0xd60"},
    {0xbc0, 0x0000000000007941, 0x000fea0003800000, "BSYNC B0"},
    {0x1c0, 0xfffffffc00b87944, 0x000fea0003c3ffff, "CALL.REL.NOINC 0xb0"},
    {0xb50, 0x00000000ff00798f, 0x000fe40002000000, "CCTL.IVALL"},
    {0x110, 0x00000000000075ab, 0x000fec0000000000, "CGAERRBAR"},
    {0x10d0, 0x00000000001c7805, 0x000fc4000001ff00, "CS2R R28, SRZ"},
    {0x1040, 0x0000000018187229, 0x000fca0000000018, "DADD R24, R24, R24"},
    {0x2e10, 0x000080000000791a, 0x000fc80000000000, "DEPBAR.LE SB0, 0x0"},
    {0x160, 0x3ff000000208742b, 0x001fd00000000106, "DFMA R8, -R2, R6, 1"},
    {0xff0, 0x0000000e0e0c7228, 0x000fe40000000000, "DMUL R12, R14, R14"},
    {0x1730, 0x3ff000001000742a, 0x000fe20003c6f000, "DSETP.MAX.AND P3, P4, R16, 1, PT"},
    {0x430, 0x00000000000009ab, 0x000fc00000000000, "@P0 ERRBAR"},
    {0xd70, 0x000000000000094d, 0x001fea0003800000, "@P0 EXIT"},
    {0x8a0, 0x0000000a000a7310, 0x000e240000301000, "F2F.F32.F64 R10, R10"},
    {0x30b0, 0x000000124112723e, 0x000fe400000000ff, "F2FP.F16.F32.PACK_AB R18, R65, R18"},
    {0xc0, 0x3d3727130202783e, 0x000fe200000010ff, "F2FP.BF16.F32.PACK_AB R2, R2, 0.044714998453855514526"},
    {0x16e0, 0x00000010000c7311, 0x000fe2000030d900, "F2I.S64.F64.TRUNC R12, R16"},
    {0x2600, 0x0000001a211a7221, 0x004fc60000000000, "FADD R26, R33, R26"},
    {0x170, 0x0000000300007302, 0x000e620000000000, "FCHK P0, R0, R3"},
    {0x9f0, 0x00000000000073c6, 0x002e620000000000, "FENCE.VIEW.ASYNC.S"},
    {0x370, 0xc000000009187823, 0x004fe2000000001a, "FFMA R24, R9, -2, R26"},
    {0x400, 0x0000000600077d00, 0x000e6200080e0000, "FLO.U32 R7, UR6"},
    {0xe00, 0x0000001510157209, 0x000fe20007800000, "FMNMX R21, R16, R21, !PT"},
    {0x1c60, 0x0000001b44447220, 0x080fe20000400000, "FMUL R68, R68, R27.reuse"},
    {0x2650, 0x0000000a00027307, 0x000e620000201000, "FRND R2, R10"},
    {0x2ce0, 0x0000005702577208, 0x000fe20000800000, "FSEL R87, R2, R87, P1"},
    {0x1cd0, 0x000000030016720a, 0x004fe4000380d000, "FSET.BF.NEU.AND R22, R0, R3, PT"},
    {0x500, 0xc2fc00001200780b, 0x000fe40003f4e000, "FSETP.GEU.AND P2, PT, R18, -126, PT"},
    {0x130, 0x20000006ff157230, 0x000fe20000004100, "HADD2.F32 R21, -RZ, R6.H0_H0"},
    {0xbf0, 0x3c0885e4ff157435, 0x000fe200000001ff, "HFMA2.MMA R21, -RZ, RZ, 1.0078125, -8.98838043212890625e-05"},
    {0xdb0, 0x00e00000181879f0, 0x000fe60008000818, "HGMMA.64x64x16.F32 R24, gdesc[UR24], R24, gsb0"},
    {0x620, 0x0000000607187240, 0x000fe20007800000, "HMNMX2 R24, R7, R6, !PT"},
    {0x530, 0x0000000607197232, 0x000fe20000000000, "HMUL2 R25, R7, R6"},
    {0x3b0, 0x0000000607167233, 0x000fc40003802000, "HSET2.EQ.AND R22, R7, R6, PT"},
    {0x450, 0x200000ff0e007234, 0x000fc40003f24a00, "HSETP2.GT.AND P1, PT, |R14|.H0_H0, RZ.H0_H0, PT"},
    {0xb20, 0x0000001200107312, 0x000e240000301c00, "I2F.F64.S64 R16, R18"},
    {0x140, 0x0000000000137245, 0x000fe40000201400, "I2FP.F32.S32 R19, R0"},
    {0x170, 0x0000000000157213, 0x010fe20000000000, "IABS R21, R0"},
    {0x730, 0x000000060a0f7810, 0x000fe20007ffe1ff, "IADD3 R15, -R10, 0x6, RZ"},
    {0x1f0, 0x0000001100107226, 0x000fc40000000613, "IDP.4A.S8.S8 R16, R0, R17, R19"},
    {0x80, 0x0000001000067825, 0x001fce00078e0206, "IMAD.WIDE R6, R0, 0x10, R6"},
    {0x750, 0x000000070a00720c, 0x000fda0003f61070, "ISETP.LT.U32.AND P3, PT, R10, R7, PT"},
    {0xa20, 0x0000000806047980, 0x000ea4000c101900, "LD.E R4, desc[UR8][R6.64]"},
    {0x20, 0x00008600ff027b82, 0x000e220000000a00, "LDC.64 R2, c[0x0][0x218]"},
    {0x90, 0x0000080402127981, 0x000f68000c1e1900, "LDG.E R18, desc[UR4][R2.64+0x8]"},
    {0x1000, 0x00000000000079af, 0x000e220000000000, "LDGDEPBAR"},
    {0xf30, 0x1080000020237fae, 0x0005e2000b101c56, "LDGSTS.E.BYPASS.128 [R35+0x10800], desc[UR22][R32.64], P6"},
    {0x3420, 0x00000800010c2983, 0x000ea80000100a00, "@P2 LDL.64 R12, [R1+0x8]"},
    {0x4e0, 0x00000000050fd984, 0x000e680000000800, "@!P5 LDS R15, [R5]"},
    {0x2400, 0x0018000d001c783b, 0x000f620008000200, "LDSM.16.M88.4 R28, [R0+UR13+0x1800]"},
    {0x34d0, 0xc0800000050a7811, 0x000fe200078eb8ff, "LEA R10, R5, 0xc0800000, 0x17"},
    {0x1b40, 0x7ff000000305a812, 0x000fe400078ec0ff, "@!P2 LOP3.LUT R5, R3, 0x7ff00000, RZ, 0xc0, !PT"},
    {0x130, 0x00000000001873a1, 0x000e620000040000, "MATCH.ALL P2, R24, R0"},
    {0xb10, 0x0000000000007992, 0x0003ec0000000000, "MEMBAR.SC.CTA"},
    {0x570, 0x0000000600087c02, 0x000fce0008000f00, "MOV R8, UR6"},
    {0x31d0, 0x0000000400050308, 0x000e240000001400, "@P0 MUFU.RSQ R5, R4"},
    {0x5c0, 0x000000110000735d, 0x000fea0003800000, "NANOSLEEP R17"},
    {0x1d0, 0x0000000000007918, 0x000fc00000000000, "NOP"},
    {0x270, 0x00000020ff127803, 0x000fe20000000000, "P2R R18, PR, RZ, 0x20"},
    {0xc10, 0x000000000000781c, 0x000fe40003faf018, "PLOP3.LUT P5, PT, PT, PT, UP1, 0x80, 0x0"},
    {0x850, 0x00000000000d7309, 0x000ff00000000000, "POPC R13, R0"},
    {0xbc0, 0x0000541017077816, 0x000fca000000000a, "PRMT R7, R23, 0x5410, R10"},
    {0x170, 0x0000000004ff73aa, 0x000f220000000100, "QSPC.E.G P0, RZ, [R4]"},
    {0x7f0, 0x0000000300007804, 0x000fe20000000000, "R2P PR, R0, 0x3"},
    {0x3230, 0x00000000040472ca, 0x002fe200000e0000, "R2UR UR4, R4"},
    {0xe0, 0x00000000000973c4, 0x008e220000014200, "REDUX.MAX.S32 UR9, R0"},
    {0x3900, 0xffffffc404bc7950, 0x001fea0003c3ffff, "RET.REL.NODEC R4 0x0"},
    {0xf0, 0x00000000000d7919, 0x000e220000000000, "S2R R13, SR_LANEID"},
    {0x20, 0x00000000000479c3, 0x000e300000002500, "S2UR UR4, SR_CTAID.X"},
    {0x1a70, 0x00000010ff177807, 0x000fe40003000000, "SEL R23, RZ, 0x10, P6"},
    {0xc0, 0x000000041111781a, 0x000fe40000000000, "SGXT.U32 R17, R17, 0x4"},
    {0x1a50, 0x0000001fff1b7819, 0x000fc80000011408, "SHF.R.S32.HI R27, RZ, 0x1f, R8"},
    {0x760, 0x00001f0719177589, 0x00006400000e0000, "SHFL.IDX PT, R23, R25, R7, 0x1f"},
    {0x110, 0x0000000704007985, 0x000fec000c101904, "ST.E desc[UR4][R4.64], R7"},
    {0xc10, 0x0000100b04008986, 0x0007e2000c101904, "@!P0 STG.E desc[UR4][R4.64+0x10], R11"},
    {0x3330, 0x0000000800007387, 0x0001e40000100a00, "STL.64 [R0], R8"},
    {0x2130, 0x0000004807007988, 0x000fe20008000c0d, "STS.128 [R7+UR13], R72"},
    {0x60, 0x00000005000872bd, 0x000fe200080e0000, "UFLO.U32 UR8, UR5"},
    {0x380, 0x0000003f0f137290, 0x000fe4000fffe13f, "UIADD3 UR19, -UR15, URZ, URZ"},
    {0xc0, 0x0000000c0b0a72a4, 0x000fe2000f8e023f, "UIMAD UR10, UR11, UR12, URZ"},
    {0x3c0, 0x000000130a00728c, 0x000fc4000bf05270, "UISETP.NE.AND UP0, UPT, UR10, UR19, UPT"},
    {0x990, 0x00008e0000047ab9, 0x000fe40000000800, "ULDC UR4, c[0x0][0x238]"},
    {0x2a0, 0x0000000d040d7291, 0x010fe2000f8ec03f, "ULEA UR13, UR4, UR13, 0x18"},
    {0x1610, 0x0000020008087892, 0x000fe4000f8ec03f, "ULOP3.LUT UR8, UR8, 0x200, URZ, 0xc0, !UPT"},
    {0x220, 0x0000040000047882, 0x000fe20000000000, "UMOV UR4, 0x400"},
    {0xa80, 0x00000004000472bf, 0x000fc80008000000, "UPOPC UR4, UR4"},
    {0x1600, 0x0000003f10107287, 0x000fe4000c000000, "USEL UR16, UR16, URZ, !UP0"},
    {0xd90, 0x0000000e0a0a789a, 0x000fe20008000000, "USGXT.U32 UR10, UR10, 0xe"},
    {0x1720, 0x0000000309057899, 0x000fe2000800063f, "USHF.L.U32 UR5, UR9, 0x3, URZ"},
    {0x480, 0x0000001100067214, 0x080fe400000e0213, "VABSDIFF R6, R0, R17.reuse, R19"},
    {0x4d0, 0x0000001100077215, 0x000fe200000e00ff, "VABSDIFF4.U8 R7, R0, R17, RZ"},
    {0x1a20, 0x000000805d167836, 0x002fc60000000000, "VIADD R22, R93, 0x80"},
    {0x6f0, 0x0000000011167246, 0x000fe20003801113, "VIADDMNMX.RELU R22, R17, R0, R19, PT"},
    {0x660, 0x0000001100037248, 0x0c4fe20003fe0200, "VIMNMX.U16x2 R3, R0.reuse, R17.reuse, PT"},
    {0x1c0, 0x0000000000ff7806, 0x000fe20000000000, "VOTE.ALL P0, P0"},
    {0x3e0, 0x0000000000067886, 0x000fe200038e0100, "VOTEU.ANY UR6, UPT, PT"},
    {0xcf0, 0x00000000000079c5, 0x000fc60000000000, "WARPGROUP.ARRIVE"},
    {0x950, 0x0000000009007348, 0x000fea0003800000, "WARPSYNC R9"},
    {0x4d0, 0x0000000000007946, 0x000fea0003800000, "YIELD"},
};

START_TEST(listing_and_round_trip)
{
    uint64_t w[2] = {sm90[_i].lo, sm90[_i].hi}, back[2];
    struct error err = {0};
    struct inst in;
    struct sb text = {0};
    ck_assert_msg(inst_decode(ARCH_SM90, w, sm90[_i].address, &in, &err), "%s", err.text);
    inst_print(ARCH_SM90, &in, &text);
    ck_assert_str_eq(text.text, sm90[_i].text);
    ck_assert_msg(inst_encode(ARCH_SM90, &in, sm90[_i].address, back, &err), "%s", err.text);
    ck_assert_uint_eq(back[0], w[0]);
    ck_assert_uint_eq(back[1], w[1]);
    in.form = 0xffff; /* as if from text: the row is searched */
    ck_assert_msg(inst_encode(ARCH_SM90, &in, sm90[_i].address, back, &err), "%s", err.text);
    ck_assert_uint_eq(back[0], w[0]);
    ck_assert_uint_eq(back[1], w[1]);
    sb_finish(&text);
}
END_TEST

START_TEST(fields_of_one_word)
{
    /* @!P0 LDG.E.128 R4, desc[UR4][R2.64+0x800] */
    uint64_t w[2] = {0x0008000402048981, 0x0002e2000c1e1d00};
    struct error err = {0};
    struct inst in;
    ck_assert(inst_decode(ARCH_SM90, w, 0, &in, &err));
    ck_assert_int_eq(in.op, OP_LDG);
    ck_assert_int_eq(in.guard, 0);
    ck_assert(in.guard_not && !in.guard_uniform);
    ck_assert_int_eq(in.opd[0].kind, OPD_NONE); /* the predicate that is PT */
    ck_assert_int_eq(in.opd[1].reg, 4);
    ck_assert_int_eq(in.opd[2].kind, OPD_MEM);
    ck_assert_int_eq(in.opd[2].reg, 2);
    ck_assert_int_eq(in.opd[2].desc, 4);
    ck_assert_int_eq(in.opd[2].flags, OPF_HAS_REG | OPF_HAS_DESC | OPF_64);
    ck_assert_int_eq((int)in.opd[2].imm, 0x800);
    ck_assert_str_eq(mod_value_name(MOD_SIZE, in.mod[MOD_SIZE]), "128");
    ck_assert(in.sched.present && in.sched.wr_sb == 3 && in.sched.rd_sb == 1 && in.sched.wait == 0);
    ck_assert_int_eq(in.sched.stall, 1);
}
END_TEST

START_TEST(unknown_is_refused)
{
    static const uint64_t bad[][2] = {
        {0, 0},                                   /* no opcode */
        {0x000000ff00067202, 0x000fe40000000f01}, /* MOV with a stray bit */
        {0x0000000607197232, 0x800fe20000000000}, /* bit 127 */
        {0x0000000000077305, 0x000e24000000f100}, /* F2I from no type */
    };
    struct error err = {0};
    struct inst in;
    ck_assert(!inst_decode(ARCH_SM90, bad[_i], 0x40, &in, &err));
    ck_assert_int_eq(err.status, EXIT_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "at 0x40"));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("decode");
    TCase *t = tcase_create("sm_90");
    tcase_add_loop_test(t, listing_and_round_trip, 0, (int)ARRAY_LEN(sm90));
    tcase_add_test(t, fields_of_one_word);
    tcase_add_loop_test(t, unknown_is_refused, 0, 4);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
