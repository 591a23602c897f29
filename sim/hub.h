/* The interconnect between SMs and memory partitions. It runs between their windows and carries every message that was
 * sent in one: through the ports of its SM, TPC and GPC, each with a bandwidth in either direction, and then
 * for the one-way latency L. Messages are taken in (time, source, seq) order, so what happens depends neither on
 * host threads nor on the window length. GPCs share nothing but the partitions, so each is one item of host work.
 *
 * From SMs to partitions: hub_requests for every GPC after the SMs' window, hub_enter_partition before a partition's.
 * Back: hub_leave_partition after a partition's window, hub_replies for every GPC before the SMs' next. */
#ifndef HEDDLE_SIM_HUB_H
#define HEDDLE_SIM_HUB_H

#include "sim/gpcclock.h"
#include "sim/message.h"
#include "sim/sim.h"

struct hub;
/* Boxes of every SM, in own cycles of its GPC's clock; of partitions only when they are passed in. clocks: one for each GPC,
 * not owned; NULL: none is ever lowered. Every time that is passed in or out is that of all. */
struct hub *hub_new(const struct config *c, struct msgbox *const *sm_in, struct msgbox *const *sm_out,
                    const struct gpc_clock *clocks);
void hub_clock_changed(struct hub *h, uint32_t g); /* of GPC g, between windows */
void hub_free(struct hub *h);
/* Moves what arrives at partition p before `to` into its inbox, in order. */
void hub_enter_partition(struct hub *h, uint32_t p, cycle to, struct msgbox *inbox);
/* Partition p has run and sent what is in its outboxes, one for each GPC; hub_replies empties them. */
void hub_leave_partition(struct hub *h, uint32_t p, struct msgbox *outboxes);
/* Carries what SMs of GPC g sent in the window [from, to), of at most HUB_MOST_WINDOW L. */
enum { HUB_MOST_WINDOW = 2 };
void hub_requests(struct hub *h, uint32_t g, cycle from, cycle to);
/* Carries what partitions sent to SMs of GPC g in [from, to), after all requests sent before to - L. */
void hub_replies(struct hub *h, uint32_t g, cycle from, cycle to);
/* GPCs that have something to carry, a bit each. The engine says which SMs ran; partitions say it themselves. */
uint64_t hub_requesting(const struct hub *h);
uint64_t hub_replying(struct hub *h, cycle to); /* asked once for a window */
void hub_sm_ran(struct hub *h, uint32_t sm); /* between windows, for each SM that ran */
/* Block completions that reached the block scheduler's side of GPC g; arrival times. The caller empties it. */
struct msgbox *hub_completions(struct hub *h, uint32_t g);
/* Puts a message into an SM's inbox, in its place. */
void hub_deliver(struct hub *h, struct message m);
/* First arrivals by SM and, after hub_look, by partition; UINT64_MAX: nothing is under way. */
void hub_look(struct hub *h);
cycle *hub_sm_arrivals(struct hub *h);
const cycle *hub_partition_arrivals(const struct hub *h);
/* When the first message enters that an SM has sent ahead of its window; UINT64_MAX: none. */
cycle hub_sent_ahead(const struct hub *h);
/* When the next answer that a read shares with an earlier one leaves after that one's; UINT64_MAX: none. */
cycle hub_late_answer(const struct hub *h);

#endif
