/* The kernel around the words of trials: conservative scheduling everywhere, since only values are asked for. */
#include "isa/encoding.h"
#include "tests/trials/trials.h"

#include <stdlib.h>
#include <string.h>

/* Parameters: inputs, results, marks (the trial that each block has begun), scratch memory; then the constants. */
static const char record_a_lane[] = "S2R R0, SR_TID.X\n S2R R21, SR_CTAID.X\n MOV R22, 0x20\n IMAD R0, R21, R22, R0\n";
static const char record_a_warp[] = "S2R R21, SR_CTAID.X\n MOV R0, R21\n";
static const char prologue[] = "MOV R22, 0x40\n"
                               "IMAD.WIDE.U32 R2, R0, R22, c[0x0][0x210]\n"
                               "IMAD.WIDE.U32 R32, R0, R22, c[0x0][0x218]\n"
                               "MOV R22, 0x4\n"
                               "IMAD.WIDE.U32 R34, R21, R22, c[0x0][0x220]\n"
                               "S2R R40, SR_TID.X\n MOV R22, 0x20\n IMAD R40, R21, R22, R40\n MOV R22, 0x40\n"
                               "IMAD.WIDE.U32 R36, R40, R22, c[0x0][0x228]\n"
                               "IMAD.SHL.U32 R40, R40, 0x40, RZ\n"
                               "S2R R38, SR_TID.X\n MOV R22, 0x10\n MOV R23, 0x400\n IMAD R38, R38, R22, R23\n"
                               "IADD3 R44, R38, RZ, RZ\n SHF.R.U32.HI R44, RZ, 0x2, R38\n SHF.R.U32.HI R45, RZ, 0x3, "
                               "R38\n SHF.R.U32.HI R46, RZ, 0x4, R38\n"
                               "UMOV UR28, 0x0\n UMOV UR29, 0x0\n"
                               "LDC R39, c[0x0][0x28]\n IADD3 R39, R39, -0x40, RZ\n"
                               "ULDC.64 UR22, c[0x0][0x208]\n"
                               "ULDC.64 UR24, c[0x0][0x228]\n";
static const char begin[] = "MOV R41, 0x0\n STG.E desc[UR22][R34.64], R41\n MEMBAR.SC.SYS\n"
                            "LDG.E.128 R4, desc[UR22][R2.64]\n LDG.E.128 R8, desc[UR22][R2.64+0x10]\n"
                            "LDG.E.128 R12, desc[UR22][R2.64+0x20]\n LDG.E.128 R16, desc[UR22][R2.64+0x30]\n"
                            "R2P PR, R19, 0x7f\n";
static const char uniform_in[] =
    "R2UR UR4, R4\n R2UR UR5, R5\n R2UR UR6, R6\n R2UR UR7, R7\n R2UR UR8, R8\n R2UR UR9, R9\n R2UR UR10, R10\n R2UR "
    "UR11, R11\n"
    "R2UR UR12, R12\n R2UR UR13, R13\n R2UR UR14, R14\n R2UR UR15, R15\n R2UR UR16, R16\n R2UR UR17, R17\n R2UR UR18, "
    "R18\n"
    "R2UR UR19, R19\n"
    "ULOP3.LUT UR26, UR19, 0x1, URZ, 0xc0, !UPT\n UISETP.NE.AND UP0, UPT, UR26, URZ, UPT\n"
    "ULOP3.LUT UR26, UR19, 0x2, URZ, 0xc0, !UPT\n UISETP.NE.AND UP1, UPT, UR26, URZ, UPT\n"
    "ULOP3.LUT UR26, UR19, 0x4, URZ, 0xc0, !UPT\n UISETP.NE.AND UP2, UPT, UR26, URZ, UPT\n"
    "ULOP3.LUT UR26, UR19, 0x8, URZ, 0xc0, !UPT\n UISETP.NE.AND UP3, UPT, UR26, URZ, UPT\n"
    "ULOP3.LUT UR26, UR19, 0x10, URZ, 0xc0, !UPT\n UISETP.NE.AND UP4, UPT, UR26, URZ, UPT\n"
    "ULOP3.LUT UR26, UR19, 0x20, URZ, 0xc0, !UPT\n UISETP.NE.AND UP5, UPT, UR26, URZ, UPT\n"
    "ULOP3.LUT UR26, UR19, 0x40, URZ, 0xc0, !UPT\n UISETP.NE.AND UP6, UPT, UR26, URZ, UPT\n";
