/* heddle explain: what each part of the machine needs at least, how far the run is from that, what would help. */
#include "cli/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RAT(id) (p->r->ratio[RATIO_##id])

struct bound {
    const char *name;
    double cycles;
};

static double busiest_sm(const struct launch_result *r, double (*of)(const struct sm_counters *, const struct config *),
                         const struct config *c)
{
    double max = 0;
    for (uint32_t i = 0; i < r->nsm; i++)
        max = fmax(max, of(&r->sms[i], c));
    return max;
}

static double issue_need(const struct sm_counters *s, const struct config *c)
{
    return (double)s->inst_executed / c->subcores;
}

static double unit_need(const struct sm_counters *s, const struct config *c)
{
    const struct {
        enum unit unit;
        uint32_t interval;
    } units[] = {{UNIT_ALU, c->alu_interval_cycles},           {UNIT_FMA, c->fma_interval_cycles},
                 {UNIT_FMAHEAVY, c->fmaheavy_interval_cycles}, {UNIT_FP16, c->fp16_interval_cycles},
                 {UNIT_FP64, c->fp64_interval_cycles},         {UNIT_XU, c->xu_interval_cycles},
                 {UNIT_TENSOR, c->tensor_interval_cycles}};
    double max = 0;
    for (size_t i = 0; i < ARRAY_LEN(units); i++)
        max = fmax(max, (double)s->unit_issued[units[i].unit] * units[i].interval / c->subcores);
    return max;
}

static double lsu_need(const struct sm_counters *s, const struct config *c)
{
    double agu = (double)s->unit_issued[UNIT_LSU] * c->agu_interval_cycles / c->subcores;
    return fmax(agu, (double)s->global_ld_requests * c->lsu_interval_cycles);
}

static double l1_need(const struct sm_counters *s, const struct config *c)
{
    double tags = (double)(s->global_ld_lines + s->global_st_lines) / c->l1_tags_per_cycle;
    double data = 32.0 *
                  (double)(s->global_ld_sectors + s->global_st_sectors + s->local_ld_sectors + s->local_st_sectors) /
                  c->l1_bytes_per_cycle;
    return (double)s->shared_wavefronts + fmax(tags, data);
}

static void lower_bounds(struct page *p)
{
    struct peaks k = config_peaks(p->c);
    double per_second = p->c->sm_mhz * 1e6, took = (double)p->r->cycles;
    const struct bound bounds[] = {{"launch overhead", (double)p->r->overhead_cycles},
                                   {"block launch rate", RAT(grid_size) * p->c->block_launch_cycles},
                                   {"issue slots, busiest SM", busiest_sm(p->r, issue_need, p->c)},
                                   {"execution unit, busiest", busiest_sm(p->r, unit_need, p->c)},
                                   {"address generation", busiest_sm(p->r, lsu_need, p->c)},
                                   {"L1 and shared memory", busiest_sm(p->r, l1_need, p->c)},
                                   {"L2 bandwidth", RAT(l2_bytes) / (k.l2 / per_second)},
                                   {"DRAM bandwidth", RAT(dram_bytes) / (k.dram / per_second)}};
    section(p, "What each part needs at least");
    for (size_t i = 0; i < ARRAY_LEN(bounds); i++) {
        char n[32];
        number(n, floor(bounds[i].cycles + 0.5));
        int bar = took > 0 ? (int)fmin(40, 40 * bounds[i].cycles / took + 0.5) : 0;
        sb_addf(p->out, "  %-26s %14s cycles %6.1f %%  %.*s\n", bounds[i].name, n,
                took > 0 ? 100 * bounds[i].cycles / took : 0, bar, "########################################");
    }
    char n[32];
    number(n, took);
    sb_addf(p->out, "  %-26s %14s cycles\n", "the launch took", n);
}

static void all_hints(struct page *p)
{
    section(p, "What would help");
    size_t before = p->out->len;
    hint_speed(p);
    hint_occupancy(p);
    hint_compute(p);
    hint_memory(p);
    hint_shared(p);
    hint_stalls(p);
    hint_divergence(p);
    hint_distribution(p);
    if (p->out->len == before)
        sentence(p, "Nothing stands out.");
}

/* ---- what if the machine were better at one thing? -------------------------------------------------------- */
struct change {
    const char *name;
    void (*apply)(struct config *c);
};

