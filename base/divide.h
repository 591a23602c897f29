/* Division by a number that stays the same for long, without the host's instruction for it, which takes tens of cycles:
 * a product with the inverse, rounded down, gives the quotient or one less. Exact for every dividend. */
#ifndef HEDDLE_BASE_DIVIDE_H
#define HEDDLE_BASE_DIVIDE_H

#include <stdint.h>

struct divisor {
    uint64_t by, inverse; /* 2^64 / by, rounded down (by 1: one less) */
};

static inline struct divisor divisor_of(uint64_t by) /* by: not 0 */
{
    return (struct divisor){by, UINT64_MAX / by};
}

static inline uint64_t divide(uint64_t x, const struct divisor *d)
{
    uint64_t q = (uint64_t)((unsigned __int128)x * d->inverse >> 64);
    return q + (x - q * d->by >= d->by);
}

static inline uint64_t remainder_of(uint64_t x, const struct divisor *d)
{
    return x - divide(x, d) * d->by;
}
#endif