static const char uniform_out[] =
    "MOV R16, UR16\n MOV R17, UR17\n MOV R18, UR18\n MOV R19, UR19\n"
    "USEL UR26, URZ, 0x1, !UP0\n"
    "USEL UR27, URZ, 0x2, !UP1\n UIADD3 UR26, UR26, UR27, URZ\n USEL UR27, URZ, 0x4, !UP2\n UIADD3 UR26, UR26, UR27, "
    "URZ\n"
    "USEL UR27, URZ, 0x8, !UP3\n UIADD3 UR26, UR26, UR27, URZ\n USEL UR27, URZ, 0x10, !UP4\n UIADD3 UR26, UR26, UR27, "
    "URZ\n"
    "USEL UR27, URZ, 0x20, !UP5\n UIADD3 UR26, UR26, UR27, URZ\n USEL UR27, URZ, 0x40, !UP6\n UIADD3 UR26, UR26, UR27, "
    "URZ\n"
    "MOV R21, UR26\n IMAD.SHL.U32 R21, R21, 0x80, RZ\n LOP3.LUT R20, R20, R21, RZ, 0xfc, !PT\n";
static const char branch[] = "BSSY B0, past\n @!P3 BRA past\npast:\n BSYNC B0\n";
static const char settle[] = "NOP\n NOP\n NOP\n NOP\n";
static const char finish[] = "EXIT\n";
static const char end[] = "P2R R20, PR, RZ, 0x7f\n";
static const char store[] = "STG.E.128 desc[UR22][R32.64], R16\n STG.E desc[UR22][R32.64+0x10], R20\n";
static const char store_memory[] = "STG.E.128 desc[UR22][R32.64+0x20], R24\n";
/* To memory that no cache has seen. */
#define ADVANCE                                                                                                        \
    "IADD3 R40, R40, 0x10000, RZ\n IADD3 R36, P0, R36, 0x10000, RZ\n IADD3.X R37, R37, RZ, RZ, P0, !PT\n R2P PR, "     \
    "R19, 0x7f\n"
static const char preset[TS_COUNT][400] = {
    [TS_GLOBAL] = ADVANCE "STG.E.128 desc[UR22][R36.64], R4\n MEMBAR.SC.GPU\n",
    [TS_SHARED] = "STS.128 [R38], R4\n WARPSYNC.ALL\n",
    [TS_LOCAL] = "STL.128 [R39], R4\n",
    [TS_GENERIC_GLOBAL] = ADVANCE "STG.E.128 desc[UR22][R36.64], R4\n MEMBAR.SC.GPU\n MOV R42, R36\n MOV R43, R37\n",
    [TS_GENERIC_SHARED] = "STS.128 [R38], R4\n IADD3 R42, P0, R38, c[0x0][0x18], RZ\n IADD3.X R43, RZ, c[0x0][0x1c], "
                          "RZ, P0, !PT\n R2P PR, R19, 0x7f\n",
    [TS_GENERIC_LOCAL] = "STL.128 [R39], R4\n IADD3 R42, P0, R39, c[0x0][0x20], RZ\n IADD3.X R43, RZ, c[0x0][0x24], "
                         "RZ, P0, !PT\n R2P PR, R19, 0x7f\n",
};
static const char reread[TS_COUNT][100] = {
    [TS_GLOBAL] = "MEMBAR.SC.GPU\n LDG.E.128.STRONG.GPU R24, desc[UR22][R36.64]\n",
    [TS_SHARED] = "WARPSYNC.ALL\n LDS.128 R24, [R38]\n",
    [TS_LOCAL] = "LDL.128 R24, [R39]\n",
    [TS_GENERIC_GLOBAL] = "MEMBAR.SC.GPU\n LDG.E.128.STRONG.GPU R24, desc[UR22][R36.64]\n",
    [TS_GENERIC_SHARED] = "LDS.128 R24, [R38]\n",
    [TS_GENERIC_LOCAL] = "LDL.128 R24, [R39]\n",
};

