/* One DRAM channel: banks with rows, the timing rules of dram.def, and a scheduler (first ready, first come; writes in
 * batches; refresh by bank). Its time is the memory clock, in ticks since cycle 0; conversions are exact. */
#ifndef HEDDLE_SIM_DRAM_H
#define HEDDLE_SIM_DRAM_H

#include "sim/sim.h"

typedef uint64_t tick;

struct dram_access {
    uint32_t bank;       /* bank group * banks per group + bank */
    uint32_t row, column;/* column in bursts */
    uint32_t bursts;     /* consecutive columns still to transfer */
    bool write;
    uint32_t tag;        /* the owner's */
};
struct dram_done {
    uint32_t tag;
    cycle time;          /* last byte on the bus */
    bool write;
};
struct dram;
struct dram *dram_new(const struct config *c, uint32_t number); /* number: of the channel, among all */
void dram_free(struct dram *d);
bool dram_room(const struct dram *d, bool write);
void dram_push(struct dram *d, cycle now, const struct dram_access *a);
/* Issues what is due by the end of cycle `now`; accesses whose last burst was issued are put in done (room for
 * dram_most_done of them); returns their number. */
size_t dram_run(struct dram *d, cycle now, struct dram_done *done);
size_t dram_most_done(const struct dram *d);
/* Cycle of the next command; UINT64_MAX: the queues are empty. */
cycle dram_next(const struct dram *d);
bool dram_idle(const struct dram *d);
/* Refreshes due by now are counted, so that counters do not depend on when somebody looks. */
void dram_settle(struct dram *d, cycle now);
struct dram_counters { uint64_t activates, row_hits, row_misses, row_conflicts, refreshes, bus_busy, reads, writes; };
struct dram_counters *dram_counters(struct dram *d);
const struct bank_view *dram_banks(const struct dram *d, uint32_t *n);
/* Records of commands for observers: empties them and says whether the next ones are kept; valid until then. */
void dram_record(struct dram *d, bool on);
const struct command_record *dram_records(const struct dram *d, uint32_t *n);

/* For tests: the rules alone. */
struct dram_rules;
struct dram_rules *dram_rules_new(const struct config *c);
void dram_rules_free(struct dram_rules *r);
tick dram_rules_earliest(const struct dram_rules *r, enum dram_cmd cmd, uint32_t bank);
void dram_rules_issue(struct dram_rules *r, enum dram_cmd cmd, uint32_t bank, tick at);
struct dram_rule { enum dram_scope { DRAM_BANK, DRAM_GROUP, DRAM_CHANNEL } scope; enum dram_cmd earlier, later; tick delay; uint32_t window; const char *text; };
const struct dram_rule *dram_rules_table(const struct dram_rules *r, size_t *n);

#endif
