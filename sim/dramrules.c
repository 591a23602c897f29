/* The timing rules of dram.def at work. For each scope the earliest tick of each command is kept; issuing a command
 * moves those of the rules that name it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/dramrules.h"

static tick ticks(const struct config *c, double ns)
{
    double t = ns * c->mem_mhz / 1000;
    return (tick)ceil(t - 0.02); /* parameters are multiples of a clock that is not quite the configured one */
}

static void fill_table(struct dram_rules *r, const struct config *c)
{
    size_t n = 0;
#define T(x)  ticks(c, c->dram_##x##_ns)
#define BURST r->burst
#define RULE(scope, earlier, later, delay, window)                                                                     \
    must(n < MOST_RULES);                                                                                              \
    r->table[n++] = (struct dram_rule){DRAM_##scope, DRAM_##earlier, DRAM_##later,                                     \
                                       delay,        window,         #scope ": " #earlier " to " #later ", " #delay};
#include "sim/dram.def"
#undef T
#undef BURST
    r->nrule = n;
}

struct dram_rules *dram_rules_new(const struct config *c)
{
    struct dram_rules *r = xcalloc(1, sizeof *r);
    r->per_group = c->dram_banks;
    r->nbank = c->dram_banks * c->dram_bank_groups;
    r->burst = (tick)ceil(c->dram_burst_bytes / c->dram_channel_bytes - 1e-9);
    r->cl = ticks(c, c->dram_tCL_ns);
    r->cwl = ticks(c, c->dram_tCWL_ns);
    r->refi = ticks(c, c->dram_tREFI_ns);
    r->bank = xcalloc(r->nbank, sizeof *r->bank);
    r->group = xcalloc(c->dram_bank_groups, sizeof *r->group);
    fill_table(r, c);
    for (size_t i = 0; i < r->nrule; i++) {
        const struct dram_rule *u = &r->table[i];
        must(u->window <= MOST_WINDOW && (u->window == 1 || u->scope == DRAM_CHANNEL));
        must(r->nof[u->earlier] < MOST_OF_CMD && u->delay <= UINT32_MAX);
        r->of_cmd[u->earlier][r->nof[u->earlier]++] =
            (struct dram_move){(uint8_t)u->scope, (uint8_t)u->later, (uint8_t)u->window, (uint32_t)u->delay};
        r->in_window[u->earlier] |= u->window > 1;
    }
    return r;
}

void dram_rules_free(struct dram_rules *r)
{
    if (!r)
        return;
    free(r->bank);
    free(r->group);
    free(r);
}

tick dram_rules_earliest(const struct dram_rules *r, enum dram_cmd cmd, uint32_t bank)
{
    return dram_rules_shared(r, cmd, bank / r->per_group, r->bank[bank].earliest[cmd]);
}

static void raise(tick *t, tick to)
{
    if (*t < to)
        *t = to;
}

void dram_rules_issue(struct dram_rules *r, enum dram_cmd cmd, uint32_t bank, tick at)
{
    tick *ring = r->ring[cmd];
    uint32_t *n = &r->issued[cmd];
    if (r->in_window[cmd]) {
        ring[*n % MOST_WINDOW] = at;
        ++*n;
    }
    for (uint32_t i = 0; i < r->nof[cmd]; i++) {
        const struct dram_move *u = &r->of_cmd[cmd][i];
        if (u->scope == DRAM_BANK)
            raise(&r->bank[bank].earliest[u->later], at + u->delay);
        else if (u->scope == DRAM_GROUP)
            raise(&r->group[bank / r->per_group].earliest[u->later], at + u->delay);
        else if (u->window == 1)
            raise(&r->channel.earliest[u->later], at + u->delay);
        else if (*n >= u->window)
            raise(&r->channel.earliest[u->later], ring[(*n - u->window) % MOST_WINDOW] + u->delay);
    }
}

const struct dram_rule *dram_rules_table(const struct dram_rules *r, size_t *n)
{
    *n = r->nrule;
    return r->table;
}