/* A NOP stands for the word. R48 is 0, or 0x20 in lanes without P3: where to go on. */
#define PADS " MOV R16, 0x1\n BRA done\n MOV R16, 0x2\ndone:\n BSYNC B1\n"
static const char *const sequences[SEQ_COUNT] = {
    [SEQ_BRX] = "SEL R48, RZ, 0x20, P3\n MOV R49, RZ\n BSSY B1, done\n NOP\n" PADS,
    [SEQ_BRXU] = "SEL R48, RZ, 0x20, P3\n R2UR UR30, R48\n R2UR UR31, RZ\n BSSY B1, done\n NOP\n" PADS,
    [SEQ_JMX] = "SEL R50, RZ, 0x20, P3\n LEPC R48, pad\n IADD3 R48, R48, R50, RZ\n BSSY B1, done\n NOP\npad:\n" PADS,
    [SEQ_LEPC] = "LEPC R48\n NOP\n IADD3 R16, R16, -R48, RZ\n MOV R17, RZ\n",
    [SEQ_BMOV_READ] = "BSSY B1, done\n NOP\ndone:\n BSYNC B1\n",
    [SEQ_BMOV_WRITE] = "BSSY B1, done\n BMOV.32 R48, B1\n NOP\n BMOV.32 R16, B1\ndone:\n BSYNC B1\n",
    [SEQ_RPC_READ] = "RPCMOV.32 0x0, R8\n RPCMOV.32 0x1, R9\n NOP\n",
    [SEQ_RPC_WRITE] = "RPCMOV.32 0x0, R4\n RPCMOV.32 0x1, R5\n NOP\n RPCMOV.32 R16, 0x0\n RPCMOV.32 R17, 0x1\n",
    [SEQ_BAR] = "NOP\n NOP\n B2R.RESULT R16\n",
    [SEQ_B2R] = "BAR.RED.POPC.DEFER_BLOCKING 0x0, P0\n NOP\n",
    [SEQ_ARRIVE] = "NOP\n UCGABAR_WAIT\n",
    [SEQ_WAIT] = "UCGABAR_ARV\n NOP\n",
    [SEQ_WARPSYNC] = "VOTE.ANY R48, PT, PT\n NOP\n",
};

/* Instructions that answer later, through a dependence counter (those of the compilers' code that use one). */
static bool answers_later(const struct inst *in)
{
    switch (in->op) {
    case OP_R2UR:
    case OP_CS2R:
        return false;
    case OP_DMMA:
        return true;
    default:
        break;
    }
    switch (op_table[in->op].effect) {
    case EFF_VARIABLE:
    case EFF_LOAD:
    case EFF_ATOMIC:
        return true;
    case EFF_CONST:
        return in->op == OP_LDC;
    default:
        return in->op == OP_BMOV && in->opd[0].kind == OPD_REG;
    }
}
static bool reads_later(const struct inst *in)
{
    switch (op_table[in->op].effect) {
    case EFF_STORE:
    case EFF_REDUCE:
        return true;
    default:
        return false;
    }
}

static void calm(struct inst *in)
{
    in->sched =
        (struct sched){.present = true, .stall = 15, .yield = true, .wr_sb = SB_NONE, .rd_sb = SB_NONE, .wait = 0x3f};
    if (in->op == OP_DEPBAR || in->op == OP_WARPGROUP_DEPBAR)
        in->sched.wait = 0;
    if (answers_later(in))
        in->sched.wr_sb = 0;
    else if (reads_later(in))
        in->sched.rd_sb = 1;
}

static void word_schedule(uint64_t w[2], const struct sched *s)
{
    word_put(w, 105, 4, s->stall);
    word_put(w, 109, 1, !s->yield);
    word_put(w, 110, 3, s->wr_sb);
    word_put(w, 113, 3, s->rd_sb);
    word_put(w, 116, 6, s->wait);
    word_put(w, 122, 3, 0);
}

struct maker {
    uint64_t (*code)[2];
    uint32_t n;
    struct error *err;
    bool ok;
};
static void put(struct maker *m, struct inst in)
{
    if (m->n >= KERNEL_INSTS)
        m->ok = error_set(m->err, EXIT_FAILED, "a kernel of trials is too long");
    if (!m->ok)
        return;
    calm(&in);
    in.form = 0xffff;
    m->ok = inst_encode(ARCH_SM90, &in, m->n * INST_BYTES, m->code[m->n], m->err);
    m->n++;
}

static void put_raw(struct maker *m, const uint64_t w[2])
{
    if (m->n < KERNEL_INSTS)
        memcpy(m->code[m->n++], w, INST_BYTES);
    else
        m->ok = error_set(m->err, EXIT_FAILED, "a kernel of trials is too long");
}

/* The pieces, assembled once. */
struct piece {
    const char *text;
    struct program *p;
};
static const struct kernel *assembled(const char *text)
{
    static struct piece pieces[64];
    for (size_t i = 0; i < ARRAY_LEN(pieces); i++) {
        if (pieces[i].text == text)
            return pieces[i].p->kernels;
        if (pieces[i].text)
            continue;
        struct error err = {0};
        char *all = xasprintf(".arch sm_90\n.kernel piece\n.regs 64\n%s EXIT\n", text);
        pieces[i] = (struct piece){text, kir_assemble("trials", all, &err)};
        if (!pieces[i].p)
            fprintf(stderr, "%s\n", err.text);
        must(pieces[i].p);
        free(all);
        return pieces[i].p->kernels;
    }
    must(!"pieces of trial kernels");
    return NULL;
}
/* offset is added to the addresses of accesses to inputs and results. */
static void put_part(struct maker *m, const char *text, uint32_t from, uint32_t to, int64_t offset)
{
    const struct kernel *k = assembled(text);
    for (uint32_t i = from; i < to && i + 1 < k->n; i++) {
        struct inst in = k->code[i];
        for (unsigned s = 0; s < NOPERAND; s++)
            if (in.opd[s].kind == OPD_MEM && (in.opd[s].reg == TR_IN || in.opd[s].reg == TR_OUT))
                in.opd[s].imm += offset;
        put(m, in);
    }
}

