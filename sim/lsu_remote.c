/* Shared memory of other blocks of the cluster: requests to their SMs, and serving those of others. One request carries
 * all lanes that name one block. Everything is answered, so that fences can wait for it and faults come back to the
 * instruction that asked. */
#include <string.h>

#include "sim/lane.h"
#include "sim/lsu_parts.h"
#include "sim/shared.h"

enum { SERVED, SERVED_NOBODY, SERVED_TOO_MANY, SERVED_TX_RANGE }; /* message.sectors of an answer */

static uint32_t rank_of(uint64_t addr)
{
    return (uint32_t)(addr >> CLUSTER_RANK_AT);
}

bool lsu_check_cluster(struct lsu *l, cycle now, uint32_t op, lanemask lanes)
{
    const struct effect *e = &l->effects[op];
    const struct warp_state *w = &l->warp[l->ops[op].warp];
    for (lanemask m = lanes; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(m), at = (uint32_t)(e->addr[lane] & ((1u << CLUSTER_RANK_AT) - 1));
        bool crooked = at & (e->bytes - 1U);
        at -= l->shared_base;
        bool inside = at <= lsu_warp_of(l, op)->shared_bytes && e->bytes <= lsu_warp_of(l, op)->shared_bytes - at;
        if (!crooked && inside && w->map && rank_of(e->addr[lane]) < w->map->blocks)
            continue;
        lsu_set_fault(l, now, op, lane, SPACE_CLUSTER, crooked, NULL);
        return false;
    }
    return true;
}

static uint32_t data_words(const struct effect *e)
{
    uint32_t words = e->bytes > 4 ? e->bytes / 4U : 1;
    if (e->kind == EFF_LOAD)
        return 0;
    return e->kind == EFF_STORE ? words : e->nword < 4 ? e->nword : 4;
}

static void fill_payload(struct payload *p, const struct effect *e, lanemask lanes)
{
    bool counted = e->op == OP_STAS || e->op == OP_REDAS; /* row 4: their mbarriers */
    uint32_t words = data_words(e);
    p->mask = lanes;
    p->inst = e->inst;
    p->bytes = e->bytes;
    for (lanemask m = lanes; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(m);
        p->addr[lane] = e->addr[lane] & ((1u << CLUSTER_RANK_AT) - 1);
        p->mbarrier[lane] = counted ? e->data[4][lane] & ((1u << CLUSTER_RANK_AT) - 1) : 0;
        for (uint32_t k = 0; k < words; k++)
            p->data[k][lane] = e->data[k][lane];
    }
}

void lsu_send_remote(struct lsu *l, cycle at, uint32_t request, uint32_t warp, uint32_t rank, uint32_t data_bytes)
{
    const struct warp_state *w = &l->warp[warp];
    uint64_t block = cluster_block(w->map, w->block, rank);
    must(l->nrequest <= 1u << 16 && w->launch < 1u << 16);
    msgbox_push(l->out, (struct message){.time = at,
                                         .source = l->smid,
                                         .seq = l->seq++,
                                         .dest = w->map->sm_of_block ? w->map->sm_of_block[block] : l->smid,
                                         .tag = w->launch << 16 | request,
                                         .payload = l->requests[request].payload,
                                         .kind = MSG_REMOTE_SHARED,
                                         .addr = block,
                                         .wire_bytes = (uint16_t)(l->cfg->noc_header_bytes + data_bytes)});
}

bool lsu_remote_room(const struct lsu *l)
{
    return lsu_has_payload(l) && l->requests_used + NWARP < l->nrequest;
}

/* The lanes that name the block of the first of them; false: no room for a request. */
bool lsu_remote_pass(struct lsu *l, cycle now, uint32_t op, lanemask *left)
{
    struct effect *e = &l->effects[op];
    uint32_t rank = rank_of(e->addr[__builtin_ctzll(*left)]);
    lanemask lanes = 0;
    for (lanemask m = *left; m; m &= m - 1)
        if (rank_of(e->addr[__builtin_ctzll(m)]) == rank)
            lanes |= m & (0 - m);
    if (!lsu_remote_room(l))
        return false;
    uint32_t r = lsu_take_request(l, REQ_REMOTE, op, 0, 0), i = lsu_take_payload(l);
    l->requests[r].payload = i;
    fill_payload(&l->payloads[i], e, lanes);
    l->ops[op].pending++;
    uint32_t bytes =
        e->kind == EFF_LOAD || e->kind == EFF_MBARRIER ? 0 : (uint32_t)__builtin_popcountll(lanes) * e->bytes;
    lsu_send_remote(l, now, r, l->ops[op].warp, rank, bytes);
    *left &= ~lanes;
    return true;
}

