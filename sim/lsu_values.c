/* Whether an access is allowed, and the bytes themselves. */
#include "sim/lane.h"
#include "sim/lsu_parts.h"

/* Loads printed .STRONG.GPU (PTX ld.cg, acquire), .STRONG.SYS (volatile, .cv) and .MMIO bypass L1; .STRONG.SM and .CTA
 * may hit it: read from the code that nvcc 13 makes for each. */
bool lsu_strong(const struct inst *in)
{
    enum { CONSTANT = 1, STRONG = 2, MMIO = 3, CTA = 1, SM = 2 }; /* values of ORDER and SCOPE in ops.def */
    uint8_t order = in->mod[MOD_ORDER], scope = in->mod[MOD_SCOPE];
    return order == MMIO || (order == STRONG && scope != CTA && scope != SM);
}

lanemask lsu_lanes_in(const struct effect *e, enum space space)
{
    if (e->space != SPACE_GENERIC)
        return e->space == space ? e->mask : 0;
    lanemask lanes = 0;
    for (lanemask m = e->mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(m);
        if (e->space_of[lane] == space)
            lanes |= UINT64_C(1) << lane;
    }
    return lanes;
}

/* First lane whose address is no multiple of the access's size, or -1. */
static int misaligned_lane(const uint64_t *addr, lanemask lanes, uint32_t bytes, uint32_t nlane)
{
    uint64_t low = 0;
    for (uint32_t i = 0; i < nlane; i++)
        low |= lanes >> i & 1 ? addr[i] : 0;
    if (!(low & (bytes - 1)))
        return -1;
    for (lanemask m = lanes; m; m &= m - 1)
        if (addr[__builtin_ctzll(m)] & (bytes - 1))
            return __builtin_ctzll(m);
    return -1;
}

/* First lane outside [base, base + size), or -1. */
static int outside_lane(const uint64_t *addr, lanemask lanes, uint32_t bytes, uint64_t base, uint64_t size)
{
    for (lanemask m = lanes; m; m &= m - 1) {
        uint64_t at = addr[__builtin_ctzll(m)] - base;
        if (at > size || bytes > size - at)
            return __builtin_ctzll(m);
    }
    return -1;
}

static bool check_lanes(struct lsu *l, cycle now, uint32_t op, uint8_t space, int misaligned, int outside)
{
    if (misaligned >= 0)
        lsu_set_fault(l, now, op, (uint32_t)misaligned, space, true, NULL);
    else if (outside >= 0)
        lsu_set_fault(l, now, op, (uint32_t)outside, space, false, NULL);
    return misaligned < 0 && outside < 0;
}

bool lsu_check_shared(struct lsu *l, cycle now, uint32_t op, lanemask lanes)
{
    const struct effect *e = &l->effects[op];
    uint64_t at = (uint32_t)e->addr[0] - l->shared_base, run = (uint64_t)e->bytes * l->nlane;
    if (l->ops[op].shape == SHAPE_RUN && !(e->addr[0] & (e->bytes - 1U)) &&
        at + run <= lsu_warp_of(l, op)->shared_bytes)
        return true;
    return check_lanes(l, now, op, SPACE_SHARED, misaligned_lane(e->addr, lanes, e->bytes, l->nlane),
                       outside_lane(e->addr, lanes, e->bytes, l->shared_base, lsu_warp_of(l, op)->shared_bytes));
}

static int outside_memory(const struct lsu *l, const struct effect *e, lanemask lanes)
{
    uint64_t low = UINT64_MAX, high = 0;
    for (uint32_t i = 0; i < l->nlane; i++) {
        bool on = lanes >> i & 1;
        low = on && e->addr[i] < low ? e->addr[i] : low;
        high = on && e->addr[i] > high ? e->addr[i] : high;
    }
    if (!lanes || (high - low < UINT32_MAX - 64 && memory_valid(l->mem, low, (uint32_t)(high - low) + e->bytes)))
        return -1; /* all in one allocation */
    for (lanemask m = lanes; m; m &= m - 1)
        if (!memory_valid(l->mem, e->addr[__builtin_ctzll(m)], e->bytes))
            return __builtin_ctzll(m);
    return -1;
}

static bool check_copy_target(struct lsu *l, cycle now, uint32_t op)
{
    struct effect *e = &l->effects[op];
    for (lanemask m = e->mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(m);
        uint32_t at = e->data[0][lane] - l->shared_base;
        bool crooked = e->data[0][lane] & (e->bytes - 1U);
        if (!crooked && at <= lsu_warp_of(l, op)->shared_bytes && e->bytes <= lsu_warp_of(l, op)->shared_bytes - at)
            continue;
        e->addr[lane] = e->data[0][lane];
        lsu_set_fault(l, now, op, lane, SPACE_SHARED, crooked, NULL);
        return false;
    }
    return true;
}

bool lsu_check(struct lsu *l, cycle now, uint32_t op)
{
    const struct effect *e = &l->effects[op];
    if (l->ops[op].shape == SHAPE_RUN && e->space == SPACE_GLOBAL && e->kind != EFF_ASYNC_COPY &&
        !(e->base & (e->bytes - 1U)) && memory_valid(l->mem, e->base, e->bytes * l->nlane))
        return true;
    lsu_list_addresses(l, op);
    lanemask global = lsu_lanes_in(e, SPACE_GLOBAL);
    if (e->kind == EFF_ASYNC_COPY)
        global = e->mask & e->value;
    if (!check_lanes(l, now, op, SPACE_GLOBAL, misaligned_lane(e->addr, global, e->bytes, l->nlane),
                     outside_memory(l, e, global)))
        return false;
    if (e->kind == EFF_ASYNC_COPY)
        return check_copy_target(l, now, op);
    if (e->space == SPACE_GLOBAL)
        return true;
    lanemask local = lsu_lanes_in(e, SPACE_LOCAL);
    return check_lanes(l, now, op, SPACE_LOCAL, misaligned_lane(e->addr, local, e->bytes, l->nlane),
                       outside_lane(e->addr, local, e->bytes, 0, lsu_warp_of(l, op)->local_bytes)) &&
           lsu_check_shared(l, now, op, lsu_lanes_in(e, SPACE_SHARED)) &&
           lsu_check_cluster(l, now, op, lsu_lanes_in(e, SPACE_CLUSTER));
}