static void put_piece(struct maker *m, const char *text, int64_t offset)
{
    put_part(m, text, 0, UINT32_MAX, offset);
}

void trial_schedule(uint64_t w[2], const struct inst *in)
{
    struct inst copy = *in;
    calm(&copy);
    word_schedule(w, &copy.sched);
}

static void put_sequence(struct maker *m, const struct trial *t)
{
    const struct kernel *k = assembled(sequences[t->space]);
    uint32_t base = m->n, placed = 0;
    for (uint32_t i = 0; i + 1 < k->n; i++) {
        struct inst in = k->code[i];
        if (in.op == OP_NOP && !placed++) {
            put_raw(m, t->word);
            continue;
        }
        for (unsigned s = 0; s < NOPERAND; s++)
            if (in.opd[s].kind == OPD_TARGET)
                in.opd[s].imm += (int64_t)base * INST_BYTES;
        put(m, in);
    }
}

static void put_trial(struct maker *m, const struct trial *t, uint32_t i)
{
    uint32_t records = trial_records(t), at = m->n;
    put_piece(m, begin, ((int64_t)t->family * INPUT_RECORDS + t->start) * INPUT_WORDS * 4);
    if (m->ok) /* the number of the trial, from 1 */
        m->code[at][0] = (m->code[at][0] & 0xffffffffu) | (uint64_t)(i + 1) << 32;
    if (t->flags & TF_UR_IN)
        put_piece(m, uniform_in, 0);
    if (t->flags & TF_MEMORY)
        put_piece(m, preset[t->space], 0);
    uint32_t parts = m->n;
    if (t->flags & TF_BRANCH)
        put_part(m, branch, 0, 2, 0);
    if (t->flags & TF_SEQUENCE)
        put_sequence(m, t);
    else
        put_raw(m, t->word);
    for (uint32_t k = 0; (t->flags & TF_BRANCH) && m->ok && k < 2; k++) {
        struct inst in;
        uint32_t a = (parts + k) * INST_BYTES;
        m->ok = inst_decode(ARCH_SM90, m->code[parts + k], a, &in, m->err);
        in.opd[2].imm = (int64_t)m->n * INST_BYTES; /* both have their target there */
        m->ok = m->ok && inst_encode(ARCH_SM90, &in, a, m->code[parts + k], m->err);
    }
    if (t->flags & TF_BRANCH)
        put_part(m, branch, 2, 3, 0);
    put_piece(m, settle, 0);
    put_piece(m, end, 0);
    if (t->flags & TF_UR_OUT)
        put_piece(m, uniform_out, 0);
    put_piece(m, store, (int64_t)i * records * OUTPUT_WORDS * 4);
    if (t->flags & TF_MEMORY) {
        put_piece(m, reread[t->space], 0);
        put_piece(m, store_memory, (int64_t)i * records * OUTPUT_WORDS * 4);
    }
}

/* At most, in instructions, with what stands around it. */
static uint32_t trial_length(const struct trial *t)
{
    return 20 + (t->flags & TF_UR_IN ? 32 : 0) + (t->flags & TF_UR_OUT ? 22 : 0) + (t->flags & TF_MEMORY ? 12 : 0) +
           (t->flags & TF_SEQUENCE ? 16 : 0);
}
bool trial_joins(const struct trial *const *t, uint32_t n, const struct trial *x, uint32_t *length)
{
    enum { AROUND = 100 }; /* prologue and end */
    uint32_t all = (n ? *length : AROUND) + trial_length(x);
    bool alike = !n || !(((x->flags ^ t[0]->flags) & TF_PER_WARP) | ((x->flags | t[0]->flags) & TF_ALONE));
    if (n == TRIALS_A_KERNEL || all > KERNEL_INSTS || !alike)
        return false;
    *length = all;
    return true;
}

bool trial_kernel(const struct trial *const *t, uint32_t n, uint64_t (*code)[2], uint32_t *ninst, struct error *err)
{
    struct maker m = {.code = code, .err = err, .ok = true};
    put_piece(&m, t[0]->flags & TF_PER_WARP ? record_a_warp : record_a_lane, 0);
    put_piece(&m, prologue, 0);
    for (uint32_t i = 0; m.ok && i < n; i++)
        put_trial(&m, t[i], i);
    put_piece(&m, finish, 0);
    *ninst = m.n;
    return m.ok;
}
