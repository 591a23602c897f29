/* Shared by the files of trials_plan. */
#ifndef HEDDLE_TRIALS_PLAN_H
#define HEDDLE_TRIALS_PLAN_H

#include "isa/encoding.h"
#include "tests/trials/trials.h"

bool word_crosses_lanes(uint16_t op);
enum family word_family(const struct inst *in);
uint32_t word_access_bytes(const struct inst *in);
uint32_t op_spaces(uint16_t op);           /* that its addresses can lie in, as bits of enum trial_space */
int row_sequence(const struct enc_row *r); /* enum trial_sequence that its words stand in; -1: none */
bool row_runs(const struct enc_row *r);

#endif
