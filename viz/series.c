/* Time series of the chip as CSV, one row an interval. */
#include "viz/gather.h"
#include "viz/viz.h"

#include <stdlib.h>

struct series {
    struct observer observer;
    struct gather gather;
    struct sb text;
    char *path;
};

static cycle at_barrier(void *arg, const struct gpu *gpu, cycle now)
{
    struct series *s = arg;
    struct frame f;
    gather_frame(&s->gather, gpu, now, 0, 0, false, &f);
    if (!f.sms)
        return UINT32_MAX;
    const struct chip_sample *c = &f.chip;
    sb_addf(&s->text, "%llu,%.4f,%.3f,%.3f,", (unsigned long long)now, (double)c->issue, (double)c->resident,
            (double)c->eligible);
    if (c->l2_hit >= 0)
        sb_addf(&s->text, "%.4f", (double)c->l2_hit);
    sb_addf(&s->text, ",%.2f,%llu\n", (double)c->dram_bytes_per_cycle, (unsigned long long)f.blocks_done);
    return UINT32_MAX;
}

struct series *series_new(const struct config *c, const char *path, cycle interval, struct error *err)
{
    if (interval == 0) {
        error_set(err, EXIT_BAD_INPUT, "the interval of a time series must be at least 1 cycle");
        return NULL;
    }
    struct series *s = xcalloc(1, sizeof *s);
    gather_init(&s->gather, c, interval);
    s->path = xstrdup(path);
    s->observer = (struct observer){.arg = s, .barrier = at_barrier};
    sb_add(&s->text, "cycle,instructions_per_cycle_per_sm,resident_warps_per_sm,eligible_warps_per_sm,l2_hit_rate,dram_"
                     "bytes_per_cycle,blocks_done\n");
    return s;
}

const struct observer *series_observer(struct series *s)
{
    return &s->observer;
}

bool series_finish(struct series *s, struct error *err)
{
    bool ok = file_write(s->path, s->text.text, s->text.len, err);
    sb_finish(&s->text);
    gather_finish(&s->gather);
    free(s->path);
    free(s);
    return ok;
}
