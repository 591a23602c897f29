/* Of a word that is to be tried: what its operands look like, where its address lies, what must stand around it. */
#include "tests/trials/plan.h"

#include <string.h>

bool word_crosses_lanes(uint16_t op)
{
    switch (op) {
    case OP_SHFL:
    case OP_VOTE:
    case OP_VOTEU:
    case OP_MATCH:
    case OP_REDUX:
    case OP_R2UR:
    case OP_ELECT:
    case OP_MOVM:
    case OP_FSWZADD:
        return true;
    default:
        return false;
    }
}
static const char *type_name(const struct inst *in, enum mod m)
{
    return mod_value_name(m, in->mod[m]);
}

static enum family half_family(const char *name)
{
    return strstr(name, "BF16")  ? FAM_BF16
           : strstr(name, "F16") ? FAM_F16
           : strstr(name, "F64") ? FAM_F64
           : strstr(name, "F32") ? FAM_F32
                                 : FAM_INT;
}
enum family word_family(const struct inst *in)
{
    const char *name = op_table[in->op].text;
    switch (in->op) {
    case OP_SHF:
    case OP_USHF:
    case OP_SGXT:
    case OP_USGXT:
    case OP_BMSK:
    case OP_UBMSK:
        return FAM_SHIFT;
    case OP_SHFL:
    case OP_NANOSLEEP:
        return FAM_LANE;
    case OP_MATCH:
        return FAM_FEW;
    case OP_LDC:
    case OP_ULDC:
        return FAM_INDEX;
    case OP_I2F:
    case OP_I2FP:
    case OP_I2I:
    case OP_I2IP:
        return FAM_INT;
    case OP_F2I:
        return in->mod[MOD_CTYPE] ? half_family(type_name(in, MOD_CTYPE)) : FAM_F32;
    case OP_F2F:
    case OP_F2FP:
        return strstr(type_name(in, MOD_CTYPE), "M") ? FAM_INT
                                                     : half_family(type_name(in, MOD_CTYPE)); /* bytes of E4M3, E5M2 */
    case OP_FRND:
        return in->mod[MOD_DTYPE] ? half_family(type_name(in, MOD_DTYPE)) : FAM_F32;
    case OP_F2IP:
        return FAM_F32;
    case OP_MUFU:
        return in->mod[MOD_MUFUTYPE] ? half_family(type_name(in, MOD_MUFUTYPE)) : FAM_F32;
    case OP_FLO:
        return FAM_INT;
    case OP_ATOMG:
    case OP_ATOM:
    case OP_ATOMS:
    case OP_RED:
        return in->mod[MOD_AOP] == 10 ? FAM_FEW : half_family(type_name(in, MOD_ATYPE));
    case OP_VHMNMX:
        return in->mod[MOD_BF16] == 1 ? FAM_BF16 : FAM_F16;
    default:
        break;
    }
    if (name[0] == 'H')
        return in->mod[MOD_BF16] == 1 ? FAM_BF16 : FAM_F16;
    if (name[0] == 'D' && in->op != OP_DEPBAR)
        return FAM_F64;
    return name[0] == 'F' && strncmp(name, "FLO", 3) ? FAM_F32 : FAM_INT;
}

uint32_t word_access_bytes(const struct inst *in)
{
    static const uint8_t bytes[] = {4, 1, 1, 2, 2, 8, 16, 16};
    switch (in->op) {
    case OP_LDSM:
    case OP_STSM:
    case OP_QSPC:
        return 16;
    case OP_ATOMG:
    case OP_ATOM:
    case OP_ATOMS:
    case OP_RED: {
        struct inst copy = *in;
        inst_link(&copy);
        return copy.opd[in->op == OP_RED ? 1 : 3].width ? 4u * copy.opd[in->op == OP_RED ? 1 : 3].width : 4;
    }
    case OP_CCTL:
    case OP_CCTLL:
        return 16;
    default:
        return bytes[in->mod[MOD_SIZE] & 7];
    }
}

