/* From the simulation's observation interface to frames. Runs on the simulating thread, at barriers. */
#ifndef HEDDLE_VIZ_GATHER_H
#define HEDDLE_VIZ_GATHER_H

#include "viz/model.h"
#include "viz/viz.h"

struct gather {
    const struct config *config;
    cycle interval, next_sample, last_sample; /* chip samples are at least `interval` apart */
    float unit_interval[UNIT_COUNT];
    double dram_peak, l2_peak; /* bytes a cycle of the chip */
    cycle stall_interval, last_stalls; /* between two looks at all SMs' stalls, which cost more; 0: never */
    struct sm_sample *samples;
    struct sm_past { uint64_t issue, eligible, active, sectors, hits, all, memory; } *past;
    float memory_stall;        /* of the chip at the last look */
    struct part_sample *parts;
    struct part_past { uint64_t sectors, reads, hits; } *part_past;
    uint32_t npart;
    uint64_t dram_sectors;
    struct warp_view warps[NLANE];
    struct channel_view *channels;
    uint32_t nchannel;
};
void gather_init(struct gather *g, const struct config *c, cycle interval);
void gather_stalls(struct gather *g, uint32_t npc); /* memory_stall is wanted too; npc: instructions of the kernel */
void gather_finish(struct gather *g);
void gather_reset(struct gather *g); /* a run starts again */
/* Fills f with what happened since the last call; pointers are valid until the next window runs. detail: the warps, the
 * channels and a new sample of the chip too, which otherwise come once an interval. */
void gather_frame(struct gather *g, const struct gpu *gpu, cycle now, uint32_t sm, uint32_t channel, bool detail, struct frame *f);
void machine_info_of(const struct viz_job *job, struct machine_info *info);

#endif