static void twice_dram(struct config *c)
{
    c->dram_channel_bytes *= 2;
    c->dram_tCCDS_ns /= 2;
    c->dram_tCCDL_ns /= 2;
}
static void twice_l2(struct config *c)
{
    c->l2_slice_bytes *= 2;
    c->gpc_reply_bytes *= 2;
    c->gpc_request_bytes *= 2;
    c->sm_reply_bytes *= 2;
    c->tpc_reply_bytes *= 2;
}
static void half_latency(struct config *c)
{
    c->dram_latency_cycles /= 2;
    c->l2_latency_cycles = (c->l2_latency_cycles + 1) / 2;
}
static void no_conflicts(struct config *c)
{
    c->smem_banks *= 4;
}
static void half_arithmetic(struct config *c)
{
    c->fma_latency_cycles = (c->fma_latency_cycles + 1) / 2;
    c->alu_latency_cycles = (c->alu_latency_cycles + 1) / 2;
}
static void instant_blocks(struct config *c)
{
    c->block_launch_cycles = 0;
    c->block_start_cycles = 0;
}

static const struct change changes[] = {
    {"twice the DRAM bandwidth", twice_dram},          {"twice the L2 bandwidth", twice_l2},
    {"half the L2 and DRAM latency", half_latency},    {"four times the shared banks", no_conflicts},
    {"half the ALU and FMA latency", half_arithmetic}, {"blocks launch at once", instant_blocks}};

static double total_cycles(const struct simulation *s)
{
    double sum = 0;
    for (uint32_t i = 0; i < s->spec->nlaunch; i++)
        sum += (double)s->results[i].cycles;
    return sum;
}

static bool what_if(const struct simulation *base, const struct sim_options *o, struct sb *out, struct error *err)
{
    sb_add(out, "\nWhat if the machine had\n");
    struct config *c = xcalloc(1, sizeof *c);
    bool ok = true;
    for (size_t i = 0; ok && i < ARRAY_LEN(changes); i++) {
        *c = *base->config;
        changes[i].apply(c);
        struct simulation s = {.config = c, .spec = base->spec};
        if ((ok = simulate(&s, o, err)))
            sb_addf(out, "  %-30s %6.2f times as fast\n", changes[i].name, total_cycles(base) / total_cycles(&s));
        simulation_finish(&s);
    }
    free(c);
    return ok;
}

struct explain_args {
    bool what_if;
    const char *access;
};

static void explain(const char *name, const struct common *c, const struct target *t, const struct explain_args *a,
                    struct error *err)
{
    struct config *config = common_config(c, err);
    struct spec *spec = config ? target_load(name, t, config, err) : NULL;
    struct sb out = {0};
    if (spec) {
        struct simulation s = {.config = config, .spec = spec};
        struct sim_options o = {c->threads, c->window, c->warm, c->max_cycles, c->quiet};
        catch_interrupts();
        if (a->access) {
            if (explain_access(&s, &o, a->access, &out, err))
                print_out(&out, err);
        } else if (simulate(&s, &o, err)) {
            for (uint32_t i = 0; i < spec->nlaunch; i++) {
                struct page p = page_of(&s, i, colours(), &out);
                if (i)
                    sb_add(&out, "\n");
                report_summary(&s, i, &out);
                sb_add(&out, "\n");
                lower_bounds(&p);
                report_instructions(&p);
                all_hints(&p);
            }
            if (!a->what_if || what_if(&s, &o, &out, err))
                print_out(&out, err);
        }
        simulation_finish(&s);
    }
    sb_finish(&out);
    spec_free(spec);
    free(config);
}

enum exit_status verb_explain(int argc, char **argv, struct error *err)
{
    struct common c = common_defaults();
    struct target t = target_defaults();
    struct explain_args a = {0};
    struct common_opts co = common_table(&c, WITH_CONFIG | WITH_THREADS | WITH_RUN | WITH_QUIET);
    struct target_opts to = target_table(&t);
    const struct opt own[] = {
        {"access", 0, OPT_TEXT, &a.access, "WHERE", "one access lane by lane: source line (14) or pc (0x1a0)"},
        {"what-if", 0, OPT_FLAG, &a.what_if, NULL, "simulate again with one part of the machine improved, in turn"}};
    const struct opt *tables[] = {co.row, to.row, own};
    const size_t counts[] = {co.n, to.n, ARRAY_LEN(own)};
    struct strings rest = {0};
    bool ok = opts_parse(tables, counts, 3, argc, argv, &rest, err);
    if (ok && rest.n != 1)
        ok = error_set(err, EXIT_BAD_INPUT, "%s; usage: heddle explain TARGET [--access WHERE] [--what-if]",
                       rest.n ? "one target at a time" : "no target");
    if (ok)
        explain(rest.items[0], &c, &t, &a, err);
    strings_finish(&rest);
    common_finish(&c);
    target_finish(&t);
    return err->status;
}
