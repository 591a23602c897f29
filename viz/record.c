#include "viz/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static const char MAGIC[] = "HEDDLEREC4\n";
enum { LONGEST_LISTING = 1 << 20, LONGEST_TEXT = 4096, MOST_RECORDS = 1 << 24 };

struct recorder {
    gzFile file;
    char *path, *part;
    uint32_t nsm, npart, max_warps, nchannel, nbank;
    bool ok;
};

static void put(struct recorder *r, const void *data, size_t n)
{
    if (n)
        r->ok = r->ok && gzwrite(r->file, data, (unsigned)n) == (int)n;
}

struct recorder *recorder_new(const char *path, const struct machine_info *info, struct error *err)
{
    struct recorder *r = xcalloc(1, sizeof *r);
    r->part = file_begin(path, err);
    if (!r->part || !(r->file = gzopen(r->part, "wb3"))) {
        if (r->part)
            file_end(path, r->part, false, errno, err);
        free(r);
        return NULL;
    }
    r->path = xstrdup(path);
    r->ok = true;
    r->nsm = info->nsm;
    r->npart = info->npart;
    r->max_warps = info->max_warps;
    r->nchannel = info->nchannel < NVIEWCHANNEL ? info->nchannel : NVIEWCHANNEL;
    r->nbank = info->nbank < NVIEWBANK ? info->nbank : NVIEWBANK;
    struct machine_info flat = *info;
    flat.listing = NULL;
    flat.unit_of = NULL;
    put(r, MAGIC, sizeof MAGIC - 1);
    put(r, &flat, sizeof flat);
    for (uint32_t i = 0; i < info->npc; i++) {
        uint32_t n = (uint32_t)strnlen(info->listing[i], LONGEST_TEXT - 1);
        put(r, &n, sizeof n);
        put(r, info->listing[i], n);
    }
    put(r, info->unit_of, info->npc);
    return r;
}

/* What of a frame is stored beside its records. */
struct frame_head {
    cycle now;
    uint64_t blocks_done, blocks_total;
    uint32_t sm, channel, first_launch, nissue, nblock, naccess, ncommand;
    uint8_t has_warps, has_sms, has_channels, pad[1];
    struct chip_sample chip;
};

void recorder_frame(struct recorder *r, const struct frame *f)
{
    struct frame_head h = {.now = f->now,
                           .blocks_done = f->blocks_done,
                           .blocks_total = f->blocks_total,
                           .sm = f->sm,
                           .channel = f->channel,
                           .first_launch = f->first_launch,
                           .nissue = f->nissue,
                           .nblock = f->nblock,
                           .naccess = f->naccess,
                           .ncommand = f->ncommand,
                           .has_warps = f->warps != NULL,
                           .has_sms = f->sms != NULL,
                           .has_channels = f->channels != NULL,
                           .chip = f->chip};
    put(r, &h, sizeof h);
    put(r, f->issues, f->nissue * sizeof *f->issues);
    put(r, f->blocks, f->nblock * sizeof *f->blocks);
    put(r, f->accesses, f->naccess * sizeof *f->accesses);
    put(r, f->commands, f->ncommand * sizeof *f->commands);
    if (f->warps)
        put(r, f->warps, r->max_warps * sizeof *f->warps);
    if (f->sms)
        put(r, f->sms, r->nsm * sizeof *f->sms);
    if (f->sms)
        put(r, f->parts, r->npart * sizeof *f->parts);
    for (uint32_t c = 0; f->channels && c < r->nchannel; c++) {
        struct channel_view v = f->channels[c];
        v.nbank = v.nbank < r->nbank ? v.nbank : r->nbank;
        const struct bank_view *banks = v.banks;
        v.banks = NULL;
        v.commands = NULL;
        v.ncommand = 0;
        put(r, &v, sizeof v);
        put(r, banks, v.nbank * sizeof *banks);
    }
}

bool recorder_finish(struct recorder *r, struct error *err)
{
    errno = 0;
    bool ok = gzclose(r->file) == Z_OK && r->ok;
    ok = file_end(r->path, r->part, ok, errno, err);
    free(r->path);
    free(r);
    return ok;
}

struct player {
    gzFile file;
    char *path;
    struct machine_info info;
    z_off_t first;
    struct issue_record *issues;
    struct block_record *blocks;
    struct access_record *accesses;
    struct command_record *commands;
    struct part_sample *parts;
    struct warp_view warps[NLANE];
    struct sm_sample *sms;
    struct channel_view channels[NVIEWCHANNEL];
    struct bank_view (*banks)[NVIEWBANK];
};

static bool get(struct player *p, void *data, size_t n)
{
    return n == 0 || gzread(p->file, data, (unsigned)n) == (int)n;
}

static bool broken(const struct player *p, struct error *err)
{
    return error_set(err, EXIT_BAD_INPUT, "%s: is not a whole heddle recording", p->path);
}

/* Numbers from a file are not trusted: they size arrays and index them. */
static bool info_sane(const struct machine_info *i)
{
    if (i->nsm == 0 || i->nsm > NLIST || i->max_warps == 0 || i->max_warps > NLANE || i->subcores == 0 ||
        i->subcores > 8)
        return false;
    if (i->npc == 0 || i->npc > LONGEST_LISTING || (i->warp_size != 32 && i->warp_size != 64) || i->ngpc > NGPC ||
        i->smem_banks > 128 || i->npart > NVIEWPART || i->nbank > 4096 || i->bank_groups > i->nbank ||
        i->nlaunch == 0 || i->nlaunch > NVIEWLAUNCH)
        return false;
    for (uint32_t s = 0; s < i->nsm; s++)
        if (i->gpc_of_sm[s] >= NGPC)
            return false;
    for (uint32_t l = 0; l < i->nlaunch; l++) {
        const struct launch_info *k = &i->launches[l];
        if (k->first_pc > i->npc || k->npc > i->npc - k->first_pc || !memchr(k->limiter, 0, sizeof k->limiter) ||
            !memchr(k->kernel, 0, sizeof k->kernel))
            return false;
    }
    return memchr(i->config, 0, sizeof i->config) && memchr(i->title, 0, sizeof i->title);
}