/* ---- loads ------------------------------------------------------------------------------------ */
static void spread(uint32_t (*rows)[NLANE], const uint8_t *run, uint32_t nlane, uint32_t bytes)
{
    for (uint32_t lane = 0; lane < nlane; lane++)
        lane_get(rows, lane, run + lane * bytes, bytes);
}

static void load_global(struct lsu *l, enum shape shape, struct effect *e, uint32_t (*rows)[NLANE], lanemask lanes)
{
    if (shape == SHAPE_RUN && e->bytes == 4) {
        memory_load(l->mem, l->log, e->base, rows[0], 4 * l->nlane);
        return;
    }
    uint8_t run[NLANE * 16];
    if (shape == SHAPE_RUN) {
        memory_load(l->mem, l->log, e->base, run, l->nlane * e->bytes);
        spread(rows, run, l->nlane, e->bytes);
        return;
    }
    uint64_t last = UINT64_MAX;
    memset(run, 0, 16);
    for (lanemask m = lanes; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(m);
        if (e->addr[lane] != last) /* lanes that share an address read once */
            memory_load(l->mem, l->log, e->addr[lane], run, e->bytes);
        last = e->addr[lane];
        lane_get(rows, lane, run, e->bytes);
    }
}

/* An asynchronous copy: rows 1.. become the words (row 0 holds the targets); row 1 said how many bytes at a lane's end
 * are zeros. */
static void load_copy(struct lsu *l, enum shape shape, struct effect *e)
{
    uint32_t zeros[NLANE], words = e->bytes > 4 ? e->bytes / 4U : 1;
    memcpy(zeros, e->data[1], l->nlane * sizeof *zeros);
    for (uint32_t k = 1; k <= words; k++)
        memset(e->data[k], 0, l->nlane * sizeof e->data[k][0]);
    load_global(l, e->value == e->mask ? shape : SHAPE_ANY, e, e->data + 1, e->mask & e->value);
    for (lanemask m = e->value2 ? e->mask & e->value : 0; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(m), keep = e->bytes - zeros[lane];
        for (uint32_t k = 0; k < words; k++) {
            uint32_t kept = keep > 4 * k ? keep - 4 * k : 0;
            e->data[k + 1][lane] &= kept >= 4 ? ~0U : (1U << 8 * kept) - 1;
        }
    }
}

/* Where a lane's local memory holds what it names. */
static uint8_t *local_at(const struct lsu *l, uint32_t op, uint32_t lane)
{
    const struct warp_state *w = lsu_warp_of(l, op);
    return w->local + (size_t)lane * w->local_bytes + l->effects[op].addr[lane];
}

void lsu_load_values(struct lsu *l, uint32_t op)
{
    const struct lsu_op *o = &l->ops[op];
    struct effect *e = &l->effects[op];
    if (e->kind == EFF_ASYNC_COPY) {
        load_copy(l, o->shape, e);
        return;
    }
    if (!o->strong)
        load_global(l, e->space == SPACE_GLOBAL ? o->shape : SHAPE_ANY, e, e->data, lsu_lanes_in(e, SPACE_GLOBAL));
    if (e->space == SPACE_GLOBAL)
        return;
    for (lanemask m = lsu_lanes_in(e, SPACE_LOCAL); m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(m);
        lane_get(e->data, lane, local_at(l, op, lane), e->bytes);
    }
}

/* ---- stores ----------------------------------------------------------------------------------- */
static void store_global(struct lsu *l, cycle now, enum shape shape, const struct effect *e, lanemask lanes)
{
    uint8_t run[NLANE * 16];
    if (shape == SHAPE_RUN) {
        if (e->bytes == 4)
            memcpy(run, e->data[0], 4 * l->nlane);
        else
            for (uint32_t lane = 0; lane < l->nlane; lane++)
                lane_put(run + lane * e->bytes, e->data, lane, e->bytes);
        memory_store(l->mem, l->log, now, e->base, run, l->nlane * e->bytes);
        return;
    }
    for (lanemask m = lanes; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(m);
        lane_put(run, e->data, lane, e->bytes);
        memory_store(l->mem, l->log, now, e->addr[lane], run, e->bytes);
    }
}

void lsu_store_values(struct lsu *l, cycle now, uint32_t op)
{
    const struct lsu_op *o = &l->ops[op];
    const struct effect *e = &l->effects[op];
    if (!o->strong)
        store_global(l, now, e->space == SPACE_GLOBAL ? o->shape : SHAPE_ANY, e, lsu_lanes_in(e, SPACE_GLOBAL));
    if (e->space == SPACE_GLOBAL)
        return;
    for (lanemask m = lsu_lanes_in(e, SPACE_LOCAL); m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(m);
        lane_put(local_at(l, op, lane), e->data, lane, e->bytes);
    }
}

void lsu_land_copy(struct lsu *l, uint32_t op)
{
    const struct effect *e = &l->effects[op];
    for (lanemask m = e->mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(m);
        lane_put(lsu_warp_of(l, op)->shared + (e->data[0][lane] - l->shared_base), e->data + 1, lane, e->bytes);
    }
}
