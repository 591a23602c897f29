/* Warpgroup matrix multiply: each warp computes its 16 of the 64 rows, when it issues; the machine decides when the
 * result may be read. B, and A unless it is in registers, come from shared memory through a descriptor: where the tile
 * starts, the strides between its 8 x 16 byte core matrices, and the swizzle. Layouts: the canonical ones of PTX and
 * CUTLASS. */
#include "isa/tensor.h"

struct matrix {                                        /* in shared memory */
    uint32_t start, lead, stride, swizzle_bytes, base; /* bytes; swizzle 16: none */
    bool transposed;                                   /* rows (of A; columns of B) are contiguous instead of k */
    uint32_t element;                                  /* bytes */
};
static struct matrix matrix_of(const struct warp *w, uint32_t ureg, bool transposed, uint32_t element)
{
    static const uint32_t swizzles[] = {16, 128, 64, 32};
    uint64_t d = (uint64_t)w->ureg[ureg + 1] << 32 | w->ureg[ureg];
    return (struct matrix){.start = (uint32_t)(d & 0x3fff) << 4,
                           .lead = (uint32_t)(d >> 16 & 0x3fff) << 4,
                           .stride = (uint32_t)(d >> 32 & 0x3fff) << 4,
                           .base = (uint32_t)(d >> 49 & 7),
                           .swizzle_bytes = swizzles[d >> 62],
                           .transposed = transposed,
                           .element = element};
}
/* Address of the 16-byte chunk that holds element (row, k); row: of A, column: of B. */
static uint32_t chunk_address(const struct matrix *m, uint32_t row, uint32_t k)
{
    uint32_t per = 16 / m->element, width = m->swizzle_bytes / m->element, a = m->start; /* elements */
    if (!m->transposed) {
        uint32_t chunk = k / per; /* along k */
        a += row / 8 * m->stride + row % 8 * m->swizzle_bytes;
        a += m->swizzle_bytes == 16 ? chunk * m->lead : chunk * 16;
    } else if (m->swizzle_bytes == 16) {
        a += row / per * m->stride + k / 8 * m->lead + k % 8 * 16;
    } else {
        a += row / width * m->lead + k / 8 * m->stride + k % 8 * m->swizzle_bytes + row % width * m->element / 16 * 16;
    }
    uint32_t line = (a >> 7) - m->base, mask = m->swizzle_bytes / 16 - 1;
    return a ^ (line & mask & 7) << 4;
}
/* The 16 bytes of shared memory that hold a chunk; NULL: outside the block's memory. */
static const uint8_t *chunk_bytes(const struct warp *w, const struct matrix *m, uint32_t row, uint32_t k,
                                  struct issue *is)
{
    uint32_t base = arch_info(w->env->arch)->shared_base, a = chunk_address(m, row, k) - base;
    if (w->shared && a + 16 <= w->env->shared_bytes && a + 16 > a)
        return w->shared + a;
    exec_fault(is, "a matrix descriptor points to shared address 0x%x, outside the block's %u bytes", a + base,
               w->env->shared_bytes);
    return NULL;
}
/* The elements of a chunk, `step` words apart. */
SPECIALISED void spread(const uint8_t *p, uint32_t element, uint32_t *to, size_t step)
{
    uint8_t bytes[16];
    memcpy(bytes, p, 16);
    for (size_t i = 0; i < 16 / element; i++) {
        uint32_t x = 0;
        memcpy(&x, bytes + i * element, element);
        to[i * step] = x;
    }
}
/* Elements (row, k) of rows first..first + rows, each at to[(row - first) * row_step + k * k_step]. */
static bool take_matrix(const struct warp *w, const struct matrix *m, uint32_t first, uint32_t rows, uint32_t nk,
                        uint32_t *to, size_t row_step, size_t k_step, struct issue *is)
{
    uint32_t per = 16 / m->element, n_outer = m->transposed ? nk : rows, n_inner = m->transposed ? rows : nk;
    size_t outer_step = m->transposed ? k_step : row_step, step = m->transposed ? row_step : k_step;
    for (uint32_t outer = 0; outer < n_outer; outer++)
        for (uint32_t inner = 0; inner < n_inner; inner += per) {
            const uint8_t *p = m->transposed ? chunk_bytes(w, m, first + inner, outer, is)
                                             : chunk_bytes(w, m, first + outer, inner, is);
            uint32_t *t = to + outer * outer_step + inner * step;
            if (!p)
                return false;
            if (m->element == 2 && step == 1)
                spread(p, 2, t, 1);
            else if (m->element == 2)
                spread(p, 2, t, TENSOR_N);
            else if (m->element == 1)
                spread(p, 1, t, step);
            else
                spread(p, 4, t, step);
        }
    return true;
}

struct gmma {
    uint32_t n, k, element; /* bytes */
    bool half_result, add;
};

