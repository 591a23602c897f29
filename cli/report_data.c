/* The report as JSON and as CSV. JSON carries everything; its stable keys are in docs/guide.md. */
#include "cli/report.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *real_or_null(double v)
{
    if (isnan(v) || isinf(v))
        return json_null();
    return v == floor(v) && fabs(v) < 9e15 ? json_integer((json_int_t)v) : json_real(v);
}

static json_t *dims(const uint32_t d[3])
{
    return json_pack("[iii]", (int)d[0], (int)d[1], (int)d[2]);
}

static json_t *counters(const struct launch_result *r)
{
    json_t *o = json_object();
    for (size_t i = 0; i < counter_count; i++)
        json_object_set_new(o, counter_table[i].name, real_or_null(counter_value(r, i)));
    return o;
}

static json_t *occupancy(const struct occupancy *x)
{
    return json_pack("{s:i,s:i,s:f,s:s,s:i,s:i}", "blocks", (int)x->blocks, "warps", (int)x->warps, "fraction",
                     x->fraction, "limiter", x->limiter ? x->limiter : "", "carveout_bytes", (int)x->carveout_bytes,
                     "l1_bytes", (int)x->l1_bytes);
}

static void set_count(json_t *o, const char *key, uint64_t v)
{
    json_object_set_new(o, key, json_integer((json_int_t)v));
}

static json_t *stalls(const uint64_t v[STALL_COUNT])
{
    json_t *o = json_object();
    for (size_t i = 0; i < STALL_COUNT; i++)
        if (v[i])
            set_count(o, stall_names[i], v[i]);
    return o;
}

