/* A memory partition: a group of L2 slices with their DRAM channels. Event-driven; takes requests from its inbox in
 * (time, source, seq) order, answers through its outbox. */
#ifndef HEDDLE_SIM_MEMPART_H
#define HEDDLE_SIM_MEMPART_H

#include "sim/memory.h"
#include "sim/message.h"
#include "sim/sim.h"

struct mempart;
/* payload_of: finds the payload of a request (the requester's pool); of a MSG_WRITE there is a head only. */
typedef struct payload_head *payload_fn(void *arg, uint32_t source, uint32_t index);
struct mempart *mempart_new(const struct config *c, uint32_t index, struct memory *mem, payload_fn *payload_of, void *arg);
void mempart_free(struct mempart *p);
void mempart_run(struct mempart *p, cycle from, cycle to);
struct msgbox *mempart_inbox(struct mempart *p);
struct msgbox *mempart_outboxes(struct mempart *p); /* answers in the order of their time, a box for each GPC */
struct storelog *mempart_log(struct mempart *p);
/* Banks of one of its channels; false if there is no such channel. */
bool mempart_channel_view(const struct mempart *p, uint32_t channel, struct channel_view *out);
void mempart_record(struct mempart *p, uint32_t channel, bool on); /* DRAM commands of the next window, for observers */
bool mempart_idle(const struct mempart *p);          /* nothing queued, no DRAM transfer pending (write-backs aside) */
cycle mempart_next_event(const struct mempart *p);
struct mp_counters *mempart_counters(struct mempart *p);
void mempart_begin_launch(struct mempart *p);        /* counters to zero, dirty sectors counted */
void mempart_end_launch(struct mempart *p);
void mempart_fill_clean(struct mempart *p);          /* L2 full of clean lines of no allocation */
void mempart_invalidate(struct mempart *p);

/* Which partition, slice, channel, bank, row and column an address belongs to: a pure function of the config. */
struct where {
    uint32_t row;
    uint16_t partition, slice, set; /* slice in the partition: they stand in groups, one for each L2 half */
    uint16_t channel;               /* in the partition: that of the line's first part, see channel_of_part */
    uint16_t column;                /* in bursts */
    uint8_t home;                   /* half */
    uint8_t bank_group, bank;
};
void where_is(const struct config *c, uint64_t addr, struct where *w);
uint32_t own_channels(const struct config *c); /* that a slice has to itself; 0: it has none */
/* Lines are fetched in parts of l2.fetch_bytes, which alternate between the channels of their slice, `own` of them. */
static inline uint32_t channel_of_part(uint32_t own, const struct where *w, uint32_t part)
{
    uint32_t first = own ? w->channel % own : 0;
    return own ? w->channel - first + (first + part) % own : w->channel;
}
uint32_t partition_of(const struct config *c, uint64_t line_addr);
enum { BLOCK_CHUNKS = 16 }; /* chunks of a block of addresses, which is at home in one half of L2 */
uint32_t l2_home(const struct config *c, uint64_t addr);
uint32_t half_of_sm(const struct config *c, uint32_t sm); /* of L2: the one that it asks */
bool is_in_other_half(const struct config *c, uint32_t sm, uint64_t addr); /* is the address at home in the other one? */

#endif
