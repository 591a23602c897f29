/* Completion of a memory access: loaded words become registers. */
#include "isa/access.h"
#include "isa/exec.h"

enum space access_space(uint32_t op)
{
    switch (op) {
    case OP_LDS:
    case OP_STS:
    case OP_ATOMS:
    case OP_LDSM:
    case OP_STSM:
    case OP_SYNCS:
    case OP_ARRIVES:
        return SPACE_SHARED;
    case OP_LDL:
    case OP_STL:
    case OP_CCTLL:
        return SPACE_LOCAL;
    case OP_LD:
    case OP_ST:
    case OP_ATOM:
    case OP_QSPC:
        return SPACE_GENERIC;
    case OP_LDC:
    case OP_ULDC:
        return SPACE_CONST;
    default:
        return SPACE_GLOBAL;
    }
}
uint32_t access_bytes(const struct inst *in)
{
    static const uint8_t of_size[] = {4, 1, 1, 2, 2, 8, 16, 16};
    /* "", S32, 64, S64, F32, F16x2, F64, BF16x2, 128, 32, U64, F16x4, F16x8, BF16x4, BF16x8, F32x2.FTZ, F32x4.FTZ, F32,
     * F32x2, F32x4, F16, BF16 */
    static const uint8_t of_atype[] = {4, 4, 8, 8, 4, 4, 8, 4, 16, 4, 8, 8, 16, 8, 16, 8, 16, 4, 8, 16, 2, 2};
    switch (in->op) {
    case OP_ATOMG:
    case OP_ATOM:
    case OP_ATOMS:
    case OP_RED:
    case OP_REDAS:
        return in->mod[MOD_ATYPE] < ARRAY_LEN(of_atype) ? of_atype[in->mod[MOD_ATYPE]] : 4;
    case OP_LDSM:
    case OP_STSM:
        return 16;
    case OP_SYNCS:
    case OP_ARRIVES:
        return 8;
    default:
        return of_size[in->mod[MOD_SIZE] & 7];
    }
}

static void complete_load(struct warp *w, const struct effect *e)
{
    const struct inst *in = e->inst;
    uint32_t d = in->opd[in->op == OP_LDG || in->op == OP_LD ? 1 : 0].reg, size = in->mod[MOD_SIZE], l;
    if (d == RZ)
        return;
    for (uint32_t k = 0; k < e->nword; k++) {
        uint32_t *row = exec_row(w, d + k);
        if (e->bytes < 4) {
            FOR_MASK(l, e->mask) row[l] = extend_loaded(e->data[k][l], size);
        } else if (e->mask == w->live) {
            memcpy(row, e->data[k], w->env->nlane * sizeof row[0]);
        } else {
            EXEC_SYM(row_blend)(row, e->data[k], e->mask, w->env->nlane);
        }
    }
}
/* Matrix i's rows lie with lanes 8i..8i+7; lane l gets row l/4, columns 2(l%4) and the next, or transposed. */
static void complete_ldsm(struct warp *w, const struct effect *e)
{
    const struct inst *in = e->inst;
    uint32_t n = 1u << in->mod[MOD_LDSMNUM], d = in->opd[0].reg;
    bool transposed = in->mod[MOD_LDSMSIZE] == 1;
    for (uint32_t i = 0; i < n && d != RZ; i++) {
        uint32_t *row = exec_row(w, d + i);
        for (uint32_t l = 0; l < 32; l++) {
            if (!bit_of(e->value, l))
                continue;
            uint32_t r = l / 4, c = l % 4 * 2;
            if (!transposed) {
                row[l] = e->data[c / 2][8 * i + r];
                continue;
            }
            uint32_t lo = e->data[r / 2][8 * i + c] >> 16 * (r & 1) & 0xffff;
            uint32_t hi = e->data[r / 2][8 * i + c + 1] >> 16 * (r & 1) & 0xffff;
            row[l] = hi << 16 | lo;
        }
    }
}
/* One answer for all words of the value: 64-bit code compares the pair with 1. */
static bool swapped(const struct effect *e, uint32_t n, uint32_t lane)
{
    for (uint32_t k = 0; k < n; k++)
        if (e->data[k][lane] != e->data[n + k][lane])
            return false;
    return true;
}
/* The old value, as the memory side left it in the first data words. A spinning compare-and-swap returns whether it
 * swapped. The predicate was answered at issue. */
static void complete_atomic(struct warp *w, const struct effect *e)
{
    const struct inst *in = e->inst;
    uint32_t d = in->opd[1].reg, n = (uint32_t)(e->bytes + 3) / 4, l;
    for (uint32_t k = 0; k < n && d != RZ; k++) {
        uint32_t *row = exec_row(w, d + k);
        if (in->mod[MOD_AOP] == 12) {
            FOR_MASK(l, e->mask) row[l] = k == 0 && swapped(e, n, l);
        } else {
            EXEC_SYM(row_blend)(row, e->data[k], e->mask, w->env->nlane);
        }
    }
}

/* Tokens of arrivals and exchanged words; of a test, which lanes' phases have completed. */
static void complete_syncs(struct warp *w, const struct effect *e)
{
    const struct operand *p = &e->inst->opd[0], *d = &e->inst->opd[1];
    if (p->kind == OPD_PRED && p->reg < PT)
        w->pred[p->reg] = (w->pred[p->reg] & ~e->mask) | (e->value & e->mask);
    for (uint32_t k = 0; k < 2; k++) {
        if (d->kind == OPD_REG && d->reg != RZ)
            EXEC_SYM(row_blend)(exec_row(w, d->reg + k), e->data[k], e->mask, w->env->nlane);
        if (d->kind == OPD_UREG && d->reg + k < URZ)
            w->ureg[d->reg + k] = e->data[k][first_lane(e->mask)];
    }
}

void isa_complete(struct warp *w, const struct effect *e)
{
    switch (e->op) {
    case OP_SYNCS:
        complete_syncs(w, e);
        break;
    case OP_LDG:
    case OP_LD:
    case OP_LDS:
    case OP_LDL:
        complete_load(w, e);
        break;
    case OP_LDSM:
        complete_ldsm(w, e);
        break;
    case OP_ATOMG:
    case OP_ATOM:
    case OP_ATOMS:
        complete_atomic(w, e);
        break;
    default:
        break;
    }
}
