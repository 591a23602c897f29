/* What of the LSU the host's caches are asked for ahead of its use (hostcache.h). */
#include "sim/hostcache.h"
#include "sim/lsu_parts.h"

#include <stddef.h>

static void ask_op(const struct lsu *l, uint32_t op)
{
    const struct effect *e = &l->effects[op];
    host_ask(&l->ops[op], sizeof *l->ops);
    host_ask(e, offsetof(struct effect, addr));
}

void lsu_ask_issue(const struct lsu *l, uint32_t warp)
{
    host_ask(&l->warp[warp], offsetof(struct warp_state, map));
    if (l->free_op != OP_NONE)
        ask_op(l, l->free_op);
}

static uint32_t first_waiter(const struct lsu *l, const struct request *q)
{
    return q->kind == REQ_READ ? l->miss.miss[q->miss].waiters : MISS_NONE;
}

uint64_t lsu_ask_answer(const struct lsu *l, uint32_t tag, uint32_t step)
{
    if (tag >= l->nrequest)
        return 0;
    const struct request *q = &l->requests[tag];
    if (step == 0) {
        host_ask(q, sizeof *q);
        return 0;
    }
    if (step == 1) {
        host_ask(&l->warp[q->warp % NWARP], offsetof(struct warp_state, map));
        if (q->fill)
            l1_ask(&l->l1, q->line);
        if (q->kind == REQ_READ)
            host_ask(&l->miss.miss[q->miss], sizeof *l->miss.miss);
        return 0;
    }
    uint32_t waiter = first_waiter(l, q), op = q->op;
    if (step == 2) {
        if (waiter != MISS_NONE)
            host_ask(&l->miss.waiter[waiter], sizeof *l->miss.waiter);
        return 0;
    }
    if (waiter != MISS_NONE)
        op = l->miss.waiter[waiter].op;
    if (op >= l->nop)
        return 0;
    if (step == 3) {
        host_ask(&l->ops[op], sizeof *l->ops);
        host_ask(&l->effects[op], offsetof(struct effect, addr));
        host_ask(l->effects[op].data[0], l->nlane * sizeof **l->effects[op].data);
        return 0;
    }
    return UINT64_C(1) << l->ops[op].warp % NWARP;
}
