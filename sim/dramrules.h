/* State of the DRAM timing rules; private to dram.c and dramrules.c. */
#ifndef HEDDLE_SIM_DRAMRULES_H
#define HEDDLE_SIM_DRAMRULES_H

#include "sim/dram.h"

enum { MOST_RULES = 40, MOST_WINDOW = 8 };
struct dram_times {
    tick earliest[DRAM_CMD_COUNT];
};
struct dram_rules {
    uint32_t nbank, per_group;
    tick burst, cl, cwl, refi;
    struct dram_times channel, *group, *bank;
    struct dram_rule of_cmd[DRAM_CMD_COUNT][MOST_RULES / 2];
    uint32_t nof[DRAM_CMD_COUNT];
    tick ring[DRAM_CMD_COUNT][MOST_WINDOW]; /* latest times of each command on the channel */
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
