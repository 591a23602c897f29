/* A DRAM channel's scheduler. First ready, first come: of the commands that can be issued soonest, column accesses
 * before row commands, then the oldest; rows stay open until another is needed, the bank is refreshed, or no access has
 * wanted the row for dram.row_idle_clocks; like a refresh, that is worked out when the bank is next looked at. Once the
 * oldest access has waited beyond the starvation limit, its bank works for it alone. Writes wait until many have
 * gathered or no read is left. Banks are refreshed in turn, each at its due time, whatever waits; a refresh is worked
 * out when the bank is next looked at, which gives the same times as watching it. Not modelled: power states,
 * command-bus conflicts (HBM has separate row and column buses), ECC traffic. */
#include "sim/dram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/dramrules.h"

enum { DRAM_NONE = 0xffffffffu, MOST_GROUPS = 64 };
enum cause { CAUSE_HIT, CAUSE_MISS, CAUSE_CONFLICT };
/* Entries and banks fill a line of the host's caches each: hundreds of channels take turns. */
struct entry {
    _Alignas(HOST_LINE) struct dram_access a;
    tick arrived;
    uint64_t order;
    uint8_t cause;
    uint32_t next, prev;           /* in the queue, by age */
    uint32_t bank_next, bank_prev; /* in the bank's list */
};
struct list {
    uint32_t first, last;
};
struct bank {
    _Alignas(HOST_LINE) uint32_t row; /* open row, DRAM_NONE: closed */
    bool conflict;                    /* closed for an access that waits */
    uint8_t group;
    uint8_t want;        /* enum dram_cmd: the command wanted next in the present direction, */
    uint32_t want_entry; /* and for which access */
    tick own;            /* when the bank itself allows that command */
    uint64_t key;        /* rank among commands of one tick: columns first, then by age */
    tick refresh_due;
    tick last_column;  /* of the open row */
    struct list of[2]; /* accesses that wait, [write] */
};
_Static_assert(sizeof(struct entry) == HOST_LINE && sizeof(struct bank) == HOST_LINE, "one line each");
struct choice { /* the command to issue next, unless something is pushed before */
    tick at;
    uint64_t key;
    uint32_t bank; /* DRAM_NONE: look */
};
struct dram {
    const struct config *cfg;
    struct choice chosen;
    struct dram_rules *rules;
    struct divisor tick_num, tick_den; /* ticks of a cycle: the one by the other */
    uint32_t capacity, high, low;      /* entries a direction; write batches */
    tick starvation;
    struct entry *entries;
    uint32_t free;
    struct list queue[2];
    uint32_t n[2];
    bool draining, write_mode;
    /* Banks by what they want, a bit a bank of the group; `undecided` must be asked. */
    uint64_t undecided[MOST_GROUPS], column[MOST_GROUPS], row[MOST_GROUPS];
    uint64_t any_undecided, any_column, any_row; /* a bit a group */
    struct choice next_row;                      /* the row command that is ready first, unless bank DRAM_NONE: look */
    struct bank *banks;
    struct bank_view *views;
    tick clock;
    tick next; /* of the next command; UINT64_MAX */
    uint64_t order;
    struct dram_counters counters;
    bool record;
    struct command_record *records;
    uint32_t nrecord, record_cap;
};

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t t = a % b;
        a = b;
        b = t;
    }
    return a;
}

/* x * by / per, rounded up if so wanted */
static uint64_t scale(uint64_t x, uint64_t by, const struct divisor *per, bool up)
{
    uint64_t product;
    if (__builtin_mul_overflow(x, by, &product))
        return (uint64_t)(((unsigned __int128)x * by + (up ? per->by - 1 : 0)) / per->by);
    return !up ? quotient_of(product, per) : product ? quotient_of(product - 1, per) + 1 : 0;
}

static tick tick_of(const struct dram *d, cycle c)
{
    return scale(c, d->tick_num.by, &d->tick_den, false);
}

/* The first cycle that begins no sooner. */
static cycle cycle_after(const struct dram *d, tick t)
{
    return scale(t, d->tick_den.by, &d->tick_num, true);
}

/* The cycle in which the tick can be used: the first with t < tick_of(c + 1). Memory may be the slower clock. */
static cycle cycle_of(const struct dram *d, tick t)
{
    return cycle_after(d, t + 1) - 1;
}