/* ---- serving ------------------------------------------------------------------------------------ */
static uint8_t step(struct lsu *l, cycle now, uint8_t *at, struct mbarrier_step s)
{
    const char *why;
    uint64_t word;
    memcpy(&word, at, sizeof word);
    enum mbarrier_outcome out = mbarrier_apply(&word, s);
    if (out == MBARRIER_TOO_MANY)
        return SERVED_TOO_MANY;
    if (out == MBARRIER_TX_RANGE)
        return SERVED_TX_RANGE;
    lsu_mbarrier_step(l, now, at, s, &why);
    return SERVED;
}

static void combine(struct payload *p, uint32_t lane, uint8_t *at)
{
    uint32_t words = p->bytes > 4 ? p->bytes / 4U : 1, x[8] = {0}, o[4] = {0};
    struct atomic_words old = {0, 0}, a = {0, 0}, b = {0, 0}, new;
    for (uint32_t k = 0; k < 4; k++)
        x[k] = p->data[k][lane];
    memcpy(&old, at, p->bytes);
    memcpy(&a, x, 4 * words);
    memcpy(&b, x + words, 4 * words);
    new = isa_atomic(p->inst, old, a, b);
    memcpy(at, &new, p->bytes);
    memcpy(o, &old, sizeof o);
    for (uint32_t k = 0; k < words && k < 4; k++)
        p->data[k][lane] = o[k];
}

static uint8_t serve_lane(struct lsu *l, cycle now, struct payload *p, uint32_t lane, uint8_t *shared, uint32_t bytes)
{
    const struct inst *in = p->inst;
    uint8_t *at = shared + ((uint32_t)p->addr[lane] - l->shared_base);
    uint32_t bar = p->mbarrier[lane] - l->shared_base;
    bool counted = p->mbarrier[lane] != 0;
    if (counted && (bar % MBARRIER_BYTES || bar > bytes || MBARRIER_BYTES > bytes - bar))
        return SERVED_NOBODY;
    if (!in || op_table[in->op].effect == EFF_STORE)
        lane_put(at, p->data, lane, p->bytes);
    else if (op_table[in->op].effect == EFF_LOAD)
        lane_get(p->data, lane, at, p->bytes);
    else if (op_table[in->op].effect == EFF_MBARRIER)
        return step(l, now, at, mbarrier_step_of(in, p->data[0][lane]));
    else
        combine(p, lane, at);
    return counted ? step(l, now, shared + bar, (struct mbarrier_step){.tx = -(int32_t)p->bytes}) : SERVED;
}

void lsu_serve(struct lsu *l, const struct message *m, struct payload *p, uint8_t *shared, uint32_t shared_bytes)
{
    uint8_t state = shared ? SERVED : SERVED_NOBODY;
    const struct inst *in = p->inst;
    enum effect_class kind = in ? op_table[in->op].effect : EFF_STORE;
    bool answers = kind == EFF_LOAD || kind == EFF_ATOMIC;
    uint32_t lanes = 0;
    for (uint64_t mask = p->mask; mask && state == SERVED; mask &= mask - 1, lanes++)
        state = serve_lane(l, m->time, p, (uint32_t)__builtin_ctzll(mask), shared, shared_bytes);
    struct banks b = {l->cfg->smem_banks, l->cfg->smem_bank_bytes, l->nlane, false};
    cycle busy = kind == EFF_MBARRIER ? 1 : shared_wavefronts(&b, p->mask, p->addr, p->bytes).total;
    l->stage_free = (l->stage_free > m->time ? l->stage_free : m->time) + busy;
    msgbox_push(l->out, (struct message){.time = l->stage_free + l->cfg->cluster_serve_cycles,
                                         .source = l->smid,
                                         .seq = l->seq++,
                                         .dest = m->source,
                                         .tag = m->tag & 0xffff,
                                         .payload = m->payload,
                                         .kind = MSG_REMOTE_REPLY,
                                         .sectors = state,
                                         .wire_bytes =
                                             (uint16_t)(l->cfg->noc_header_bytes + (answers ? lanes * p->bytes : 0))});
}

/* ---- answers ------------------------------------------------------------------------------------- */
bool lsu_remote_fails(struct lsu *l, const struct message *m, uint32_t op)
{
    static const char *const why[] = {
        NULL, "the block of the cluster that is named has ended, has not started, or has no such mbarrier",
        "more arrivals at an mbarrier of another block than its phase still expects",
        "the tx-count of an mbarrier of another block leaves its range of 2^20 - 1 bytes"};
    if (m->sectors == SERVED)
        return false;
    lsu_set_fault(l, m->time, op, 0, SPACE_CLUSTER, false, why[m->sectors & 3]);
    return true;
}
