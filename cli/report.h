/* What the parts of the text report share. Private to cli/. */
#ifndef HEDDLE_CLI_REPORT_H
#define HEDDLE_CLI_REPORT_H

#include <stdio.h>

#include "cli/cli.h"

enum { REPORT_WIDTH = 100 };
struct page {
    const struct simulation *s;
    const struct config *c;
    const struct launch_result *r;
    const struct kernel *k;
    enum arch arch;
    const struct program *program;
    bool colour;
    struct sb *out;
    int column; /* of the two-column rows: 0 or 1 */
};
struct page page_of(const struct simulation *s, size_t launch, bool colour, struct sb *out);

void section(struct page *p, const char *title);
/* A label and its value; two stand side by side. */
void cell(struct page *p, const char *label, double value, const char *unit);
void cell_text(struct page *p, const char *label, const char *text);
void cells_end(struct page *p);
void sentence(struct page *p, const char *fmt, ...) PRINTF_LIKE(2, 3); /* wrapped at the page's width */
void hint(struct page *p, const char *fmt, ...) PRINTF_LIKE(2, 3);     /* a rule: what would help, and its limit */

/* Verdict and hints, each printed only when it matters. */
const char *bound_of(const struct page *p); /* "launch", "DRAM", "L2", "L1", "compute", "latency" */
void hint_speed(struct page *p);
void hint_occupancy(struct page *p);
void hint_compute(struct page *p);
void hint_memory(struct page *p);
void hint_shared(struct page *p);
void hint_stalls(struct page *p);
void hint_divergence(struct page *p);
void hint_distribution(struct page *p);

void report_instructions(struct page *p); /* the ten hottest */
void report_distribution(struct page *p);
void report_measured(const struct simulation *s, bool colour, bool full, struct sb *out);
/* explain --access: the first access at a source line ("14") or pc ("0x1a0") of the first launch, lane by lane. */
bool explain_access(struct simulation *sim, const struct sim_options *options, const char *where, struct sb *out,
                    struct error *err);
/* Every instruction of a launch under its source line. */
void report_source(const struct simulation *s, size_t launch, bool colour, struct sb *out);
size_t report_longest(const struct simulation *s); /* launch */
/* Warnings of all launches, one line each; of one, as JSON. */
void doubts_tell(const struct simulation *s, FILE *to);
struct json_t *doubts_json(const struct page *p);
void instruction_text(const struct page *p, uint32_t pc, struct sb *out);
double pc_warp_cycles(const struct launch_result *r, uint32_t pc);
enum stall pc_main_stall(const struct launch_result *r, uint32_t pc);

#endif