/* The spaces that an opcode's addresses can lie in, as bits. */
uint32_t op_spaces(uint16_t op)
{
    switch (op) {
    case OP_LDG:
    case OP_STG:
    case OP_ATOMG:
    case OP_RED:
    case OP_CCTL:
        return 1u << TS_GLOBAL;
    case OP_LDS:
    case OP_STS:
    case OP_ATOMS:
    case OP_LDSM:
    case OP_STSM:
        return 1u << TS_SHARED;
    case OP_LDL:
    case OP_STL:
    case OP_CCTLL:
        return 1u << TS_LOCAL;
    case OP_LD:
    case OP_ST:
    case OP_QSPC:
        return 1u << TS_GENERIC_GLOBAL | 1u << TS_GENERIC_SHARED | 1u << TS_GENERIC_LOCAL;
    case OP_ATOM:
        return 1u << TS_GENERIC_GLOBAL | 1u << TS_GENERIC_SHARED;
    default:
        return 0;
    }
}

/* The sequence that a row's words stand in; -1: none. */
int row_sequence(const struct enc_row *r)
{
    switch (r->op) {
    case OP_BRX:
        return SEQ_BRX;
    case OP_BRXU:
        return SEQ_BRXU;
    case OP_JMX:
        return SEQ_JMX;
    case OP_RET: /* the relative one's register holds the return address less that of the next instruction */
        return r->item[0].kind == IT_MODSET && r->item[0].sel == 1 ? SEQ_JMX : -1;
    case OP_CALL:
        return r->code == 0x343 ? SEQ_JMX : -1;
    case OP_LEPC:
        return SEQ_LEPC;
    case OP_BMOV:
        return r->code == 0x355 ? SEQ_BMOV_READ : SEQ_BMOV_WRITE;
    case OP_RPCMOV:
        return r->code == 0x352 ? SEQ_RPC_WRITE : SEQ_RPC_READ;
    case OP_BAR:
        return r->code == 0xb1d || r->code == 0x91d ? SEQ_BAR : -1;
    case OP_B2R:
        return SEQ_B2R;
    case OP_UCGABAR_ARV:
        return SEQ_ARRIVE;
    case OP_UCGABAR_WAIT:
        return SEQ_WAIT;
    case OP_WARPSYNC:
        return r->code == 0x348 && r->item[0].kind == IT_MOD ? SEQ_WARPSYNC : -1;
    default:
        return -1;
    }
}

bool row_runs(const struct enc_row *r)
{
    enum effect_class e = op_table[r->op].effect;
    if (row_sequence(r) >= 0)
        return true;
    switch (op_table[r->op].unit) {
    case UNIT_TENSOR:
    case UNIT_TMA:
        return false;
    default:
        break;
    }
    switch (r->op) {
    case OP_BPT:
    case OP_RTT:
    case OP_USETMAXREG:
    case OP_BAR:
    case OP_BMOV:
    case OP_RPCMOV:
    case OP_LEPC:
    case OP_ULEPC:
    case OP_B2R:
    case OP_GETLMEMBASE:
    case OP_BREAK:
    case OP_STAS:
    case OP_REDAS:
    case OP_LDGMC:
    case OP_UCLEA:
        return false;
    default:
        break;
    }
    switch (e) {
    case EFF_TRAP:
    case EFF_MBARRIER:
    case EFF_CLUSTER:
    case EFF_ASYNC_COPY:
    case EFF_BARRIER:
        return false;
    case EFF_CONTROL:
        return r->op == OP_YIELD;
    case EFF_EXIT:
        return true;
    default:
        break;
    }
    for (unsigned i = 0; i < r->nitem; i++) {
        const struct enc_item *it = &r->item[i];
        if (it->kind == IT_BINDLESS || it->kind == IT_TARGET || it->kind == IT_BREG || it->kind == IT_GDESC)
            return false;
        if (it->kind == IT_MEM && !op_spaces(r->op))
            return false;
    }
    return true;
}
