/* Warp instructions a second of a bare loop of warp_issue, for each level of the host. */
#include <time.h>

#include "tests/exec_rig.h"

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static void fill(struct rig *g, enum op op)
{
    g->kernel.n = 0;
    for (uint32_t i = 0; i < 48; i++) {
        struct inst *in = rig_add(g, op);
        uint32_t d = 8 + i % 8;
        switch (op) {
        case OP_IADD3:
            in->opd[0] = rig_r(d);
            in->opd[3] = rig_r(1);
            in->opd[4] = rig_r(2);
            in->opd[5] = rig_r(d);
            break;
        case OP_IMAD:
        case OP_IMAD_WIDE:
            in->opd[0] = rig_r(op == OP_IMAD ? d : 8 + 2 * (i % 8));
            in->opd[2] = rig_r(1);
            in->opd[3] = rig_r(2);
            in->opd[4] = rig_r(24);
            break;
        case OP_LOP3:
            in->opd[1] = rig_r(d);
            in->opd[2] = rig_r(1);
            in->opd[3] = rig_r(2);
            in->opd[4] = rig_r(d);
            in->opd[5] = rig_i(0xb8);
            break;
        case OP_ISETP:
            in->opd[0] = rig_p(i % 6);
            in->opd[2] = rig_r(1);
            in->opd[3] = rig_r(2);
            in->mod[MOD_CMP] = 1;
            break;
        case OP_SEL:
            in->opd[0] = rig_r(d);
            in->opd[1] = rig_r(1);
            in->opd[2] = rig_r(2);
            in->opd[3] = rig_p(1);
            break;
        case OP_LEA:
            in->opd[0] = rig_r(d);
            in->opd[2] = rig_r(1);
            in->opd[3] = rig_r(2);
            in->opd[5] = rig_i(2);
            break;
        case OP_MOV:
        case OP_POPC:
        case OP_I2F:
        case OP_F2I:
        case OP_MUFU:
            in->opd[0] = rig_r(d);
            in->opd[1] = rig_r(1);
            in->mod[MOD_MUFU] = 2;
            break;
        case OP_SHFL:
            in->opd[0] = rig_p(PT);
            in->opd[1] = rig_r(d);
            in->opd[2] = rig_r(1);
            in->opd[3] = rig_i(1);
            in->opd[4] = rig_i(0x1f);
            in->mod[MOD_SHFL] = 3;
            break;
        default:
            in->opd[0] = rig_r(op == OP_DFMA ? 8 + 2 * (i % 8) : d);
            in->opd[1] = rig_r(2);
            in->opd[2] = rig_r(4);
            in->opd[3] = rig_r(6);
            break;
        }
        if (op == OP_FFMA && i % 4 == 0)
            in->opd[2] = rig_i(0x3f800001);
    }
    struct inst *bra = rig_add(g, OP_BRA);
    bra->opd[2] = rig_t(0);
}
int main(void)
{
    static const enum op ops[] = {OP_FFMA, OP_IADD3, OP_IMAD, OP_IMAD_WIDE, OP_LOP3, OP_ISETP, OP_SEL,  OP_LEA,
                                  OP_MOV,  OP_HFMA2, OP_DFMA, OP_POPC,      OP_I2F,  OP_F2I,   OP_MUFU, OP_SHFL};
    static const char *const levels[] = {"base", "v3", "v4"};
    for (size_t k = 0; k < ARRAY_LEN(ops); k++)
        for (uint32_t level = 0; level < EXEC_LEVEL_COUNT; level++)
            for (uint32_t part = 0; part < 2; part++) {
                struct rig *g = rig_new(32);
                fill(g, ops[k]);
                if (!exec_of_level(&g->code[0], level)) {
                    free(g);
                    continue;
                }
                rig_link(g, level);
                for (uint32_t i = 0; i < RIG_REGS * 32; i++)
                    g->reg[i] = i < 64 ? i : 0x3f800000 + i;
                if (part)
                    g->warp.split[0].mask = 0x0fffffff;
                uint64_t n = level == 0 ? 1000000 : 3000000;
                double t = seconds();
                for (uint64_t i = 0; i < n; i++)
                    warp_issue(&g->warp, &g->issue);
                t = seconds() - t;
                printf("%-10s %-5s %-7s %7.1f M/s\n", op_table[ops[k]].id, levels[level], part ? "partial" : "full",
                       1e-6 * (double)n / t);
                free(g);
            }
    return 0;
}
