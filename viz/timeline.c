/* Timeline for Perfetto and chrome://tracing (the Trace Event Format's JSON): a process per SM with a thread per warp
 * slot whose slices are the states between issues, a thread of blocks, and counters of the chip. Times are cycles
 * written as microseconds (1 cycle = 1 us on the ruler), with real microseconds in no need of rounding. */
#include "viz/gather.h"
#include "viz/viz.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct timeline {
    struct observer observer;
    struct gather gather;
    struct machine_info info;
    uint8_t *record;
    uint32_t first, count;
    cycle from, to;
    gzFile file;
    char *path, *part;
    bool ok, any;
};

static void out(struct timeline *t, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void out(struct timeline *t, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (n >= (int)sizeof text)
        n = sizeof text - 1;
    if (t->any)
        t->ok = gzwrite(t->file, ",\n", 2) == 2 && t->ok;
    t->any = true;
    t->ok = gzwrite(t->file, text, (unsigned)n) == n && t->ok;
}

/* Listing text inside a JSON string. */
static void escape(const char *s, char *to, size_t cap)
{
    size_t n = 0;
    for (; *s && n + 3 < cap; s++) {
        if (*s == '"' || *s == '\\')
            to[n++] = '\\';
        to[n++] = (unsigned char)*s < 32 ? ' ' : *s;
    }
    to[n] = 0;
}

static void slice(struct timeline *t, uint32_t sm, uint32_t warp, cycle from, cycle to, const char *name, const char *detail)
{
    if (from < t->from)
        from = t->from;
    if (to > from)
        out(t, "{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%llu,\"dur\":%llu,\"name\":\"%s\",\"args\":{\"at\":\"%s\"}}", sm + 1, warp + 1,
            (unsigned long long)from, (unsigned long long)(to - from), name, detail);
}

static void issues(struct timeline *t, uint32_t sm, const struct sm_view *v)
{
    char text[160];
    for (size_t i = 0; i < v->nissue; i++) {
        const struct issue_record *r = &v->issues[i];
        if (r->time < t->from || r->time >= t->to)
            continue;
        escape(r->pc < t->info.npc ? t->info.listing[r->pc] : "?", text, sizeof text);
        if (r->waited > 1)
            slice(t, sm, r->warp, r->time - r->waited + 1, r->time, stall_names[r->reason], text);
        slice(t, sm, r->warp, r->time, r->time + 1, "issue", text);
    }
}

static void blocks(struct timeline *t, uint32_t sm, const struct sm_view *v)
{
    for (size_t i = 0; i < v->nblock; i++) {
        const struct block_record *b = &v->blocks[i];
        if (b->time >= t->from && b->time < t->to)
            out(t, "{\"ph\":\"%s\",\"cat\":\"block\",\"pid\":%u,\"tid\":0,\"id\":%u,\"ts\":%llu,\"name\":\"block %u\",\"args\":{\"warps\":%u}}",
                b->start ? "b" : "e", sm + 1, b->block, (unsigned long long)b->time, b->block, b->nwarp);
    }
}

static void counter(struct timeline *t, cycle now, const char *name, double value)
{
    out(t, "{\"ph\":\"C\",\"pid\":0,\"ts\":%llu,\"name\":\"%s\",\"args\":{\"value\":%.6g}}", (unsigned long long)now, name, value);
}

static cycle at_barrier(void *arg, const struct gpu *gpu, cycle now)
{
    struct timeline *t = arg;
    struct sm_view v;
    struct frame f;
    for (uint32_t i = 0; i < t->count; i++) {
        gpu_sm_view(gpu, t->first + i, &v);
        issues(t, t->first + i, &v);
        blocks(t, t->first + i, &v);
    }
    gather_frame(&t->gather, gpu, now, t->first, 0, false, &f);
    if (f.sms && now >= t->from && now < t->to) {
        counter(t, now, "resident warps an SM", f.chip.resident);
        counter(t, now, "eligible warps an SM", f.chip.eligible);
        counter(t, now, "instructions a cycle and SM", f.chip.issue);
        counter(t, now, "DRAM bytes a cycle", f.chip.dram_bytes_per_cycle);
        if (f.chip.l2_hit >= 0)
            counter(t, now, "L2 hit rate", f.chip.l2_hit);
    }
    return UINT32_MAX;
}

static void names(struct timeline *t)
{
    char text[300];
    escape(t->info.kernel, text, sizeof text);
    out(t, "{\"ph\":\"M\",\"pid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"chip: %s on %s\"}}", text, t->info.config);
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t sm = t->first + i;
        out(t, "{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_name\",\"args\":{\"name\":\"SM %u\"}}", sm + 1, sm);
        out(t, "{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_sort_index\",\"args\":{\"sort_index\":%u}}", sm + 1, sm + 1);
        for (uint32_t w = 0; w < t->info.max_warps; w++)
            out(t, "{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"thread_name\",\"args\":{\"name\":\"warp %u (sub-core %u)\"}}", sm + 1, w + 1, w,
                w % t->info.subcores);
    }
}

struct timeline *timeline_new(const struct viz_job *job, const char *path, uint32_t first_sm, uint32_t nsm, cycle from, cycle to, struct error *err)
{
    if (first_sm >= job->config->nsm) {
        error_set(err, EXIT_BAD_INPUT, "there is no SM %u: %s has %u", first_sm, job->config->name, job->config->nsm);
        return NULL;
    }
    struct timeline *t = xcalloc(1, sizeof *t);
    size_t len = strlen(path);
    bool gz = len > 3 && strcmp(path + len - 3, ".gz") == 0;
    t->path = xstrdup(path);
    t->part = xasprintf("%s.part", path);
    t->file = gzopen(t->part, gz ? "wb" : "wbT"); /* T: without compression */
    if (!t->file) {
        error_set(err, EXIT_BAD_INPUT, "%s: cannot be written", path);
        free(t->path);
        free(t->part);
        free(t);
        return NULL;
    }
    machine_info_of(job, &t->info);
    gather_init(&t->gather, job->config, 64);
    t->first = first_sm;
    t->count = nsm < job->config->nsm - first_sm ? nsm : job->config->nsm - first_sm;
    t->from = from;
    t->to = to;
    t->record = xcalloc(job->config->nsm, 1);
    memset(t->record + first_sm, 1, t->count);
    t->observer = (struct observer){.arg = t, .barrier = at_barrier, .record = t->record};
    t->ok = gzputs(t->file, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"time\":\"1 us on the ruler is 1 SM cycle\"},\"traceEvents\":[\n") > 0;
    names(t);
    return t;
}

const struct observer *timeline_observer(struct timeline *t)
{
    return &t->observer;
}

bool timeline_finish(struct timeline *t, struct error *err)
{
    t->ok = gzputs(t->file, "\n]}\n") > 0 && t->ok;
    bool ok = gzclose(t->file) == Z_OK && t->ok && rename(t->part, t->path) == 0;
    if (!ok) {
        error_set(err, EXIT_FAILED, "%s: the timeline could not be written", t->path);
        remove(t->part);
    }
    for (uint32_t i = 0; i < t->info.npc; i++)
        free(t->info.listing[i]);
    free(t->info.listing);
    gather_finish(&t->gather);
    free(t->record);
    free(t->path);
    free(t->part);
    free(t);
    return ok;
}