struct dram *dram_new(const struct config *c, uint32_t number)
{
    struct dram *d = xcalloc(1, sizeof *d);
    d->cfg = c;
    d->rules = dram_rules_new(c);
    must(c->dram_bank_groups <= MOST_GROUPS && c->dram_banks <= 64);
    uint64_t mem = (uint64_t)llround(c->mem_mhz * 1000), sm = (uint64_t)llround(c->sm_mhz * 1000), g = gcd(mem, sm);
    d->tick_num = divisor_of(mem / g);
    d->tick_den = divisor_of(sm / g);
    d->capacity = c->dram_queue;
    d->high = (uint32_t)(d->capacity * c->dram_write_begin);
    d->high = d->high ? d->high : 1;
    d->low = (uint32_t)(d->capacity * c->dram_write_end);
    d->low = d->low < d->high ? d->low : d->high - 1;
    d->starvation = c->dram_starvation;
    d->entries = xalloc_aligned(2 * (size_t)d->capacity * sizeof *d->entries, HOST_LINE);
    for (uint32_t i = 0; i < 2 * d->capacity; i++)
        d->entries[i].next = i + 1 < 2 * d->capacity ? i + 1 : DRAM_NONE;
    d->banks = xalloc_aligned(d->rules->nbank * sizeof *d->banks, HOST_LINE);
    d->views = xcalloc(d->rules->nbank, sizeof *d->views);
    /* Channels do not refresh at one time, least of all those of one slice, which hold the parts of a line: a whole
     * line meets a refresh about twice as often as half of one (measured: 720 cycles against 686, micro_loaded_pieces
     * and micro_chase_cold), four lines in a row hardly more often than one. */
    uint32_t own = c->dram_channels > c->l2_slices ? c->dram_channels / c->l2_slices : 1;
    tick later = d->rules->refi * number / c->dram_channels + d->rules->refi * (number % own) / own;
    for (uint32_t b = 0; b < d->rules->nbank; b++) {
        struct list none = {DRAM_NONE, DRAM_NONE};
        d->banks[b] = (struct bank){.row = DRAM_NONE,
                                    .of = {none, none},
                                    .want_entry = DRAM_NONE,
                                    .group = (uint8_t)(b / c->dram_banks),
                                    .refresh_due = d->rules->refi * (b + 1) / d->rules->nbank + later};
        d->views[b].open_row = -1;
    }
    d->queue[0] = d->queue[1] = (struct list){DRAM_NONE, DRAM_NONE};
    d->next = UINT64_MAX;
    d->chosen.bank = d->next_row.bank = DRAM_NONE;
    return d;
}

void dram_free(struct dram *d)
{
    if (!d)
        return;
    dram_rules_free(d->rules);
    free(d->entries);
    free(d->banks);
    free(d->views);
    free(d->records);
    free(d);
}

/* ---- what banks want --------------------------------------------------------------------------------- */
static uint64_t bit_of(const struct dram *d, uint32_t bank)
{
    return UINT64_C(1) << (bank - d->banks[bank].group * d->rules->per_group);
}

/* The bank's wish is out of date. */
static void ask(struct dram *d, uint32_t bank)
{
    uint32_t g = d->banks[bank].group;
    uint64_t bit = bit_of(d, bank);
    d->undecided[g] |= bit;
    d->column[g] &= ~bit;
    d->row[g] &= ~bit;
    d->any_undecided |= UINT64_C(1) << g;
    if (!d->column[g])
        d->any_column &= ~(UINT64_C(1) << g);
    if (!d->row[g])
        d->any_row &= ~(UINT64_C(1) << g);
    if (d->next_row.bank == bank)
        d->next_row.bank = DRAM_NONE;
}

static void close_idle(struct dram *d, uint32_t bank, tick by);

/* ---- queues -------------------------------------------------------------------------------------- */
bool dram_room(const struct dram *d, bool write)
{
    return d->n[write] < d->capacity;
}