static bool take_a(struct warp *w, const struct inst *in, const struct gmma *g, struct tensor_tile *t, struct issue *is)
{
    uint32_t tmp[NLANE], per = 4 / g->element, bits = 8 * g->element, mask = bits == 32 ? ~0u : (1u << bits) - 1;
    if (in->opd[1].kind == OPD_REG) {
        for (uint32_t i = 0; i < 4; i++) {
            const uint32_t *r = src_word(w, &in->opd[1], i, tmp, is);
            for (uint32_t l = 0; l < 32; l++)
                for (uint32_t j = 0; j < per; j++)
                    t->a[l / 4 + 8 * (i & 1)][i / 2 * 4 * per + l % 4 * per + j] = r[l] >> bits * j & mask;
        }
        return true;
    }
    struct matrix m = matrix_of(w, in->opd[1].reg, in->mod[MOD_TNSPA], g->element);
    uint32_t first = 16 * (w->warp_in_block & 3);
    if (!m.transposed)
        return take_matrix(w, &m, first, 16, g->k, &t->a[0][0], TENSOR_K, 1, is);
    uint32_t a[TENSOR_K][TENSOR_N]; /* rows are contiguous: as if they were columns of B */
    if (!take_matrix(w, &m, first, 16, g->k, &a[0][0], 1, TENSOR_N, is))
        return false;
    for (uint32_t r = 0; r < 16; r++)
        for (uint32_t k = 0; k < g->k; k++)
            t->a[r][k] = a[k][r];
    return true;
}
/* A descriptor operand names four uniform registers, A's pair and B's; with A in registers the first pair is unused. */
static uint32_t b_descriptor(const struct inst *in)
{
    return (in->opd[1].kind == OPD_GDESC ? in->opd[1].reg : in->opd[2].reg) + 2u;
}
/* Accumulator registers: float: 4 for each 8 columns, rows g, g, g + 8, g + 8; half: 2 with two columns each. */
static void take_c(struct warp *w, const struct inst *in, const struct gmma *g, struct tensor_tile *t, struct issue *is)
{
    uint32_t tmp[NLANE];
    if (!g->add || in->opd[3].kind != OPD_REG || in->opd[3].reg == RZ) {
        memset(t->c, 0, sizeof t->c);
        return;
    }
    for (uint32_t i = 0; i < (g->half_result ? g->n / 4 : g->n / 2); i++) {
        const uint32_t *r = src_word(w, &in->opd[3], i, tmp, is);
        for (uint32_t l = 0; l < 32; l++) {
            if (g->half_result) {
                uint32_t *c = &t->c[l / 4 + 8 * (i & 1)][i / 2 * 8 + l % 4 * 2];
                c[0] = r[l] & 0xffff, c[1] = r[l] >> 16;
            } else {
                t->c[l / 4 + 8 * (i / 2 & 1)][i / 4 * 8 + l % 4 * 2 + (i & 1)] = r[l];
            }
        }
    }
}
static void put_d(struct warp *w, const struct inst *in, const struct gmma *g, const struct tensor_tile *t)
{
    for (uint32_t i = 0; i < (g->half_result ? g->n / 4 : g->n / 2) && in->opd[0].reg != RZ; i++) {
        uint32_t *r = exec_row(w, in->opd[0].reg + i);
        for (uint32_t l = 0; l < 32; l++) {
            if (g->half_result) {
                const uint32_t *c = &t->c[l / 4 + 8 * (i & 1)][i / 2 * 8 + l % 4 * 2];
                r[l] = c[1] << 16 | c[0];
            } else {
                r[l] = t->c[l / 4 + 8 * (i / 2 & 1)][i / 4 * 8 + l % 4 * 2 + (i & 1)];
            }
        }
    }
}
static void goes_on_alone(const struct inst *in, struct issue *is)
{
    is->effect->kind = EFF_TENSOR_ASYNC;
    is->effect->op = in->op;
    is->effect->inst = in;
    is->effect->mask = is->exec;
}
/* nvcc closes a group by a product without operands or result: HGMMA.64x8x16.F16 RZ, gdesc[URZ], RZ, !UPT, gsb0. */
static bool only_closes_group(const struct inst *in)
{
    return in->opd[0].reg == RZ && in->opd[1].kind == OPD_GDESC && in->opd[1].reg == URZ;
}
/* Integers and bits: exact sums, modulo 2^32 or clamped. An element of BGMMA is 32 bits of k. */
static uint32_t integer_of(uint32_t x, uint32_t type)
{
    return type == 0 ? (uint32_t)(int32_t)(int8_t)x : x; /* S8, else U8 */
}
static void multiply_bits(struct tensor_tile *t, bool and)
{
    for (uint32_t r = 0; r < TENSOR_ROWS; r++)
        for (uint32_t k = 0; k < t->k; k++)
            for (uint32_t n = 0; n < t->n; n++)
                t->c[r][n] += (uint32_t)__builtin_popcount(and? t->a[r][k] & t->b[k][n] : t->a[r][k] ^ t->b[k][n]);
}
static void multiply_integers(struct tensor_tile *t, bool clamp)
{
    int32_t sum[TENSOR_N];
    for (uint32_t r = 0; r < TENSOR_ROWS; r++) {
        memset(sum, 0, sizeof sum);
        for (uint32_t k = 0; k < t->k; k++) { /* 32 products of bytes stay far below 2^31 */
            int32_t x = (int32_t)t->a[r][k];
            for (uint32_t n = 0; n < t->n; n++)
                sum[n] += x * (int32_t)t->b[k][n];
        }
        for (uint32_t n = 0; n < t->n; n++) {
            int64_t d = (int64_t)(int32_t)t->c[r][n] + sum[n];
            t->c[r][n] = (uint32_t)(!clamp ? d : d > INT32_MAX ? INT32_MAX : d < INT32_MIN ? INT32_MIN : d);
        }
    }
}
static void multiply_whole(const struct inst *in, struct tensor_tile *t)
{
    if (in->op == OP_BGMMA) {
        multiply_bits(t, in->mod[MOD_BOP] == 0);
        return;
    }
    for (uint32_t k = 0; k < t->k; k++) {
        for (uint32_t r = 0; r < TENSOR_ROWS; r++)
            t->a[r][k] = integer_of(t->a[r][k], in->mod[MOD_TYPEA]);
        for (uint32_t n = 0; n < t->n; n++)
            t->b[k][n] = integer_of(t->b[k][n], in->mod[MOD_TYPEB]);
    }
    multiply_integers(t, in->mod[MOD_SAT]);
}

