/* Machine code without its scheduling fields: it runs wherever a hardware scoreboard does their work, also on parts
 * whose own machine code is another. Parameters and shared memory stay where the code's architecture puts them: the
 * launch lays them out by the program. */
#include "isa/isa.h"

#include <string.h>

bool program_unscheduled(const struct program *p)
{
    for (uint32_t k = 0; k < p->nkernel; k++)
        for (uint32_t i = 0; i < p->kernels[k].n; i++)
            if (p->kernels[k].code[i].sched.present)
                return false;
    return true;
}

void program_strip(struct program *p)
{
    for (uint32_t k = 0; k < p->nkernel; k++)
        for (uint32_t i = 0; i < p->kernels[k].n; i++)
            memset(&p->kernels[k].code[i].sched, 0, sizeof p->kernels[k].code[i].sched);
}

/* Exchange between lanes, and fragments that lie over the lanes, are written for a number of lanes. */
static bool counts_lanes(const struct inst *in)
{
    switch (in->op) {
    case OP_SHFL:
    case OP_VOTE:
    case OP_VOTEU:
    case OP_MATCH:
    case OP_REDUX:
    case OP_LDSM:
    case OP_MOVM:
    case OP_HMMA:
    case OP_IMMA:
    case OP_DMMA:
        return true;
    default:
        return false;
    }
}

const struct inst *program_counts_lanes(const struct program *p)
{
    for (uint32_t k = 0; k < p->nkernel; k++)
        for (uint32_t i = 0; i < p->kernels[k].n; i++)
            if (counts_lanes(&p->kernels[k].code[i]))
                return &p->kernels[k].code[i];
    return NULL;
}