void dram_push(struct dram *d, cycle now, const struct dram_access *a)
{
    must(dram_room(d, a->write) && a->bursts);
    uint32_t i = d->free;
    struct entry *e = &d->entries[i];
    d->free = e->next;
    *e = (struct entry){
        .a = *a, .arrived = tick_of(d, now), .order = d->order++, .next = DRAM_NONE, .bank_next = DRAM_NONE};
    struct bank *b = &d->banks[a->bank];
    struct list *q = &d->queue[a->write], *l = &b->of[a->write];
    if (b->of[0].first == DRAM_NONE && b->of[1].first == DRAM_NONE)
        close_idle(d, a->bank, e->arrived);
    e->prev = q->last;
    *(q->last == DRAM_NONE ? &q->first : &d->entries[q->last].next) = i;
    q->last = i;
    e->bank_prev = l->last;
    *(l->last == DRAM_NONE ? &l->first : &d->entries[l->last].bank_next) = i;
    l->last = i;
    d->n[a->write]++;
    if (a->write == d->write_mode)
        ask(d, a->bank);
    if (d->clock < e->arrived)
        d->clock = e->arrived;
    d->next = d->clock; /* look again */
    d->chosen.bank = DRAM_NONE;
}

static void take_out(struct dram *d, uint32_t i)
{
    struct entry *e = &d->entries[i];
    bool w = e->a.write;
    struct list *q = &d->queue[w], *l = &d->banks[e->a.bank].of[w];
    *(e->prev == DRAM_NONE ? &q->first : &d->entries[e->prev].next) = e->next;
    *(e->next == DRAM_NONE ? &q->last : &d->entries[e->next].prev) = e->prev;
    *(e->bank_prev == DRAM_NONE ? &l->first : &d->entries[e->bank_prev].bank_next) = e->bank_next;
    *(e->bank_next == DRAM_NONE ? &l->last : &d->entries[e->bank_next].bank_prev) = e->bank_prev;
    d->n[w]--;
    e->next = d->free;
    d->free = i;
}

/* ---- commands -------------------------------------------------------------------------------------- */
static void note(struct dram *d, enum dram_cmd cmd, uint32_t bank, uint32_t row, tick at)
{
    if (d->nrecord == d->record_cap) {
        d->record_cap = d->record_cap ? 2 * d->record_cap : 256;
        d->records = xrealloc(d->records, d->record_cap, sizeof *d->records);
    }
    d->records[d->nrecord++] =
        (struct command_record){.time = cycle_of(d, at), .row = row, .bank = (uint8_t)bank, .command = (uint8_t)cmd};
}

static void close_row(struct dram *d, uint32_t bank, tick at)
{
    dram_rules_issue(d->rules, DRAM_PRE, bank, at);
    if (d->record)
        note(d, DRAM_PRE, bank, d->banks[bank].row, at);
    d->banks[bank].row = DRAM_NONE;
    d->views[bank].open_row = -1;
}

/* Closes the row that no access has wanted for long enough by then: those that wait have come since. */
static void close_idle(struct dram *d, uint32_t bank, tick by)
{
    const struct bank *b = &d->banks[bank];
    tick at = b->last_column + d->cfg->dram_row_idle, least = d->rules->bank[bank].earliest[DRAM_PRE];
    at = at > least ? at : least;
    if (b->row != DRAM_NONE && at < by)
        close_row(d, bank, at);
}

/* The bank's refresh that is due; every command so far was issued before it. */
static void refresh(struct dram *d, uint32_t bank)
{
    close_idle(d, bank, d->banks[bank].refresh_due);
    struct bank *b = &d->banks[bank];
    struct dram_rules *r = d->rules;
    if (b->row != DRAM_NONE) {
        tick p = r->bank[bank].earliest[DRAM_PRE];
        close_row(d, bank, p > b->refresh_due ? p : b->refresh_due);
    }
    tick at = dram_rules_earliest(r, DRAM_REF, bank);
    at = at > b->refresh_due ? at : b->refresh_due;
    dram_rules_issue(r, DRAM_REF, bank, at);
    if (d->record)
        note(d, DRAM_REF, bank, 0, at);
    b->refresh_due += r->refi;
    d->counters.refreshes++;
    ask(d, bank);
}

/* Which command does the bank need next, and for whom? A row that is open serves its accesses first, unless the
 * oldest access of all has waited too long. */