static json_t *instructions(const struct page *p)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < p->r->npc; i++) {
        const struct pc_counters *c = &p->r->pcs[i];
        struct sb text = {0};
        if (!c->executed)
            continue;
        instruction_text(p, i, &text);
        json_t *o = json_pack("{s:i,s:i,s:s}", "pc", (int)(i * INST_BYTES), "line", (int)p->k->code[i].line, "text",
                              text.text ? text.text : "");
        sb_finish(&text);
        set_count(o, "executed", c->executed);
        set_count(o, "thread_executed", c->thread_executed);
        set_count(o, "thread_executed_pred_on", c->thread_pred_on);
        if (c->sectors) {
            set_count(o, "sectors", c->sectors);
            set_count(o, "sectors_ideal", c->sectors_ideal);
        }
        if (c->wavefronts) {
            set_count(o, "wavefronts", c->wavefronts);
            set_count(o, "wavefronts_ideal", c->wavefronts_ideal);
        }
        if (c->divergent)
            set_count(o, "divergent", c->divergent);
        json_object_set_new(o, "warp_cycles", stalls(c->stall));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *opcodes(const struct launch_result *r)
{
    json_t *o = json_object();
    for (size_t i = 0; i < OP_COUNT; i++)
        if (r->sm.op_executed[i])
            json_object_set_new(o, op_table[i].text, json_integer((json_int_t)r->sm.op_executed[i]));
    return o;
}

static json_t *parts(const struct launch_result *r)
{
    json_t *sms = json_array(), *mps = json_array();
    for (uint32_t i = 0; i < r->nsm; i++) {
        json_t *o = json_object();
        set_count(o, "cycles_active", r->sms[i].cycles_active);
        set_count(o, "inst_executed", r->sms[i].inst_executed);
        set_count(o, "blocks_launched", r->sms[i].blocks_launched);
        json_array_append_new(sms, o);
    }
    for (uint32_t i = 0; i < r->nmp; i++) {
        json_t *o = json_object();
#define MPC(field, name, unit, doc) set_count(o, #field, r->mps[i].field);
#include "sim/counters.def"
        json_array_append_new(mps, o);
    }
    return json_pack("{s:o,s:o}", "sms", sms, "memory_partitions", mps);
}

static json_t *launch(const struct simulation *s, size_t i)
{
    struct page p = page_of(s, i, false, NULL);
    json_t *o = json_object();
    json_object_set_new(o, "kernel", json_string(p.r->kernel));
    json_object_set_new(o, "grid", dims(p.r->grid));
    json_object_set_new(o, "block", dims(p.r->block));
    set_count(o, "cycles", p.r->cycles);
    set_count(o, "overhead_cycles", p.r->overhead_cycles);
    set_count(o, "clock_cycles", p.r->clock_cycles);
    json_object_set_new(o, "time_us", json_real(p.r->time_us));
    json_object_set_new(o, "partial", json_boolean(p.r->partial));
    json_object_set_new(o, "bound", json_string(bound_of(&p)));
    json_object_set_new(o, "counters", counters(p.r));
    json_object_set_new(o, "occupancy", occupancy(&p.r->occupancy));
    json_object_set_new(o, "warp_cycles", stalls(p.r->sm.stall));
    json_object_set_new(o, "opcodes", opcodes(p.r));
    json_object_set_new(o, "instructions", instructions(&p));
    json_object_set_new(o, "distribution", parts(p.r));
    json_object_set_new(o, "warnings", doubts_json(&p));
    return o;
}

static json_t *outputs(const struct simulation *s)
{
    json_t *o = json_object();
    for (uint32_t i = 0; s->judged && i < s->spec->nexpect; i++) {
        const struct verdict *v = &s->spec->expects[i].verdict;
        json_t *b = json_object();
        json_object_set_new(b, "ok", v->checked ? json_boolean(v->ok) : json_null());
        json_object_set_new(b, "max_abs", v->checked ? real_or_null(v->max_abs) : json_null());
        json_object_set_new(b, "max_ulp", v->checked ? json_integer((json_int_t)v->max_ulp) : json_null());
        json_object_set_new(b, "sha256", json_string(v->sha256));
        json_object_set_new(o, s->spec->buffers[s->spec->expects[i].buffer].name, b);
    }
    return o;
}

double metric_item(const struct simulation *s, uint32_t metric, uint64_t item)
{
    const struct spec_metric *m = &s->spec->metrics[metric];
    const struct spec_buffer *b = &s->spec->buffers[m->buffer];
    if (m->how != METRIC_LIST)
        return spec_metric_value(s->spec, metric, b->out);
    return (elem_get(b->type, b->out, m->index + item) - m->offset) / m->divide;
}

static json_t *metrics(const struct simulation *s)
{
    json_t *o = json_object();
    for (uint32_t i = 0; s->judged && i < s->spec->nmetric; i++) {
        const struct spec_metric *m = &s->spec->metrics[i];
        json_t *list = json_array();
        for (uint64_t k = 0; m->how == METRIC_LIST && k < m->count; k++)
            json_array_append_new(list, real_or_null(metric_item(s, i, k)));
        json_object_set_new(o, m->name, m->how == METRIC_LIST ? json_incref(list) : real_or_null(metric_item(s, i, 0)));
        json_decref(list);
    }
    return o;
}

static json_t *host_part(const struct simulation *s)
{
    double inst = 0;
    for (uint32_t i = 0; i < s->spec->nlaunch; i++)
        inst += (double)s->results[i].sm.inst_executed;
    json_t *o = json_object();
    json_object_set_new(o, "seconds", json_real(s->host_seconds));
    json_object_set_new(o, "cpu_seconds", json_real(s->cpu_seconds));
    json_object_set_new(o, "warp_instructions_per_second",
                        real_or_null(s->host_seconds > 0 ? floor(inst / s->host_seconds) : NAN));
    set_count(o, "peak_bytes", s->host_bytes);
    return o;
}

bool report_json(const struct simulation *s, const char *target, bool host, struct sb *out, struct error *err)
{
    json_t *root = json_object(), *launches = json_array();
    json_object_set_new(root, "heddle", json_string(version_text()));
    json_object_set_new(root, "target", json_string(target));
    json_object_set_new(root, "config", json_string(s->config->name));
    for (size_t i = 0; i < s->spec->nlaunch; i++)
        if (s->results[i].nsm)
            json_array_append_new(launches, launch(s, i));
    json_object_set_new(root, "launches", launches);
    json_object_set_new(root, "outputs", outputs(s));
    if (s->spec->nmetric)
        json_object_set_new(root, "metrics", metrics(s));
    if (host)
        json_object_set_new(root, "host", host_part(s));
    char *text = json_dumps(root, JSON_INDENT(1));
    json_decref(root);
    if (!text)
        return error_set(err, EXIT_FAILED, "the report could not be written as JSON");
    sb_add(out, text);
    sb_add(out, "\n");
    free(text);
    return true;
}

/* ---- CSV: the columns of the profiler's raw page --------------------------------------------------------- */
static void quoted(struct sb *out, const char *s)
{
    sb_add(out, "\"");
    for (; *s; s++) {
        if (*s == '"')
            sb_add(out, "\"");
        sb_addn(out, s, 1);
    }
    sb_add(out, "\"");
}

void report_csv(const struct simulation *s, struct sb *out)
{
    sb_add(out, "\"ID\",\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n");
    for (size_t i = 0; i < s->spec->nlaunch; i++) {
        const struct launch_result *r = &s->results[i];
        for (size_t k = 0; r->nsm && k < counter_count; k++) {
            double v = counter_value(r, k);
            sb_addf(out, "\"%zu\",", i);
            quoted(out, r->kernel);
            sb_add(out, ",\"\",");
            quoted(out, counter_table[k].name);
            sb_add(out, ",");
            quoted(out, counter_table[k].unit);
            if (isnan(v))
                sb_add(out, ",\"n/m\"\n");
            else
                sb_addf(out, ",\"%.12g\"\n", v);
        }
    }
}
