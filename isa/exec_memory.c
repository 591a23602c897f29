/* Memory instructions: addresses and operands go into an effect; the machine does the access and completes it. */
#include "isa/access.h"
#include "isa/alu.h"

/* ---- addresses ----------------------------------------------------------------------------------------------------
 */
/* [R + UR + imm]: 64 bits wide for global and generic accesses with .E, else 32. A register beside a 64-bit uniform
 * base is a zero-extended index; .X4 and the like scale it. */
static void addresses(const struct warp *w, const struct operand *o, bool wide, uint64_t *addr, struct issue *is)
{
    uint32_t tl[NLANE], th[NLANE], l;
    struct operand reg = {.kind = OPD_REG, .reg = o->flags & OPF_HAS_REG ? o->reg : RZ};
    const uint32_t *lo = src_word(w, &reg, 0, tl, is);
    bool has_ureg = o->flags & OPF_HAS_UREG && o->ureg != URZ;
    bool pair = wide && reg.reg != RZ && !(o->flags & OPF_U32) && (o->flags & OPF_64 || !has_ureg);
    const uint32_t *hi = pair ? src_word(w, &reg, 1, th, is) : exec_zero_row;
    uint64_t base = (uint64_t)o->imm;
    if (has_ureg)
        base += wide ? (uint64_t)w->ureg[o->ureg + 1] << 32 | w->ureg[o->ureg] : w->ureg[o->ureg];
    uint32_t scale = o->sel ? o->sel + 1u : 0; /* X4, X8, X16 */
    uint64_t mask = wide ? ~(uint64_t)0 : 0xffffffffu;
    if (is->exec == w->live) {
        HALVES(h, w) LANES(i) addr[h + i] = ((((uint64_t)hi[h + i] << 32 | lo[h + i]) << scale) + base) & mask;
        return;
    }
    FOR_MASK(l, is->exec) addr[l] = ((((uint64_t)hi[l] << 32 | lo[l]) << scale) + base) & mask;
}

/* A shared address carries the rank of its block in the cluster in bits 24 and up; one's own is taken off. */
static uint64_t own_shared(const struct warp *w, uint64_t addr)
{
    return addr >> CLUSTER_RANK_AT == w->cluster_rank ? addr & ((1u << CLUSTER_RANK_AT) - 1) : addr;
}
static uint8_t space_of_shared(const struct warp *w, uint64_t *addr)
{
    if (*addr >> CLUSTER_RANK_AT != w->cluster_rank)
        return SPACE_CLUSTER;
    *addr = own_shared(w, *addr);
    return SPACE_SHARED;
}
static uint8_t space_of_address(const struct warp *w, uint64_t *addr)
{
    const struct launch_env *e = w->env;
    uint64_t blocks = (uint64_t)(e->cluster[0] ? e->cluster[0] : 1) * (e->cluster[1] ? e->cluster[1] : 1) *
                      (e->cluster[2] ? e->cluster[2] : 1);
    if (e->shared_window && *addr - e->shared_window < blocks << 24) {
        *addr -= e->shared_window;
        return space_of_shared(w, addr);
    }
    if (e->local_window && *addr - e->local_window < 1u << 24) {
        *addr -= e->local_window;
        return SPACE_LOCAL;
    }
    return SPACE_GLOBAL;
}
/* Usually all lanes mean the same space. */
static void resolve_space(struct effect *e)
{
    uint32_t l;
    bool mixed = false;
    e->space = SPACE_COUNT;
    FOR_MASK(l, e->mask)
    {
        mixed |= e->space != SPACE_COUNT && e->space != e->space_of[l];
        e->space = e->space_of[l];
    }
    if (mixed)
        e->space = SPACE_GENERIC;
}
static void resolve_generic(const struct warp *w, struct effect *e)
{
    uint32_t l;
    FOR_MASK(l, e->mask) e->space_of[l] = space_of_address(w, &e->addr[l]);
    resolve_space(e);
}

void EXEC_SYM(shared_addresses)(const struct warp *w, const struct operand *o, struct effect *e, struct issue *is)
{
    uint32_t l;
    bool mixed = false;
    addresses(w, o, false, e->addr, is);
    e->space = SPACE_COUNT;
    FOR_MASK(l, e->mask)
    {
        e->space_of[l] = space_of_shared(w, &e->addr[l]);
        mixed |= e->space != SPACE_COUNT && e->space != e->space_of[l];
        e->space = e->space_of[l];
    }
    if (mixed)
        e->space = SPACE_GENERIC;
}