static void decide(struct dram *d, uint32_t bank, uint32_t starving)
{
    struct bank *b = &d->banks[bank];
    uint32_t i = starving != DRAM_NONE ? starving : b->of[d->write_mode].first;
    if (i == DRAM_NONE)
        return;
    if (starving == DRAM_NONE && b->row != DRAM_NONE)
        for (uint32_t k = i; k != DRAM_NONE; k = d->entries[k].bank_next)
            if (d->entries[k].a.row == b->row) {
                i = k;
                break;
            }
    if (b->row != DRAM_NONE && d->entries[i].a.row != b->row)
        close_idle(d, bank, d->clock);
    b->want_entry = i;
    b->key = d->entries[i].order;
    bool hit = d->entries[i].a.row == b->row;
    b->want = b->row == DRAM_NONE ? DRAM_ACT : !hit ? DRAM_PRE : d->write_mode ? DRAM_WR : DRAM_RD;
    b->own = d->rules->bank[bank].earliest[b->want];
    if (hit) {
        d->column[b->group] |= bit_of(d, bank);
        d->any_column |= UINT64_C(1) << b->group;
        return;
    }
    d->row[b->group] |= bit_of(d, bank);
    d->any_row |= UINT64_C(1) << b->group;
    tick at = dram_rules_shared(d->rules, b->want, b->group, b->own);
    struct choice *r = &d->next_row;
    if (r->bank != DRAM_NONE && (at < r->at || (at == r->at && b->key < r->key)))
        *r = (struct choice){at, b->key, bank};
}

static void decide_all(struct dram *d, uint32_t starving)
{
    uint32_t starving_bank = starving == DRAM_NONE ? DRAM_NONE : d->entries[starving].a.bank;
    for (uint64_t groups = d->any_undecided; groups; groups &= groups - 1) {
        uint32_t g = (uint32_t)__builtin_ctzll(groups);
        for (uint64_t m = d->undecided[g]; m; m &= m - 1) {
            uint32_t bank = g * d->rules->per_group + (uint32_t)__builtin_ctzll(m);
            decide(d, bank, bank == starving_bank ? starving : DRAM_NONE);
        }
        d->undecided[g] = 0;
    }
    d->any_undecided = 0;
}

static void set_direction(struct dram *d)
{
    if (d->n[1] >= d->high)
        d->draining = true;
    if (d->n[1] <= d->low)
        d->draining = false;
    bool write = d->n[1] && (d->draining || !d->n[0]);
    if (write == d->write_mode)
        return;
    d->write_mode = write;
    for (uint32_t b = 0; b < d->rules->nbank; b++)
        ask(d, b);
}

/* The column access that can go soonest; of several, the oldest. */
static struct choice best_column(const struct dram *d)
{
    enum dram_cmd cmd = d->write_mode ? DRAM_WR : DRAM_RD;
    struct choice best = {UINT64_MAX, UINT64_MAX, DRAM_NONE};
    tick channel = d->rules->channel.earliest[cmd];
    channel = channel > d->clock ? channel : d->clock;
    for (uint64_t groups = d->any_column; groups; groups &= groups - 1) {
        uint32_t g = (uint32_t)__builtin_ctzll(groups);
        tick group = d->rules->group[g].earliest[cmd];
        group = group > channel ? group : channel;
        if (group > best.at)
            continue;
        for (uint64_t m = d->column[g]; m; m &= m - 1) {
            uint32_t bank = g * d->rules->per_group + (uint32_t)__builtin_ctzll(m);
            const struct bank *b = &d->banks[bank];
            tick at = b->own > group ? b->own : group;
            if (at < best.at || (at == best.at && b->key < best.key))
                best = (struct choice){at, b->key, bank};
        }
    }
    return best;
}

/* The row command that became or becomes ready first. Only row commands change this, and banks that wish anew. */
static void find_row(struct dram *d)
{
    struct choice best = {UINT64_MAX, UINT64_MAX, DRAM_NONE};
    for (uint64_t groups = d->any_row; groups; groups &= groups - 1) {
        uint32_t g = (uint32_t)__builtin_ctzll(groups);
        for (uint64_t m = d->row[g]; m; m &= m - 1) {
            uint32_t bank = g * d->rules->per_group + (uint32_t)__builtin_ctzll(m);
            const struct bank *b = &d->banks[bank];
            tick at = dram_rules_shared(d->rules, b->want, g, b->own);
            if (at < best.at || (at == best.at && b->key < best.key))
                best = (struct choice){at, b->key, bank};
        }
    }
    d->next_row = best;
}

