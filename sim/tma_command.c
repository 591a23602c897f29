/* From instructions to jobs of the copy engine. */
#include <string.h>

#include "sim/tma.h"

enum { S_G = 0, G_S = 1, S_S = 2 }; /* values of SPACES in ops.def */

static uint64_t pair(const struct effect *e, uint32_t operand)
{
    return (uint64_t)e->data[operand][1] << 32 | e->data[operand][0];
}

/* Offset of a shared address of the block itself; false: another block's. */
static bool own(const struct lsu *l, uint32_t op, uint32_t addr, uint32_t *at)
{
    uint32_t rank = (uint32_t)l->effects[op].value2; /* of the warp's block */
    *at = (addr & ((1u << CLUSTER_RANK_AT) - 1)) - l->shared_base;
    return addr >> CLUSTER_RANK_AT == rank;
}

static void count_elements(struct tma_job *j)
{
    for (uint32_t d = 0; d < TENSOR_DIMS; d++)
        j->n[d] = d < j->map.rank ? (j->map.box[d] + j->map.step[d] - 1) / j->map.step[d] : 1;
}

/* What the box takes of shared memory; its rows may lie apart. */
static uint64_t room_of(const struct tma_job *j)
{
    uint64_t bytes = tma_row_bytes(j);
    for (uint32_t d = 1; d < j->map.rank; d++)
        bytes *= j->n[d];
    return bytes;
}

static const char *shared_side(struct lsu *l, uint32_t op, struct tma_job *j, uint32_t addr, uint32_t mbarrier,
                               uint32_t align)
{
    const struct warp_state *w = lsu_warp_of(l, op);
    if (!own(l, op, addr, &j->at))
        return "a copy of this form names shared memory of another block";
    if (addr % align)
        return align == 128 ? "a tensor copy's shared address is no multiple of 128 bytes"
                            : "a bulk copy's shared address is no multiple of 16 bytes";
    if (j->at > w->shared_bytes || room_of(j) > w->shared_bytes - j->at)
        return "a copy reaches beyond the block's shared memory";
    if (j->kind != TMA_LOAD)
        return NULL;
    if (!own(l, op, mbarrier, &j->mbarrier))
        return "a copy completes on an mbarrier of another block";
    if (mbarrier % MBARRIER_BYTES || j->mbarrier > w->shared_bytes || MBARRIER_BYTES > w->shared_bytes - j->mbarrier)
        return "a copy's mbarrier lies beyond the block's shared memory or is misaligned";
    return NULL;
}

/* ---- plain copies ------------------------------------------------------------------------------ */
static const char *plain(struct lsu *l, uint32_t op, struct tma_job *j, uint64_t global, uint32_t bytes)
{
    if (global % 16 || bytes % 16)
        return "a bulk copy's address and size are multiples of 16 bytes";
    (void)l, (void)op;
    j->bytes = bytes;
    j->map = (struct tensor_map){.base = global, .rank = 1, .dim = {bytes}, .stride = {1}, .box = {bytes}, .step = {1}};
    count_elements(j);
    return NULL;
}

static uint32_t index_of(enum mod m, const char *name)
{
    for (uint32_t v = 0; v < mod_value_count(m); v++)
        if (!strcmp(mod_value_name(m, v), name))
            return v;
    return 0;
}

/* Halves go in pairs. */
static void combine(struct tma_job *j, uint32_t aop, const char *type)
{
    const char *name = !strcmp(type, "F16.RN") ? "F16x2.RN" : !strcmp(type, "BF16.RN") ? "BF16x2.RN" : type;
    j->kind = TMA_REDUCE;
    j->reduction.op = OP_RED;
    j->reduction.mod[MOD_AOP] = (uint8_t)aop;
    j->reduction.mod[MOD_ATYPE] = (uint8_t)index_of(MOD_ATYPE, name);
}

/* A copy into another block's shared memory: bounds are the same there. */
static const char *far_side(struct lsu *l, uint32_t op, struct tma_job *j)
{
    const struct effect *e = &l->effects[op];
    const struct warp_state *w = lsu_warp_of(l, op);
    uint32_t at = (uint32_t)j->map.base - l->shared_base, bar = e->data[0][1];
    j->rank = (uint8_t)(e->data[0][0] >> CLUSTER_RANK_AT);
    j->far_mbarrier = bar & ((1u << CLUSTER_RANK_AT) - 1);
    if (!w->map || j->rank >= w->map->blocks || bar >> CLUSTER_RANK_AT != j->rank)
        return "a copy between blocks names no block of the cluster, or its mbarrier lies in another one";
    if (at > w->shared_bytes || j->bytes > w->shared_bytes - at)
        return "a copy reaches beyond the shared memory of the block that it goes to";
    j->kind = TMA_COPY;
    return NULL;
}