static bool read_head(struct player *p, struct machine_info *info, struct error *err)
{
    char magic[sizeof MAGIC - 1];
    if (!get(p, magic, sizeof magic) || memcmp(magic, MAGIC, sizeof magic) != 0 || !get(p, info, sizeof *info) ||
        !info_sane(info))
        return broken(p, err);
    info->listing = xcalloc(info->npc, sizeof(char *));
    for (uint32_t i = 0; i < info->npc; i++) {
        uint32_t n;
        info->listing[i] = xcalloc(LONGEST_TEXT, 1);
        if (!get(p, &n, sizeof n) || n >= LONGEST_TEXT || !get(p, info->listing[i], n)) {
            for (uint32_t k = 0; k <= i; k++)
                free(info->listing[k]);
            free(info->listing);
            info->listing = NULL;
            return broken(p, err);
        }
    }
    info->unit_of = xcalloc(info->npc, 1);
    if (!get(p, info->unit_of, info->npc)) {
        for (uint32_t i = 0; i < info->npc; i++)
            free(info->listing[i]);
        free(info->listing);
        free(info->unit_of);
        return broken(p, err);
    }
    return true;
}

struct player *player_open(const char *path, struct machine_info *info, struct error *err)
{
    struct player *p = xcalloc(1, sizeof *p);
    p->path = xstrdup(path);
    p->file = gzopen(path, "rb");
    if (!p->file)
        error_set(err, EXIT_BAD_INPUT, "%s: cannot be read", path);
    if (!p->file || !read_head(p, info, err)) {
        player_close(p);
        return NULL;
    }
    p->info = *info;
    p->info.listing = NULL;
    p->info.unit_of = NULL;
    p->first = gztell(p->file);
    p->sms = xcalloc(info->nsm, sizeof *p->sms);
    p->parts = xcalloc(NVIEWPART, sizeof *p->parts);
    p->banks = xcalloc(NVIEWCHANNEL, sizeof *p->banks);
    return p;
}

static bool read_channels(struct player *p, struct frame *f)
{
    uint32_t n = p->info.nchannel < NVIEWCHANNEL ? p->info.nchannel : NVIEWCHANNEL;
    for (uint32_t c = 0; c < n; c++) {
        if (!get(p, &p->channels[c], sizeof p->channels[c]) || p->channels[c].nbank > NVIEWBANK ||
            !get(p, p->banks[c], p->channels[c].nbank * sizeof p->banks[c][0]))
            return false;
        p->channels[c].banks = p->banks[c];
    }
    f->channels = p->channels;
    return true;
}

bool player_next(struct player *p, struct frame *f, struct error *err)
{
    struct frame_head h;
    int got = gzread(p->file, &h, sizeof h);
    if (got == 0)
        return false;
    if (got != (int)sizeof h || h.nissue > MOST_RECORDS || h.nblock > MOST_RECORDS || h.naccess > MOST_RECORDS ||
        h.ncommand > MOST_RECORDS)
        return broken(p, err);
    *f = (struct frame){.now = h.now,
                        .sm = h.sm,
                        .channel = h.channel,
                        .first_launch = h.first_launch,
                        .ncommand = h.ncommand,
                        .nissue = h.nissue,
                        .nblock = h.nblock,
                        .naccess = h.naccess,
                        .chip = h.chip,
                        .blocks_done = h.blocks_done,
                        .blocks_total = h.blocks_total};
    p->issues = xrealloc(p->issues, h.nissue, sizeof *p->issues);
    p->blocks = xrealloc(p->blocks, h.nblock, sizeof *p->blocks);
    p->accesses = xrealloc(p->accesses, h.naccess, sizeof *p->accesses);
    p->commands = xrealloc(p->commands, h.ncommand, sizeof *p->commands);
    f->commands = p->commands;
    f->issues = p->issues;
    f->blocks = p->blocks;
    f->accesses = p->accesses;
    if (!get(p, p->issues, h.nissue * sizeof *p->issues) || !get(p, p->blocks, h.nblock * sizeof *p->blocks) ||
        !get(p, p->accesses, h.naccess * sizeof *p->accesses) || !get(p, p->commands, h.ncommand * sizeof *p->commands))
        return broken(p, err);
    for (uint32_t i = 0; i < h.nissue; i++)
        if (p->issues[i].warp >= p->info.max_warps)
            return broken(p, err);
    if (h.has_warps) {
        if (!get(p, p->warps, p->info.max_warps * sizeof *p->warps))
            return broken(p, err);
        f->warps = p->warps;
    }
    if (h.has_sms) {
        if (!get(p, p->sms, p->info.nsm * sizeof *p->sms) || !get(p, p->parts, p->info.npart * sizeof *p->parts))
            return broken(p, err);
        f->sms = p->sms;
        f->parts = p->parts;
    }
    return !h.has_channels || read_channels(p, f) || broken(p, err);
}

bool player_rewind(struct player *p, struct error *err)
{
    return gzseek(p->file, p->first, SEEK_SET) >= 0 || broken(p, err);
}

void player_close(struct player *p)
{
    if (!p)
        return;
    if (p->file)
        gzclose(p->file);
    free(p->path);
    free(p->issues);
    free(p->blocks);
    free(p->accesses);
    free(p->sms);
    free(p->commands);
    free(p->parts);
    free(p->banks);
    free(p);
}