static struct effect *access_start(struct warp *w, const struct inst *in, const struct operand *o, lanemask m,
                                   struct issue *is)
{
    struct effect *e = is->effect;
    enum space space = access_space(in->op);
    e->op = in->op;
    e->inst = in;
    e->mask = m;
    e->kind = m ? (uint8_t)op_table[in->op].effect : (uint8_t)EFF_NONE;
    e->space = (uint8_t)space;
    e->bytes = (uint8_t)access_bytes(in);
    e->nword = (uint8_t)((e->bytes + 3) / 4);
    e->value = e->value2 = 0;
    addresses(w, o, (space == SPACE_GLOBAL || space == SPACE_GENERIC) && in->mod[MOD_E], e->addr, is);
    if (space == SPACE_GENERIC)
        resolve_generic(w, e);
    else if (space == SPACE_SHARED && (w->cluster_rank || w->env->cluster[0] > 1)) {
        uint32_t l;
        FOR_MASK(l, m) e->addr[l] = own_shared(w, e->addr[l]);
    }
    return e;
}
static void take_words(struct warp *w, const struct operand *o, uint32_t n, uint32_t (*data)[NLANE], struct issue *is)
{
    uint32_t tmp[NLANE];
    for (uint32_t k = 0; k < n; k++)
        memcpy(data[k], src_word(w, o, k, tmp, is), w->env->nlane * sizeof(uint32_t));
}

/* ---- loads, stores --------------------------------------------------------------------------------------------------
 */
static void load(struct warp *w, const struct inst *in, struct issue *is)
{
    bool generic = in->op == OP_LDG || in->op == OP_LD; /* P? Rn | M P? */
    lanemask m = is->exec, zero = 0;
    if (generic) { /* a lane whose predicate is off reads nothing and gets 0 */
        m &= src_pred(w, &in->opd[3], true);
        zero = is->exec & ~m;
    }
    if (generic && in->opd[0].kind == OPD_PRED) /* LDG's becomes false (measured) */
        put_pred(w, &in->opd[0], 0, is);
    struct effect *e = access_start(w, in, &in->opd[generic ? 2 : 1], m, is);
    uint32_t d = in->opd[generic ? 1 : 0].reg, l;
    for (uint32_t k = 0; zero && d != RZ && k < e->nword; k++)
        FOR_MASK(l, zero) exec_row(w, d + k)[l] = 0;
}
static void store(struct warp *w, const struct inst *in, struct issue *is)
{
    struct effect *e = access_start(w, in, &in->opd[0], is->exec, is);
    take_words(w, &in->opd[1], e->nword, e->data, is);
}
/* Can the hardware do this atomic where the address lies? A generic atomic answers so with its predicate, and the code
 * that follows spins on shared memory or writes local memory itself. (What code ptxas adds for which types.) */
static bool atomic_native(const struct inst *in, uint32_t space)
{
    uint32_t type = in->mod[MOD_ATYPE], op = in->mod[MOD_AOP];
    bool whole = type <= 1 || type == 9 || op == 10 || op == 12;  /* 32-bit integers; compare and swap */
    bool integer = whole || type == 2 || type == 3 || type == 10; /* of 64 bits too: in other blocks of the cluster */
    bool pair = (type == 2 && op == 0) || op == 8;                /* ADD of 64 bits, EXCH of any (measured) */
    if (space == SPACE_GLOBAL)
        return op != 12; /* CAST.SPIN is for shared memory */
    return (space == SPACE_SHARED && (whole || pair)) || (space == SPACE_CLUSTER && integer);
}
static void atomic_answer(struct warp *w, const struct inst *in, struct effect *e, struct issue *is)
{
    const struct operand *p = &in->opd[0];
    uint32_t l;
    lanemask done = 0;
    if (p->kind != OPD_PRED || p->reg == PT)
        return;
    if (in->op == OP_ATOMG) { /* always done, and says no (measured) */
        put_pred(w, p, 0, is);
        return;
    }
    FOR_MASK(l, e->mask) done |= (lanemask)atomic_native(in, in->op == OP_ATOM ? e->space_of[l] : e->space) << l;
    put_pred(w, p, done, is);
    e->mask &= done;
    if (!e->mask)
        e->kind = EFF_NONE;
    else if (in->op == OP_ATOM)
        resolve_space(e);
}
/* CAST.SPIN of shared memory swaps only what its first access to the banks reaches: a lane whose bank an earlier lane
 * of the warp (of 8 bytes: of its half) also names is told 0 and tries again. (Measured.) Those lanes: */