static bool choose(struct dram *d, struct choice *best)
{
    for (;;) {
        set_direction(d);
        uint32_t oldest = d->queue[d->write_mode].first;
        best->bank = DRAM_NONE;
        if (oldest == DRAM_NONE)
            return false;
        const struct entry *e = &d->entries[oldest];
        uint32_t starving = d->clock > e->arrived + d->starvation ? oldest : DRAM_NONE;
        if (starving != DRAM_NONE && d->banks[e->a.bank].want_entry != oldest)
            ask(d, e->a.bank);
        decide_all(d, starving);
        if (d->next_row.bank == DRAM_NONE)
            find_row(d);
        *best = best_column(d);
        if (d->next_row.bank != DRAM_NONE) {
            tick at = d->next_row.at > d->clock ? d->next_row.at : d->clock;
            if (at < best->at)
                *best = (struct choice){at, d->next_row.key, d->next_row.bank};
        }
        if (best->at < d->banks[best->bank].refresh_due)
            return true;
        refresh(d, best->bank);
    }
}

static void count_column(struct dram *d, struct entry *e)
{
    if (e->cause == CAUSE_HIT)
        d->counters.row_hits++;
    else if (e->cause == CAUSE_MISS)
        d->counters.row_misses++;
    else
        d->counters.row_conflicts++;
    e->cause = CAUSE_HIT;
    d->counters.bus_busy += d->rules->burst;
    *(e->a.write ? &d->counters.writes : &d->counters.reads) += 1;
}

/* Issues the wanted command; true if it was the last burst of its access, told in *done. */
static bool issue(struct dram *d, const struct choice *c, struct dram_done *done)
{
    struct bank *b = &d->banks[c->bank];
    uint32_t i = b->want_entry;
    struct entry *e = &d->entries[i];
    enum dram_cmd cmd = b->want;
    d->clock = c->at;
    if (cmd == DRAM_PRE) {
        close_row(d, c->bank, c->at);
        b->conflict = true;
        ask(d, c->bank);
        d->next_row.bank = DRAM_NONE;
        return false;
    }
    dram_rules_issue(d->rules, cmd, c->bank, c->at);
    if (d->record)
        note(d, cmd, c->bank, e->a.row, c->at);
    if (cmd == DRAM_ACT) {
        b->row = e->a.row;
        d->views[c->bank].open_row = (int32_t)e->a.row;
        d->views[c->bank].activates++;
        d->counters.activates++;
        e->cause = b->conflict ? CAUSE_CONFLICT : CAUSE_MISS;
        b->conflict = false;
        ask(d, c->bank);
        d->next_row.bank = DRAM_NONE;
        return false;
    }
    count_column(d, e);
    b->last_column = c->at;
    b->own = d->rules->bank[c->bank].earliest[cmd];
    if (--e->a.bursts)
        return false; /* the same access goes on wanting its next burst */
    tick end = c->at + (e->a.write ? d->rules->cwl : d->rules->cl) + d->rules->burst;
    *done = (struct dram_done){e->a.tag, cycle_after(d, end), e->a.write};
    take_out(d, i);
    ask(d, c->bank);
    return true;
}

size_t dram_run(struct dram *d, cycle now, struct dram_done *done)
{
    tick limit = tick_of(d, now + 1);
    size_t n = 0;
    struct choice *c = &d->chosen;
    d->next = UINT64_MAX;
    while (c->bank != DRAM_NONE || choose(d, c)) {
        if (c->at >= limit) {
            d->next = c->at;
            break;
        }
        n += issue(d, c, &done[n]);
        c->bank = DRAM_NONE;
    }
    return n;
}

size_t dram_most_done(const struct dram *d)
{
    return 2 * (size_t)d->capacity;
}

cycle dram_next(const struct dram *d)
{
    return d->next == UINT64_MAX ? UINT64_MAX : cycle_of(d, d->next);
}

bool dram_idle(const struct dram *d)
{
    return !d->n[0] && !d->n[1];
}

void dram_settle(struct dram *d, cycle now)
{
    must(dram_idle(d));
    tick t = tick_of(d, now);
    for (uint32_t b = 0; b < d->rules->nbank; b++)
        while (d->banks[b].refresh_due <= t)
            refresh(d, b);
}

struct dram_counters *dram_counters(struct dram *d)
{
    return &d->counters;
}

const struct bank_view *dram_banks(const struct dram *d, uint32_t *n)
{
    *n = d->rules->nbank;
    return d->views;
}

void dram_record(struct dram *d, bool on)
{
    d->record = on;
    d->nrecord = 0;
}

const struct command_record *dram_records(const struct dram *d, uint32_t *n)
{
    *n = d->nrecord;
    return d->records;
}
