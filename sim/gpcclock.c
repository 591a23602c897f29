/* The clock of a GPC under matrix products. An H200's GPC lowers its clock by a twelfth as soon as one warp in it uses
 * a matrix unit, loses a moment when the clock goes down and again when it comes up some hundred cycles after the last
 * product; GPCs without products keep theirs (measured: tests/data/matrix_clock.h200.txt). The model's time base
 * stays the SM cycle; what is lost is added once the launch is over, in cycles of the full clock. So memory, whose
 * clock does not change, appears slower than it is by as much: not modelled. */
#include "sim/result.h"

/* By one SM, up to the launch's end. */
static double lost(const struct config *c, const struct sm_counters *n, cycle until, cycle end)
{
    cycle pause = end > until ? end - until : 0;
    bool up = pause > c->matrix_hold_cycles;
    cycle low = n->matrix_clock_cycles + (up ? c->matrix_hold_cycles : pause);
    double downs = (double)n->matrix_clock_downs, ups = up ? downs : downs - 1;
    return (double)low * (1 / c->matrix_clock - 1) +
           (downs * c->matrix_down_ns + ups * c->matrix_up_ns) * c->sm_mhz / 1e3;
}

void gpc_clock_lost(const struct engine *e, const struct launch_result *r, cycle end, double *most, double *least)
{
    const struct config *c = e->cfg;
    double gpc[NGPC] = {0};
    for (uint32_t s = 0; s < c->nsm; s++)
        if (r->sms[s].matrix_clock_downs) {
            double x = lost(c, &r->sms[s], sm_matrix_until(e->sms[s]), end);
            gpc[c->gpc_of_sm[s]] = x > gpc[c->gpc_of_sm[s]] ? x : gpc[c->gpc_of_sm[s]];
        }
    *most = *least = gpc[0];
    for (uint32_t g = 1; g < c->ngpc; g++) {
        *most = gpc[g] > *most ? gpc[g] : *most;
        *least = gpc[g] < *least ? gpc[g] : *least;
    }
}
