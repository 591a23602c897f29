/* State of the DRAM timing rules; private to dram.c and dramrules.c. */
#ifndef HEDDLE_SIM_DRAMRULES_H
#define HEDDLE_SIM_DRAMRULES_H

#include "sim/dram.h"

enum { MOST_RULES = 40, MOST_WINDOW = 8, MOST_OF_CMD = 16 };
/* A rule as issuing uses it: short, for every channel has its own and the host's caches hold them all. */
struct dram_move {
    uint8_t scope, later, window;
    uint32_t delay;
};
struct dram_times {
    tick earliest[DRAM_CMD_COUNT];
};
struct dram_rules {
    uint32_t nbank, per_group;
    tick burst, cl, cwl, refi;
    struct dram_times channel, *group, *bank;
    struct dram_move of_cmd[DRAM_CMD_COUNT][MOST_OF_CMD];
    uint8_t nof[DRAM_CMD_COUNT];
    bool in_window[DRAM_CMD_COUNT];         /* a rule looks further back than the last one */
    tick ring[DRAM_CMD_COUNT][MOST_WINDOW]; /* of those: latest times on the channel */
    uint32_t issued[DRAM_CMD_COUNT];
    struct dram_rule table[MOST_RULES];
    size_t nrule;
};

/* The later of `own` (the bank's time) and what group and channel allow. */
static inline tick dram_rules_shared(const struct dram_rules *r, enum dram_cmd cmd, uint32_t group, tick own)
{
    tick g = r->group[group].earliest[cmd], c = r->channel.earliest[cmd];
    tick t = g > c ? g : c;
    return t > own ? t : own;
}

#endif