static lanemask spin_losers(const struct effect *e)
{
    uint32_t lanes = e->bytes > 4 ? 16 : 32, banks = e->bytes > 4 ? 3 : 1, busy = 0, group = 0, l;
    lanemask lost = 0;
    FOR_MASK(l, e->mask)
    {
        uint32_t mine = banks << (e->addr[l] >> 2 & 31);
        busy = l / lanes == group ? busy : 0;
        group = l / lanes;
        lost |= (lanemask)((busy & mine) != 0) << l;
        busy |= mine;
    }
    return lost;
}
static void atomic(struct warp *w, const struct inst *in, struct issue *is)
{
    bool red = in->op == OP_RED;
    const struct operand *a = &in->opd[red ? 1 : 3];
    struct effect *e = access_start(w, in, &in->opd[red ? 0 : 2], is->exec, is);
    if (!red)
        atomic_answer(w, in, e, is);
    uint32_t n = e->nword, aop = in->mod[MOD_AOP];
    e->value2 = 0;
    if (aop == 11) /* POPC.INC: every lane adds one */
        for (uint32_t l = 0; l < w->env->nlane; l++)
            e->data[0][l] = 1;
    else
        take_words(w, a, n, e->data, is);
    if (aop == 10 || aop == 12) { /* CAS, CAST.SPIN: compare words, then new words */
        take_words(w, a + 1, n, e->data + n, is);
        e->nword = (uint8_t)(2 * n);
        if (aop == 12 && e->kind != EFF_NONE && e->space == SPACE_SHARED)
            e->value2 = spin_losers(e);
    }
}

/* ---- constants ------------------------------------------------------------------------------------------------------
 */
static void ldc(struct warp *w, const struct inst *in, struct issue *is)
{
    const struct operand *o = &in->opd[1];
    struct effect *e = is->effect;
    uint32_t n = access_bytes(in), size = in->mod[MOD_SIZE], d = in->opd[0].reg, bank = o->bank, l;
    if (o->kind != OPD_CONST || bank >= 8) {
        exec_fault(is, "this form of LDC is not supported");
        return;
    }
    e->kind = EFF_CONST;
    e->op = in->op;
    e->inst = in;
    e->mask = is->exec;
    e->space = SPACE_CONST;
    e->bytes = (uint8_t)n;
    e->nword = (uint8_t)((n + 3) / 4);
    e->value = bank;
    const uint8_t *image = w->env->bank[bank];
    uint32_t limit = w->env->bank_bytes[bank];
    const uint32_t *index = o->flags & OPF_HAS_REG && o->reg != RZ ? exec_row(w, o->reg) : exec_zero_row;
    uint64_t base = const_offset(w, o);
    if (index == exec_zero_row && image && base + n <= limit && base % n == 0) {
        uint32_t v[4] = {0}; /* the same for all lanes */
        memcpy(v, image + base, n);
        if (n < 4)
            v[0] = extend_loaded(v[0], size);
        e->addr[first_lane(is->exec)] = base;
        e->mask = is->exec & -is->exec;
        for (uint32_t k = 0; k < e->nword && d != RZ; k++) {
            uint32_t td[NLANE], *rd = dst_row(w, d + k, td, is);
            HALVES(h, w) LANES(i) rd[h + i] = v[k];
            dst_put(w, d + k, td, is);
        }
        return;
    }
    FOR_MASK(l, is->exec)
    {
        uint64_t off = (uint32_t)(base + index[l]);
        uint32_t v[4] = {0};
        e->addr[l] = off;
        if (!image || off + n > limit || off % n) {
            exec_fault(is, "constant c[0x%x][0x%llx] lies beyond the bank or is misaligned", bank,
                       (unsigned long long)off);
            return;
        }
        memcpy(v, image + off, n);
        if (n < 4)
            v[0] = extend_loaded(v[0], size);
        for (uint32_t k = 0; k < e->nword && d != RZ; k++)
            exec_row(w, d + k)[l] = v[k];
    }
}

/* ---- matrices ------------------------------------------------------------------------------------------------------
 */
/* LDSM, STSM: lane 8i + j holds the address of row j of matrix i; only those lanes address memory. */
static lanemask matrix_lanes(const struct inst *in)
{
    uint32_t n = 8u << in->mod[MOD_LDSMNUM];
    return n >= 32 ? 0xffffffffu : (1u << n) - 1;
}
static void ldsm(struct warp *w, const struct inst *in, struct issue *is)
{
    if (in->mod[MOD_LDSMSIZE] > 1) {
        exec_fault(is, "this form of LDSM is not supported");
        return;
    }
    struct effect *e = access_start(w, in, &in->opd[1], is->exec & matrix_lanes(in), is);
    e->value = is->exec;
}
static void stsm(struct warp *w, const struct inst *in, struct issue *is)
{
    struct effect *e = access_start(w, in, &in->opd[0], is->exec & matrix_lanes(in), is);
    uint32_t n = 1u << in->mod[MOD_LDSMNUM], tmp[NLANE];
    memset(e->data, 0, sizeof e->data[0] * 4);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t *r = src_word(w, &in->opd[1], i, tmp, is);
        for (uint32_t l = 0; l < 32; l++)
            for (uint32_t k = 0; k < 2; k++) {
                uint32_t row = l / 4, col = l % 4 * 2 + k, half = r[l] >> 16 * k & 0xffff;
                if (in->mod[MOD_LDSMSIZE] == 1) {
                    uint32_t t = row;
                    row = col;
                    col = t;
                }
                e->data[col / 2][8 * i + row] |= half << 16 * (col & 1);
            }
    }
}

