/* heddle explain --access: one access of the run, lane by lane: which address, which bank or sector, and so why it took
 * as many wavefronts or sectors as it did. */
#include "cli/report.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 4, SECTOR_BYTES = 32 };

struct search {
    const struct kernel *kernel;
    uint32_t line; /* of the source, or 0: pc counts */
    uint32_t pc;   /* instruction index */
    uint32_t nsm;
    struct access_record found;
    uint32_t sm;
    bool done;
};

static bool wanted(const struct search *s, uint32_t pc)
{
    return s->line ? pc < s->kernel->n && s->kernel->code[pc].line == s->line : pc == s->pc;
}

static cycle look(void *arg, const struct gpu *g, cycle now)
{
    struct search *s = arg;
    (void)now;
    for (uint32_t sm = 0; sm < s->nsm; sm++) {
        struct sm_view v;
        gpu_sm_view(g, sm, &v);
        for (size_t i = 0; i < v.naccess; i++) {
            if (!wanted(s, v.accesses[i].pc) || (s->done && v.accesses[i].time >= s->found.time))
                continue;
            s->found = v.accesses[i];
            s->sm = sm;
            s->done = true;
        }
    }
    return s->done ? 0 : UINT64_MAX; /* nothing after it matters */
}

static bool read_place(const char *text, const struct kernel *k, uint32_t *line, uint32_t *pc, struct error *err)
{
    uint64_t v;
    bool hex = strncmp(text, "0x", 2) == 0;
    *line = *pc = 0;
    if (!parse_u64(text, &v) || (hex && v % INST_BYTES))
        return error_set(err, EXIT_BAD_INPUT, "--access: '%s' is neither a source line (14) nor a pc (0x1a0)", text);
    if (hex && v / INST_BYTES >= k->n)
        return error_set(err, EXIT_BAD_INPUT, "--access: %s ends before pc %s", k->name, text);
    if (hex)
        *pc = (uint32_t)(v / INST_BYTES);
    else
        *line = (uint32_t)v;
    return true;
}

/* ---- what it looks like ------------------------------------------------------------------------------------- */
static void lanes_of(lanemask lanes, struct sb *out)
{
    const char *comma = "";
    for (uint32_t l = 0; l < NLANE; l++) {
        if (!(lanes >> l & 1))
            continue;
        uint32_t end = l;
        while (end + 1 < NLANE && lanes >> (end + 1) & 1)
            end++;
        sb_addf(out, end > l ? "%s%u-%u" : "%s%u", comma, l, end);
        comma = ",";
        l = end;
    }
}

struct cell { /* a word of shared memory or a sector of global memory, and the lanes that touch it */
    uint64_t at;
    lanemask lanes;
};

/* Distinct units of `width` bytes that the access touches, ascending; at most NLANE * 16. */
static uint32_t touched(const struct access_record *a, uint32_t width, struct cell *cells)
{
    uint32_t n = 0;
    for (uint32_t l = 0; l < NLANE; l++) {
        if (!(a->mask >> l & 1))
            continue;
        for (uint64_t at = a->addr[l] / width; at <= (a->addr[l] + a->bytes - 1) / width; at++) {
            uint32_t i = n;
            while (i > 0 && cells[i - 1].at > at)
                i--;
            if (i > 0 && cells[i - 1].at == at) {
                cells[i - 1].lanes |= 1ull << l;
                continue;
            }
            memmove(cells + i + 1, cells + i, (n - i) * sizeof *cells);
            cells[i] = (struct cell){at, 1ull << l};
            n++;
        }
    }
    return n;
}

static void lane_table(const struct access_record *a, const struct config *c, bool shared, struct sb *out)
{
    uint32_t lanes = c->warp_size, rows = (lanes + COLUMNS - 1) / COLUMNS;
    for (int k = 0; k < COLUMNS; k++)
        sb_addf(out, "  lane %12s %6s", "address", shared ? "bank" : "sector");
    sb_add(out, "\n");
    for (uint32_t r = 0; r < rows; r++) {
        for (uint32_t k = 0; k < COLUMNS && k * rows + r < lanes; k++) {
            uint32_t l = k * rows + r;
            if (a->mask >> l & 1)
                sb_addf(out, "  %4u %#12llx %6llu", l, (unsigned long long)a->addr[l],
                        (unsigned long long)(shared ? a->addr[l] / c->smem_bank_bytes % c->smem_banks
                                                    : a->addr[l] / SECTOR_BYTES % (c->l1_line_bytes / SECTOR_BYTES)));
            else
                sb_addf(out, "  %4u %12s %6s", l, "off", "-");
        }
        sb_add(out, "\n");
    }
}

