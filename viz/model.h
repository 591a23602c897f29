/* What the viewer knows. Fed with frames (one a barrier: from a live run or from a recording), read by the painter.
 * Everything is kept in rings of fixed size, so memory is bounded: about 24 MiB plus the listing.
 *
 * A frame holds what changed since the last one: the records of the watched SM, and samples of the chip. */
#ifndef HEDDLE_VIZ_MODEL_H
#define HEDDLE_VIZ_MODEL_H

#include "sim/sim.h"

enum {
    NHISTORY = 4096,      /* chip samples kept */
    NISSUES = 1 << 18,    /* issue records of the watched SM kept */
    NBLOCKS = 4096,
    NACCESSES = 1024,
    NVIEWCHANNEL = 256, NVIEWBANK = 64,
};

struct machine_info { /* what a recording must know to be drawn without its config and program */
    char config[64], kernel[256], title[128];
    uint32_t nsm, ngpc, subcores, max_warps, warp_size, smem_banks, smem_bank_bytes;
    uint32_t nslice, nchannel, nbank, max_resident_warps; /* theoretical limit of one SM for this launch */
    uint32_t gpc_of_sm[NLIST];
    double sm_mhz;
    uint32_t npc;
    char **listing;       /* text of each instruction */
};

struct sm_sample {        /* an SM over the last interval */
    uint16_t resident;    /* warps now */
    uint16_t blocks;
    float issue;          /* instructions issued a cycle, of `subcores` at most */
    float eligible;       /* warps able to issue, mean */
    float memory_stall;   /* share of resident warp cycles held by memory */
    float l1_hit;         /* sectors that hit, -1: no access */
};
struct chip_sample {
    cycle time;
    float resident, eligible, issue; /* means over SMs */
    float l2_hit, dram_bytes_per_cycle;
    float sm_resident, sm_eligible;  /* of the watched SM */
};
struct channel_state {
    int32_t open_row[NVIEWBANK];
    uint64_t activates[NVIEWBANK];
    cycle activated[NVIEWBANK];      /* when the count last rose */
    uint64_t hits, misses, conflicts;
    float busy;                      /* share of the last interval */
    uint64_t bus_busy;
};
struct frame {
    cycle now;
    uint32_t sm;                     /* the watched SM */
    const struct issue_record *issues;
    const struct block_record *blocks;
    const struct access_record *accesses;
    uint32_t nissue, nblock, naccess;
    const struct warp_view *warps;   /* max_warps of the watched SM */
    const struct sm_sample *sms;     /* nsm, or NULL: no new sample */
    struct chip_sample chip;         /* valid with sms */
    const struct channel_view *channels; /* nchannel, or NULL */
    uint64_t blocks_done, blocks_total;
};
struct model {
    struct machine_info info;
    cycle now;
    uint32_t sm;
    uint64_t blocks_done, blocks_total;
    struct sm_sample sms[NLIST];
    struct chip_sample history[NHISTORY];
    uint64_t nhistory;               /* ever; index modulo NHISTORY */
    struct issue_record *issues;
    uint64_t nissue;
    struct block_record blocks[NBLOCKS];
    uint64_t nblock;
    struct access_record *accesses;
    uint64_t naccess;
    struct warp_view warps[NLANE];
    struct channel_state channels[NVIEWCHANNEL];
    uint64_t *pc_executed, *pc_waited, *pc_lanes; /* of the watched SM */
    bool finished;
};

struct model *model_new(const struct machine_info *info); /* takes over info->listing */
void model_free(struct model *m);
void model_feed(struct model *m, const struct frame *f);
void model_watch(struct model *m, uint32_t sm); /* another SM: its rings start empty */
/* Oldest cycle that the rings of the watched SM still cover. */
cycle model_oldest(const struct model *m);
/* Last issue of a warp at or before t; NULL if none is kept. */
const struct issue_record *model_last_issue(const struct model *m, uint32_t warp, cycle t);
/* Last access of a warp (any warp if < 0) at or before t. */
const struct access_record *model_last_access(const struct model *m, int warp, cycle t);

#endif
