/* The host's own caches. They are far smaller than the state of a whole GPU, and an SM is visited once a window: by then
 * the others have driven out what it needs. Asking for it early, many lines at once, hides most of that. Nothing here
 * changes a result. */
#ifndef HEDDLE_SIM_HOSTCACHE_H
#define HEDDLE_SIM_HOSTCACHE_H

#include "base/base.h"

/* Asks for the line of p; never faults, whatever p is. */
static inline void host_ask_line(const void *p)
{
    __builtin_prefetch(p, 1, 3);
}

/* Asks for the bytes at p; never faults, whatever p is. */
static inline void host_ask(const void *p, size_t bytes)
{
    for (uintptr_t at = (uintptr_t)p & ~(uintptr_t)(HOST_LINE - 1), end = (uintptr_t)p + bytes; at < end; at += HOST_LINE)
        host_ask_line((const void *)at);
}
#endif
