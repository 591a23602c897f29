/* Counters of an SM that follow from those of its instructions: summed when somebody asks, so that issuing an
 * instruction writes only one short record. */
#include "sim/sm_core.h"

static void add_instruction_counts(struct sm_counters *n, const struct idesc *d, uint16_t op, struct pc_counters *p)
{
    p->stall[STALL_selected] = p->executed; /* each was selected once */
    n->inst_executed += p->executed;
    n->thread_inst += p->thread_executed;
    n->thread_inst_pred_on += p->thread_pred_on;
    n->unit_issued[d->unit] += p->executed;
    n->op_executed[op] += p->executed;
    if (d->counter != 0xffff)
        ((uint64_t *)n)[d->counter] += p->thread_pred_on;
    for (uint32_t i = 0; i < STALL_COUNT; i++)
        n->stall[i] += p->stall[i];
}

void counters_sum(struct sm *s)
{
    struct sm_counters *n = &s->counters;
    n->inst_executed = n->thread_inst = n->thread_inst_pred_on = 0;
    memset(n->unit_issued, 0, sizeof n->unit_issued);
    memset(n->op_executed, 0, sizeof n->op_executed);
    memset(n->stall, 0, sizeof n->stall);
    for (size_t l = 0; l < s->nlaunch; l++) {
        const struct timing *t = s->launches[l]->timing;
        for (uint32_t i = 0; i < t->n; i++) /* first to zero what only instructions count */
            if (t->desc[i].counter != 0xffff)
                ((uint64_t *)n)[t->desc[i].counter] = 0;
    }
    for (size_t l = 0; l < s->nlaunch; l++) {
        const struct timing *t = s->launches[l]->timing;
        const struct inst *code = s->launches[l]->launch.kernel->code;
        for (uint32_t i = 0; i < t->n; i++)
            if (s->pcs[l][i].executed)
                add_instruction_counts(n, &t->desc[i], code[i].op, &s->pcs[l][i]);
    }
}

cycle sm_matrix_until(const struct sm *s)
{
    return s->matrix_until;
}

struct sm_counters *sm_counters(struct sm *s)
{
    counters_sum(s);
    return &s->counters;
}

const struct pc_counters *sm_pcs(struct sm *s, size_t launch, uint32_t *n)
{
    counters_sum(s);
    *n = s->launches[launch]->launch.kernel->n;
    return s->pcs[launch];
}