static void bank_table(const struct access_record *a, const struct config *c, struct sb *out)
{
    struct cell *words = xcalloc(NLANE * 16, sizeof *words);
    uint32_t banks = c->smem_banks ? c->smem_banks : 1; /* the config refuses 0 */
    uint32_t n = touched(a, c->smem_bank_bytes, words), most = 0, worst = 0;
    for (uint32_t b = 0; b < banks; b++) {
        uint32_t here = 0;
        for (uint32_t i = 0; i < n; i++)
            here += words[i].at % banks == b;
        if (here > most) {
            most = here;
            worst = b;
        }
    }
    sb_addf(out, "\n  %u different words of %u bytes; bank %u has most of them: %u\n", n, c->smem_bank_bytes, worst,
            most);
    uint32_t shown = 0;
    for (uint32_t i = 0; i < n && shown < 8; i++) {
        if (words[i].at % banks != worst)
            continue;
        sb_addf(out, "    word at byte %#llx: lane ", (unsigned long long)words[i].at * c->smem_bank_bytes);
        lanes_of(words[i].lanes, out);
        sb_add(out, "\n");
        shown++;
    }
    if (most > shown)
        sb_addf(out, "    and %u more\n", most - shown);
    sb_add(out,
           "  Different words of one bank are served one after the other; lanes that want the same word share it.\n");
    free(words);
}

static void sector_table(const struct access_record *a, const struct config *c, struct sb *out)
{
    struct cell *sectors = xcalloc(NLANE * 16, sizeof *sectors);
    uint32_t n = touched(a, SECTOR_BYTES, sectors), per_line = c->l1_line_bytes / SECTOR_BYTES, lines = 0;
    uint64_t last = UINT64_MAX;
    for (uint32_t i = 0; i < n; i++) {
        lines += sectors[i].at / per_line != last;
        last = sectors[i].at / per_line;
    }
    sb_addf(out, "\n  %u sectors of %u bytes in %u lines of %u bytes:\n", n, SECTOR_BYTES, lines, c->l1_line_bytes);
    for (uint32_t i = 0; i < n && i < 8; i++) {
        sb_addf(out, "    sector at %#llx: lane ", (unsigned long long)sectors[i].at * SECTOR_BYTES);
        lanes_of(sectors[i].lanes, out);
        sb_add(out, "\n");
    }
    if (n > 8)
        sb_addf(out, "    and %u more\n", n - 8);
    uint64_t bytes = 0;
    struct cell *single = xcalloc(NLANE * 16 + 1, sizeof *single);
    bytes = touched(a, 1, single);
    free(single);
    sb_addf(out, "  %llu of the %u bytes moved are asked for (%.1f %%).\n", (unsigned long long)bytes, n * SECTOR_BYTES,
            100.0 * (double)bytes / (n * (double)SECTOR_BYTES));
    free(sectors);
}

static void picture(const struct search *s, const struct program *program, const struct config *c, struct sb *out)
{
    const struct access_record *a = &s->found;
    const struct inst *in = &s->kernel->code[a->pc];
    bool shared = a->space == SPACE_SHARED;
    struct sb text = {0};
    char now[32];
    inst_print(program->arch, in, &text);
    number(now, (double)a->time);
    sb_addf(out, "%s at pc 0x%x", text.text ? text.text : "", a->pc * INST_BYTES);
    if (in->line && in->file < program->nfile)
        sb_addf(out, ", line %u", in->line);
    sb_addf(out, ": first by warp %u of SM %u in cycle %s\n", a->warp, s->sm, now);
    sb_addf(out, "%d lanes x %u bytes of %s memory: %u %s%s\n\n", __builtin_popcountll(a->mask), a->bytes,
            shared ? "shared" : "global", a->cost, shared ? "wavefront" : "sector", a->cost == 1 ? "" : "s");
    lane_table(a, c, shared, out);
    if (shared)
        bank_table(a, c, out);
    else
        sector_table(a, c, out);
    sb_finish(&text);
}

bool explain_access(struct simulation *sim, const struct sim_options *options, const char *where, struct sb *out,
                    struct error *err)
{
    const struct spec_launch *l = &sim->spec->launches[0];
    struct search s = {.kernel = l->kernel, .nsm = sim->config->nsm};
    if (!read_place(where, l->kernel, &s.line, &s.pc, err))
        return false;
    uint8_t *all = xcalloc(s.nsm, 1);
    memset(all, 1, s.nsm);
    struct observer observer = {.arg = &s, .barrier = look, .record = all, .accesses = true};
    struct sim_options o = *options;
    o.observer = &observer;
    struct error stopped = {0};
    bool ran = simulate(sim, &o, &stopped);
    free(all);
    if (s.done) {
        picture(&s, sim->spec->programs[l->program], sim->config, out);
        return true;
    }
    if (!ran) {
        *err = stopped;
        return false;
    }
    return error_set(err, EXIT_BAD_INPUT, "--access %s: %s makes no shared or global access there", where,
                     l->kernel->name);
}
