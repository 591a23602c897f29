/* From the simulation's observation interface to frames. Runs on the simulating thread, at barriers. */
#ifndef HEDDLE_VIZ_GATHER_H
#define HEDDLE_VIZ_GATHER_H

#include "viz/model.h"
#include "viz/viz.h"

struct gather {
    const struct config *config;
    cycle interval, next_sample, last_sample; /* chip samples are at least `interval` apart */
    struct sm_sample *samples;
    struct past { uint64_t issue, eligible, active, memory, cycles, hits, sectors; } *past;
    uint64_t l2_reads, l2_hits, dram_sectors;
    struct warp_view warps[NLANE];
    struct channel_view *channels;
    uint32_t nchannel;
};
void gather_init(struct gather *g, const struct config *c, cycle interval);
void gather_finish(struct gather *g);
void gather_reset(struct gather *g); /* a run starts again */
/* Fills f with what happened since the last call; pointers are valid until the next window runs. */
void gather_frame(struct gather *g, const struct gpu *gpu, cycle now, uint32_t sm, bool detail, struct frame *f);
void machine_info_of(const struct viz_job *job, struct machine_info *info);

#endif
