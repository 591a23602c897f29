/* The host's rounding mode. */
#include "isa/float.h"

#include <fenv.h>

uint32_t round_begin(enum round_mode mode)
{
    static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    uint32_t saved = (uint32_t)fegetround();
    fesetround(modes[mode & 3]);
    return saved;
}
void round_end(uint32_t saved)
{
    fesetround((int)saved);
}
