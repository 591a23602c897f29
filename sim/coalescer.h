/* Where the reads of neighbouring SMs meet before L2: while one of them has asked for sectors of a line, the others wait
 * for the same answer. Nothing is kept after the answer: this is no cache. Not modelled: multicast, write compression. */
#ifndef HEDDLE_SIM_COALESCER_H
#define HEDDLE_SIM_COALESCER_H

#include "sim/message.h"

struct coalescer;
struct coalescer *coalescer_new(void);
void coalescer_free(struct coalescer *c);
/* True: the answer to an earlier read will answer m too, it goes no further. Else m is one that later ones may join. */
bool coalescer_join(struct coalescer *c, const struct message *m);
/* An answer to a read passes: calls `deliver` with a copy of it for each read that joined the one it answers. */
void coalescer_answer(struct coalescer *c, const struct message *reply,
                      void (*deliver)(void *arg, const struct message *m), void *arg);

#endif
