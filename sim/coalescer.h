/* Where the reads of a GPC's SMs meet before L2: the same sectors of a line, asked for by up to so many SMs in one
 * period, get one answer, until a read asks for other sectors of the line. Nothing is kept after the answer: this is no
 * cache. Not modelled: multicast, write compression. */
#ifndef HEDDLE_SIM_COALESCER_H
#define HEDDLE_SIM_COALESCER_H

#include "sim/message.h"

struct coalescer;
/* period: of the ticks (multiples of it) after which no read is joined any more; most: reads to an answer, the first included;
 * way: cycles from here to L2. An answer goes to a read no sooner than `way` after that came, as if it had gone there. */
struct coalescer *coalescer_new(cycle period, uint32_t most, cycle way);
void coalescer_free(struct coalescer *c);
/* True: the answer to an earlier read will answer m too, it goes no further. Else m is one that later ones may join.
 * Reads come in order of m->time; those of before t must have come when an answer of t + way passes, no others need have. */
bool coalescer_join(struct coalescer *c, const struct message *m);
/* An answer to a read passes, in order of time: calls `deliver` with a copy of it for each read that joined the one it answers
 * and may have it now; the others' become late ones. */
void coalescer_answer(struct coalescer *c, const struct message *reply,
                      void (*deliver)(void *arg, const struct message *m), void *arg);
/* Time of the first late answer, UINT64_MAX: there is none; takes it. */
cycle coalescer_next(const struct coalescer *c);
struct message coalescer_take(struct coalescer *c);

#endif
