/* A path that goes round and changes nothing waits for what another path of its warp holds: it gives way. */
#include "isa/diverge.h"

/* Taken backward branches after which it is looked whether a lane spins on what another lane holds. */
enum { SPIN_SWITCH = 32 };

static uint64_t registers_hash(const struct warp *w)
{
    const struct split *s = &w->split[w->cur];
    uint32_t nlane = w->env->nlane, l;
    uint64_t h = s->pc;
    for (uint32_t r = 0; r < kernel_registers(w->env->kernel); r++)
        FOR_MASK(l, s->mask) h = (h ^ w->reg[r * nlane + l]) * UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t r = 0; r < NUREG; r++)
        h = (h ^ w->ureg[r]) * UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t p = 0; p < NPRED; p++)
        h = (h ^ (w->pred[p] & s->mask)) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ s->mask;
}
/* The running split has come round often: if nothing in its registers has changed since it was looked at last, others
 * run. (What was seen before the paths parted, or in an earlier launch, does not count: code that runs again may come
 * to the same registers without going round.) */
static void look_whether_it_spins(struct warp *w)
{
    uint64_t h = registers_hash(w);
    w->spins = 0;
    if (h != w->spin_hash) {
        w->spin_hash = h;
        return;
    }
    diverge_yield(w);
}
void diverge_count_spin(struct warp *w, uint32_t from, uint32_t target)
{
    if (target <= from && w->nsplit > 1 && !w->env->divergence_stack && ++w->spins >= SPIN_SWITCH)
        look_whether_it_spins(w);
}