/* Formats and bytes of an element; false: not supported. */
static bool formats_of(const struct inst *in, struct gmma *g, struct tensor_tile *t)
{
    static const uint8_t half[] = {TENSOR_F16, TENSOR_BF16, TENSOR_TF32}; /* MMATYPE */
    enum { S8 = 0, U8 = 1, E4M3 = 7, E5M2 = 8 };                          /* values of TYPEA, TYPEB in ops.def */
    uint32_t a = in->mod[MOD_TYPEA], b = in->mod[MOD_TYPEB], f = in->mod[MOD_MMATYPE];
    switch (in->op) {
    case OP_HGMMA:
        if (f >= ARRAY_LEN(half))
            return false;
        t->fa = t->fb = half[f];
        g->element = half[f] == TENSOR_TF32 ? 4 : 2;
        return true;
    case OP_QGMMA:
        t->fa = a == E4M3 ? TENSOR_E4M3 : TENSOR_E5M2;
        t->fb = b == E4M3 ? TENSOR_E4M3 : TENSOR_E5M2;
        g->element = 1;
        return (a == E4M3 || a == E5M2) && (b == E4M3 || b == E5M2);
    case OP_IGMMA:
        g->element = 1;
        return (a == S8 || a == U8) && (b == S8 || b == U8);
    default: /* BGMMA: words of bits */
        g->element = 4;
        return in->mod[MOD_BOP] == 0 || in->mod[MOD_BOP] == 2;
    }
}
static void gmma(struct warp *w, const struct inst *in, struct issue *is)
{
    struct gmma g = {.n = 8 * (in->mod[MOD_GMMAN] + 1u),
                     .half_result = in->mod[MOD_MMADST] == 2,
                     .add = src_pred(w, &in->opd[4], true) & 1};
    struct tensor_tile t;
    if (only_closes_group(in)) {
        goes_on_alone(in, is);
        return;
    }
    if (b_descriptor(in) + 1 >= URZ) {
        exec_fault(is, "a matrix descriptor needs four uniform registers");
        return;
    }
    if (in->mod[MOD_SPARSE]) {
        exec_fault(is, "sparse matrix products (%s.SP) are not executed", op_table[in->op].text);
        return;
    }
    if (!formats_of(in, &g, &t) || is->exec != w->full || w->env->nlane != 32) {
        exec_fault(is, "this form of %s, or with part of the warp, is not supported", op_table[in->op].text);
        return;
    }
    g.k = 32 / g.element;
    t.n = g.n, t.k = g.k;
    t.half_result = g.half_result;
    t.short_result = in->op == OP_QGMMA;
    t.neg_a = in->mod[MOD_NEGA], t.neg_b = in->mod[MOD_NEGB];
    struct matrix b = matrix_of(w, b_descriptor(in), in->mod[MOD_TNSPB], g.element);
    if (!take_a(w, in, &g, &t, is) || !take_matrix(w, &b, 0, g.n, g.k, &t.b[0][0], 1, TENSOR_N, is))
        return;
    take_c(w, in, &g, &t, is);
    if (in->op == OP_IGMMA || in->op == OP_BGMMA) {
        multiply_whole(in, &t);
    } else {
        tensor_arithmetic(w->env->arch, t.fa, g.k, &t.fraction, &t.step);
        EXEC_SYM(tensor_multiply)(&t);
    }
    put_d(w, in, &g, &t);
    goes_on_alone(in, is);
}

exec_fn *EXEC_SYM(exec_gmma_of)(const struct inst *in)
{
    switch (in->op) {
    case OP_HGMMA:
    case OP_QGMMA:
    case OP_IGMMA:
    case OP_BGMMA:
        return gmma;
    default:
        return NULL;
    }
}