/* ---- asynchronous copies, caches, spaces ----------------------------------------------------------------------------
 */
/* Row 1 of the data: how many bytes of a lane, its last ones, become zero instead of being read. With .ZFILL that is
 * all of them where the predicate is false, else what the low bits of the address say: cp.async's source size, as nvcc
 * codes it (address + (size - source size) mod size). */
static void ldgsts(struct warp *w, const struct inst *in, struct issue *is)
{
    struct effect *e = access_start(w, in, &in->opd[1], is->exec, is);
    uint64_t shared[NLANE];
    lanemask p = src_pred(w, &in->opd[2], true);
    uint32_t l, low = in->mod[MOD_ZFILL] ? e->bytes - 1u : 0;
    addresses(w, &in->opd[0], false, shared, is);
    e->value2 = 0;
    FOR_MASK(l, is->exec)
    {
        uint32_t zeros = (uint32_t)e->addr[l] & low;
        e->data[0][l] = (uint32_t)own_shared(w, shared[l]);
        e->data[1][l] = bit_of(p, l) ? zeros : e->bytes;
        e->addr[l] -= zeros;
        e->value2 |= zeros;
    }
    if (!in->mod[MOD_ZFILL] && in->opd[2].kind == OPD_PRED && in->opd[2].reg != PT)
        e->mask &= p;
    if (!e->mask)
        e->kind = EFF_NONE;
}
static void cctl(struct warp *w, const struct inst *in, struct issue *is)
{
    struct effect *e = access_start(w, in, &in->opd[0], is->exec, is);
    if (in->opd[0].kind != OPD_MEM)
        e->bytes = 0;
}
/* What an address lies in, as QSPC writes it (measured; of another block's shared memory inferred). */
enum { CODE_GLOBAL = 1, CODE_OWN = 2, CODE_LOCAL = 4, CODE_SHARED = 8 };
static uint32_t space_code(const struct warp *w, uint64_t addr)
{
    switch (space_of_address(w, &addr)) {
    case SPACE_SHARED:
        return CODE_SHARED | CODE_OWN;
    case SPACE_CLUSTER:
        return CODE_SHARED;
    case SPACE_LOCAL:
        return CODE_LOCAL;
    default:
        return CODE_GLOBAL;
    }
}
static void qspc(struct warp *w, const struct inst *in, struct issue *is)
{
    static const uint8_t asked[] = {CODE_OWN, CODE_LOCAL, CODE_GLOBAL, CODE_SHARED}; /* S, L, G, D: of any block */
    uint64_t addr[NLANE];
    uint32_t td[NLANE] = {0}, l;
    lanemask t = 0;
    addresses(w, &in->opd[2], in->mod[MOD_E], addr, is);
    FOR_MASK(l, is->exec)
    {
        td[l] = space_code(w, addr[l]);
        t |= (lanemask)((td[l] & asked[in->mod[MOD_QSPC] & 3]) != 0) << l;
    }
    put_pred(w, &in->opd[0], t, is);
    if (in->opd[1].kind == OPD_REG && in->opd[1].reg != RZ)
        EXEC_SYM(row_blend)(exec_row(w, in->opd[1].reg), td, is->exec, w->env->nlane);
}

exec_fn *EXEC_SYM(exec_memory_of)(const struct inst *in)
{
    switch (in->op) {
    case OP_LDG:
    case OP_LD:
    case OP_LDS:
    case OP_LDL:
        return load;
    case OP_STG:
    case OP_ST:
    case OP_STS:
    case OP_STL:
        return store;
    case OP_ATOMG:
    case OP_ATOM:
    case OP_ATOMS:
    case OP_RED:
        return atomic;
    case OP_LDC:
        return ldc;
    case OP_LDSM:
        return ldsm;
    case OP_STSM:
        return stsm;
    case OP_LDGSTS:
        return ldgsts;
    case OP_CCTL:
    case OP_CCTLL:
        return cctl;
    case OP_QSPC:
        return qspc;
    default:
        return NULL;
    }
}
