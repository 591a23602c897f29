/* Timeline for Perfetto and chrome://tracing (the Trace Event Format's JSON): a process per SM with a thread per warp
 * slot whose slices are the states between issues, the blocks, and how many warps are in which state; counters of the
 * chip, of L2 and of DRAM. Times are cycles
 * written as microseconds (1 cycle = 1 us on the ruler), with real microseconds in no need of rounding. */
#include "viz/gather.h"
#include "viz/viz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct timeline {
    struct observer observer;
    struct gather gather;
    struct machine_info info;
    uint8_t *record;
    uint32_t sms[NLIST], nsm, most; /* written so far, and at most: chosen as they get blocks unless they were named */
    uint64_t l2_sectors, row_hits, row_all;
    struct open_block {
        uint32_t sm, block, launch, nwarp;
    } * open;
    size_t nopen;
    bool entered;
    cycle last;
    cycle from, to;
    gzFile file;
    char *path, *part;
    bool ok, any;
};

static void out(struct timeline *t, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void out(struct timeline *t, const char *fmt, ...)
{
    char text[2048];
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

static void slice(struct timeline *t, uint32_t sm, uint32_t warp, cycle from, cycle to, const char *name,
                  const char *detail)
{
    if (from < t->from)
        from = t->from;
    if (to > from)
        out(t, "{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%llu,\"dur\":%llu,\"name\":\"%s\",\"args\":{\"at\":\"%s\"}}",
            sm + 1, warp + 1, (unsigned long long)from, (unsigned long long)(to - from), name, detail);
}

static void issues(struct timeline *t, uint32_t sm, const struct sm_view *v, uint32_t first_launch)
{
    char text[160];
    for (size_t i = 0; i < v->nissue; i++) {
        const struct issue_record *r = &v->issues[i];
        if (r->time < t->from || r->time >= t->to)
            continue;
        uint32_t launch = r->launch + first_launch;
        const struct launch_info *l = &t->info.launches[launch < t->info.nlaunch ? launch : 0];
        escape(r->pc < l->npc ? t->info.listing[l->first_pc + r->pc] : "?", text, sizeof text);
        if (r->waited > 1)
            slice(t, sm, r->warp, r->time - r->waited + 1, r->time, stall_names[r->reason], text);
        slice(t, sm, r->warp, r->time, r->time + 1, "issue", text);
    }
}

static void block_edge(struct timeline *t, const struct open_block *o, char edge, cycle when)
{
    out(t,
        "{\"ph\":\"%c\",\"cat\":\"block\",\"pid\":%u,\"tid\":0,\"id\":%u,\"ts\":%llu,\"name\":\"block "
        "%u\",\"args\":{\"warps\":%u}}",
        edge, o->sm + 1, o->block, (unsigned long long)when, o->block, o->nwarp);
}

/* At the first event within the cycles asked for: blocks that run already. */
static void enter(struct timeline *t)
{
    for (size_t i = 0; i < t->nopen; i++)
        block_edge(t, &t->open[i], 'b', t->from);
    t->entered = true;
}

/* Each begin is written with its end; what began before the cycles asked for begins with them. */
static void blocks(struct timeline *t, uint32_t sm, const struct sm_view *v)
{
    for (size_t i = 0; i < v->nblock; i++) {
        const struct block_record *b = &v->blocks[i];
        struct open_block o = {sm, b->block, b->launch, b->nwarp};
        cycle when = b->time > t->from ? b->time : t->from;
        size_t k = 0;
        if (b->time >= t->to)
            continue;
        if (b->time >= t->from && !t->entered)
            enter(t);
        if (b->start) {
            t->open = xrealloc(t->open, t->nopen + 1, sizeof *t->open);
            t->open[t->nopen++] = o;
            if (t->entered)
                block_edge(t, &o, 'b', when);
            continue;
        }
        while (k < t->nopen && (t->open[k].sm != sm || t->open[k].block != b->block || t->open[k].launch != b->launch))
            k++;
        if (k == t->nopen)
            continue;
        t->open[k] = t->open[--t->nopen];
        if (t->entered)
            block_edge(t, &o, 'e', when);
    }
}

static void leave(struct timeline *t)
{
    if (!t->entered && t->last >= t->from)
        enter(t);
    for (size_t i = 0; t->entered && i < t->nopen; i++)
        block_edge(t, &t->open[i], 'e', t->last < t->to ? t->last : t->to);
    t->nopen = 0;
}

static void counter(struct timeline *t, cycle now, const char *name, double value)
{
    out(t, "{\"ph\":\"C\",\"pid\":0,\"ts\":%llu,\"name\":\"%s\",\"args\":{\"value\":%.6g}}", (unsigned long long)now,
        name, value);
}

/* Warps of an SM by what holds them now; one track, stacked. */
static void states(struct timeline *t, const struct gpu *gpu, uint32_t sm, cycle now)
{
    uint32_t count[STALL_COUNT] = {0};
    struct sb args = {0};
    struct warp_view w;
    for (uint32_t i = 0; i < t->info.max_warps; i++) {
        gpu_warp_view(gpu, sm, i, now, &w);
        count[w.reason] += w.resident;
    }
    for (int s = 0; s < STALL_COUNT; s++)
        sb_addf(&args, "%s\"%s\":%u", s ? "," : "", stall_names[s], count[s]);
    out(t, "{\"ph\":\"C\",\"pid\":%u,\"ts\":%llu,\"name\":\"warps by state\",\"args\":{%s}}", sm + 1,
        (unsigned long long)now, args.text);
    sb_finish(&args);
}

static uint64_t rise(uint64_t *past, uint64_t now)
{
    uint64_t d = now >= *past ? now - *past : now; /* counters start again with a launch */
    *past = now;
    return d;
}

static void memory(struct timeline *t, const struct gpu *gpu, cycle now, cycle passed)
{
    uint64_t sectors = 0, hits = 0, all = 0;
    for (uint32_t p = 0; p < t->gather.config->mem_partitions; p++) {
        const struct mp_counters *k = gpu_partition_counters(gpu, p);
        sectors += k->l2_reads + k->l2_writes + k->l2_atomics + k->l2_reds;
        hits += k->dram_row_hits;
        all += k->dram_row_hits + k->dram_row_misses + k->dram_row_conflicts;
    }
    uint64_t s = rise(&t->l2_sectors, sectors), h = rise(&t->row_hits, hits), a = rise(&t->row_all, all);
    if (passed)
        counter(t, now, "L2 sectors a cycle", (double)s / (double)passed);
    if (a)
        counter(t, now, "DRAM row hit rate", (double)h / (double)a);
}

static void add_sm(struct timeline *t, uint32_t sm)
{
    t->sms[t->nsm++] = sm;
    t->record[sm] = 1;
    out(t, "{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_name\",\"args\":{\"name\":\"SM %u\"}}", sm + 1, sm);
    out(t, "{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_sort_index\",\"args\":{\"sort_index\":%u}}", sm + 1, sm + 1);
    for (uint32_t w = 0; w < t->info.max_warps; w++)
        out(t,
            "{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"thread_name\",\"args\":{\"name\":\"warp %u (sub-core "
            "%u)\"}}",
            sm + 1, w + 1, w, w % t->info.subcores);
}

/* Nobody named the SMs: the first that get a block. All keep records until they are found. */
static void choose_sms(struct timeline *t, const struct gpu *gpu)
{
    uint32_t all = t->gather.config->nsm;
    struct sm_view v;
    if (t->nsm >= t->most)
        return;
    for (uint32_t sm = 0; sm < all && t->nsm < t->most; sm++) {
        bool has = false;
        for (uint32_t i = 0; i < t->nsm; i++)
            has = has || t->sms[i] == sm;
        gpu_sm_view(gpu, sm, &v);
        if (!has && v.nblock)
            add_sm(t, sm);
    }
    if (t->nsm < t->most)
        return;
    memset(t->record, 0, all);
    for (uint32_t i = 0; i < t->nsm; i++)
        t->record[t->sms[i]] = 1;
}

static cycle at_barrier(void *arg, const struct gpu *gpu, cycle now)
{
    struct timeline *t = arg;
    struct sm_view v;
    struct frame f;
    choose_sms(t, gpu);
    t->last = now;
    for (uint32_t i = 0; i < t->nsm; i++) {
        gpu_sm_view(gpu, t->sms[i], &v);
        issues(t, t->sms[i], &v, gpu_first_launch(gpu));
        blocks(t, t->sms[i], &v);
    }
    cycle last = t->gather.last_sample;
    gather_frame(&t->gather, gpu, now, 0, 0, false, &f);
    if (f.sms && now >= t->from && now < t->to) {
        for (uint32_t i = 0; i < t->nsm; i++)
            states(t, gpu, t->sms[i], now);
        memory(t, gpu, now, now - last);
        counter(t, now, "resident warps an SM", f.chip.resident);
        counter(t, now, "eligible warps an SM", f.chip.eligible);
        counter(t, now, "instructions a cycle and SM", f.chip.issue);
        counter(t, now, "DRAM bytes a cycle", f.chip.dram_bytes_per_cycle);
        if (f.chip.l2_hit >= 0)
            counter(t, now, "L2 hit rate", f.chip.l2_hit);
    }
    return UINT32_MAX;
}

struct timeline *timeline_new(const struct viz_job *job, const char *path, uint32_t first_sm, uint32_t nsm, cycle from,
                              cycle to, struct error *err)
{
    if (first_sm != TIMELINE_ANY_SM && first_sm >= job->config->nsm) {
        error_set(err, EXIT_BAD_INPUT, "there is no SM %u: %s has %u", first_sm, job->config->name, job->config->nsm);
        return NULL;
    }
    struct timeline *t = xcalloc(1, sizeof *t);
    size_t len = strlen(path);
    bool gz = len > 3 && strcmp(path + len - 3, ".gz") == 0;
    t->part = file_begin(path, err);
    if (!t->part || !(t->file = gzopen(t->part, gz ? "wb" : "wbT"))) { /* T: without compression */
        if (t->part)
            file_end(path, t->part, false, errno, err);
        free(t);
        return NULL;
    }
    t->path = xstrdup(path);
    machine_info_of(job, &t->info);
    gather_init(&t->gather, job->config, 64);
    t->from = from;
    t->to = to;
    t->record = xcalloc(job->config->nsm, 1);
    t->observer = (struct observer){.arg = t, .barrier = at_barrier, .record = t->record};
    t->ok = gzputs(t->file, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"time\":\"1 us on the ruler is 1 SM "
                            "cycle\"},\"traceEvents\":[\n") > 0;
    char text[300];
    escape(t->info.nlaunch == 1 ? t->info.launches[0].kernel : t->info.title, text, sizeof text);
    out(t, "{\"ph\":\"M\",\"pid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"chip: %s on %s\"}}", text,
        t->info.config);
    uint32_t all = job->config->nsm, from_sm = first_sm == TIMELINE_ANY_SM ? 0 : first_sm;
    t->most = nsm < all - from_sm ? nsm : all - from_sm;
    for (uint32_t i = 0; first_sm != TIMELINE_ANY_SM && i < t->most; i++)
        add_sm(t, first_sm + i);
    if (first_sm == TIMELINE_ANY_SM)
        memset(t->record, 1, all);
    return t;
}

const struct observer *timeline_observer(struct timeline *t)
{
    return &t->observer;
}

bool timeline_finish(struct timeline *t, struct error *err)
{
    leave(t);
    t->ok = gzputs(t->file, "\n]}\n") > 0 && t->ok;
    errno = 0;
    bool ok = gzclose(t->file) == Z_OK && t->ok;
    ok = file_end(t->path, t->part, ok, errno, err);
    for (uint32_t i = 0; i < t->info.npc; i++)
        free(t->info.listing[i]);
    free(t->info.listing);
    free(t->info.unit_of);
    gather_finish(&t->gather);
    free(t->open);
    free(t->record);
    free(t->path);
    free(t);
    return ok;
}