static const char *bulk(struct lsu *l, uint32_t op, struct tma_job *j)
{
    const struct effect *e = &l->effects[op];
    const struct inst *in = e->inst;
    uint32_t bytes = 16 * e->data[2][0], spaces = in->mod[MOD_SPACES];
    const char *why;
    if (in->op == OP_UBLKPF) {
        j->kind = TMA_PREFETCH;
        return plain(l, op, j, pair(e, 0), 16 * e->data[1][0]);
    }
    j->kind = spaces == S_G ? TMA_LOAD : TMA_STORE;
    uint64_t there = spaces == S_S ? e->data[0][0] & ((1u << CLUSTER_RANK_AT) - 1) : pair(e, spaces == S_G ? 1 : 0);
    if ((why = plain(l, op, j, there, bytes)))
        return why;
    bool far = spaces == S_S;
    if (in->op == OP_UBLKRED) {
        const char *type = mod_value_name(MOD_ATYPE, in->mod[MOD_ATYPE]);
        combine(j, in->mod[MOD_AOP], type);
        bool wide = !strcmp(type, "64") || !strcmp(type, "U64") || !strcmp(type, "S64") || !strcmp(type, "F64.RN");
        bool half = !strcmp(type, "F16.RN") || !strcmp(type, "BF16.RN");
        j->map.stride[0] = wide ? 8 : half ? 2 : 4;
        j->map.dim[0] = j->map.box[0] = bytes / (uint32_t)j->map.stride[0];
        count_elements(j);
    }
    if (far && (why = far_side(l, op, j)))
        return why;
    return shared_side(l, op, j, e->data[spaces == S_G ? 0 : 1][0], e->data[0][1], 16);
}

/* ---- tensor copies ------------------------------------------------------------------------------ */
static bool map_held(struct tma *t, uint64_t addr)
{
    for (uint32_t i = 0; i < TMA_MAPS; i++)
        if (t->map_seen[i] == addr)
            return true;
    t->map_seen[t->map_turn] = addr;
    t->map_turn = (t->map_turn + 1) % TMA_MAPS;
    return false;
}

/* How L2 combines elements of a type (UTMAREDG): the type of an atomic. Halves go in pairs. */
static const char *reduction_type(uint32_t type)
{
    static const char *const names[TENSOR_TYPES] = {
        [TMAP_U32] = "",       [TMAP_I32] = "S32",      [TMAP_U64] = "64",
        [TMAP_I64] = "S64",    [TMAP_F16] = "F16.RN",   [TMAP_F32] = "F32.RN",
        [TMAP_F64] = "F64.RN", [TMAP_BF16] = "BF16.RN", [TMAP_F32_FTZ] = "F32.FTZ.RN"};
    return type < TENSOR_TYPES ? names[type] : NULL;
}

static const char *read_map(struct lsu *l, cycle now, uint64_t addr, struct tma_job *j)
{
    uint8_t bytes[TENSOR_MAP_BYTES];
    if (addr % 64 || !memory_valid(l->mem, addr, TENSOR_MAP_BYTES))
        return "a tensor map's address is misaligned or outside all memory";
    memory_load(l->mem, l->log, addr, bytes, sizeof bytes);
    if (!map_held(l->tma, addr))
        j->start = now + l->cfg->tma_map_miss_cycles;
    return tensor_map_decode(bytes, &j->map);
}

/* What an H200 answers with an illegal instruction (read off it: every type, one to five dimensions, stores and
 * reductions). */
static const char *bad_place(const struct tma_job *j)
{
    if (j->coord[0] * (int64_t)j->map.stride[0] % 16)
        return "a tensor copy's innermost coordinate is no multiple of 16 bytes: an illegal instruction on the GPU";
    for (uint32_t d = 0; d < j->map.rank && (j->kind == TMA_STORE || j->kind == TMA_REDUCE); d++)
        if (j->coord[d] < 0)
            return "a tensor store begins before the tensor: an illegal instruction on the GPU";
    return NULL;
}

static const char *tensor(struct lsu *l, cycle now, uint32_t op, struct tma_job *j)
{
    const struct effect *e = &l->effects[op];
    const struct inst *in = e->inst;
    const char *why = read_map(l, now, pair(e, 1), j);
    uint32_t first = in->op == OP_UTMALDG  ? 2
                     : in->op == OP_UTMAPF ? 0
                                           : 1; /* coordinates follow shared address and mbarrier */
    if (why)
        return why;
    if (in->mod[MOD_DIM] != j->map.rank)
        return "a tensor copy and its tensor map differ in the number of dimensions";
    j->map.step[0] = 1; /* without interleave the engine has no stride there (cuTensorMapEncodeTiled) */
    j->bytes = (uint32_t)j->map.stride[0];
    count_elements(j);
    for (uint32_t d = 0; d < j->map.rank; d++) {
        j->coord[d] = (int32_t)e->data[0][first + d];
        j->bytes *= j->n[d];
    }
    j->kind = in->op == OP_UTMALDG ? TMA_LOAD : in->op == OP_UTMAPF ? TMA_PREFETCH : TMA_STORE;
    if (in->op == OP_UTMAREDG) {
        const char *type = reduction_type(j->map.type);
        if (!type)
            return "a tensor reduction has no such element type";
        combine(j, in->mod[MOD_AOP], type);
    }
    if ((why = bad_place(j)))
        return why;
    return j->kind == TMA_PREFETCH ? NULL : shared_side(l, op, j, e->data[0][0], e->data[0][1], 128);
}

const char *tma_decode(struct lsu *l, cycle now, uint32_t op, struct tma_job *j)
{
    const struct inst *in = l->effects[op].inst;
    const char *why;
    *j = (struct tma_job){.op = op, .next = OP_NONE, .shared = lsu_warp_of(l, op)->shared, .warp = l->ops[op].warp};
    j->start = now;
    if (in->mod[MOD_MULTICAST])
        return "multicast copies are not supported";
    if (in->mod[MOD_IM2COL])
        return "im2col copies are not supported";
    why = in->op == OP_UBLKCP || in->op == OP_UBLKRED || in->op == OP_UBLKPF ? bulk(l, op, j) : tensor(l, now, op, j);
    j->start += l->cfg->tma_start_cycles;
    return why;
}
