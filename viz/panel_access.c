/* One access: lanes dropped into the shared-memory banks with conflicts stacked, or onto sectors and lines. The
 * picture that answers "why did this take N wavefronts / sectors". */
#include "viz/view.h"

#include <string.h>

/* Distinct words of each bank in order of first use; lanes that share a word share a cell (broadcast). */
struct stack {
    uint64_t word[NLANE];
    lanemask lanes[NLANE];
    uint32_t n;
};

static void drop(struct stack *s, uint64_t word, uint32_t lane)
{
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->word[i] == word) {
            s->lanes[i] |= 1ull << lane;
            return;
        }
    }
    if (s->n < NLANE) {
        s->word[s->n] = word;
        s->lanes[s->n++] = 1ull << lane;
    }
}

static void lanes_text(lanemask lanes, char *out, size_t cap)
{
    size_t n = 0;
    out[0] = 0;
    for (uint32_t l = 0; l < NLANE && n + 8 < cap; l++) {
        if (!(lanes >> l & 1))
            continue;
        uint32_t end = l;
        while (end + 1 < NLANE && lanes >> (end + 1) & 1)
            end++;
        n += (size_t)snprintf(out + n, cap - n, end > l ? "%s%u-%u" : "%s%u", n ? "," : "", l, end);
        l = end;
    }
}

/* What the same bytes would need at least. */
static uint32_t ideal_wavefronts(const struct model *m, const struct access_record *a)
{
    uint32_t width = m->info.smem_banks * m->info.smem_bank_bytes, bytes = (uint32_t)a->bytes * m->info.warp_size;
    return width && bytes > width ? (bytes + width - 1) / width : 1;
}

static uint32_t ideal_sectors(const struct access_record *a)
{
    uint32_t bytes = (uint32_t)a->bytes * (uint32_t)__builtin_popcountll(a->mask);
    return (bytes + 31) / 32;
}

struct bank_picture {
    struct stack stacks[128];
    uint32_t nbank, width, tallest, worst;
};

static void stack_up(const struct model *m, const struct access_record *a, struct bank_picture *p)
{
    p->nbank = m->info.smem_banks ? m->info.smem_banks : 32;
    p->width = m->info.smem_bank_bytes ? m->info.smem_bank_bytes : 4;
    p->tallest = 1;
    p->worst = 0;
    memset(p->stacks, 0, p->nbank * sizeof p->stacks[0]);
    for (uint32_t l = 0; l < NLANE; l++) {
        for (uint32_t byte = 0; a->mask >> l & 1 && byte < a->bytes; byte += p->width) {
            uint64_t word = (a->addr[l] + byte) / p->width;
            drop(&p->stacks[word % p->nbank], word, l);
        }
    }
    for (uint32_t k = 0; k < p->nbank; k++) {
        if (p->stacks[k].n > p->tallest) {
            p->tallest = p->stacks[k].n;
            p->worst = k;
        }
    }
}

static void draw_cell(struct canvas *c, struct view *v, const struct bank_picture *p, uint32_t bank, uint32_t i,
                      struct box cell, bool extra)
{
    const struct stack *s = &p->stacks[bank];
    bool several = s->lanes[i] & (s->lanes[i] - 1);
    char text[120];
    canvas_round(c, cell, 2, extra ? state_styles[STATE_MEMORY].color : state_styles[STATE_DEPENDENCY].color);
    if (several && cell.h > 5)
        canvas_frame(c, cell, INK, 1.4);
    if (cell.w > 11 && cell.h > 7.5) {
        snprintf(text, sizeof text, "%d", __builtin_ctzll(s->lanes[i]));
        canvas_text(c, cell.x + cell.w / 2, cell.y + cell.h / 2,
                    cell.h > 24 && cell.w > 20 ? 12
                    : cell.h > 10              ? 8.5
                                               : 7,
                    GROUND, ALIGN_CENTER, false, 0, text);
    }
    lanes_text(s->lanes[i], text, sizeof text);
    view_tip(v, cell, "bank %u, word at byte 0x%llx: lane %s%s", bank, (unsigned long long)s->word[i] * p->width, text,
             extra ? ". It has to wait for the words below it: a bank serves one word a cycle" : "");
}

static void draw_banks(struct canvas *c, struct view *v, const struct bank_picture *p, uint32_t ideal, struct box in)
{
    double cw = in.w / p->nbank, ground = in.y + in.h - 14, room = in.h - 16;
    double ch = room / (p->tallest > 8 ? p->tallest : 8);
    char text[16];
    for (uint32_t k = 0; k < p->nbank; k++) {
        double x = in.x + k * cw;
        for (uint32_t i = 0; i < p->stacks[k].n; i++)
            draw_cell(c, v, p, k, i, (struct box){x + 0.75, ground - (i + 1) * ch, cw - 1.5, ch > 4 ? ch - 1 : ch},
                      i >= ideal);
        if (k % (cw > 14 ? 1 : 4) == 0) {
            snprintf(text, sizeof text, "%u", k);
            canvas_text(c, x + cw / 2, ground + 8, 8, INK_DIM, ALIGN_CENTER, false, 0, text);
        }
    }
    canvas_line(c, in.x, ground, in.x + in.w, ground, INK_DIM, 1);
    if (ch <= 8.5 && p->tallest > ideal) { /* cells too small for their lanes */
        char lanes[64], say[96];
        lanemask all = 0;
        for (uint32_t i = 0; i < p->stacks[p->worst].n; i++)
            all |= p->stacks[p->worst].lanes[i];
        lanes_text(all, lanes, sizeof lanes);
        snprintf(say, sizeof say, "lanes %s", lanes);
        bool left = p->worst > p->nbank / 2;
        canvas_text(c, in.x + (p->worst + (left ? -0.3 : 1.3)) * cw, ground - p->tallest * ch + 6, 10, INK,
                    left ? ALIGN_RIGHT : ALIGN_LEFT, false, 200, say);
    }
}

enum { LINES = 64, SECTOR = 32, SECTORS = 4 };
struct line_picture {
    struct line {
        uint64_t line;
        uint32_t bytes[SECTORS];
        lanemask lanes[SECTORS];
    } lines[LINES];
    uint32_t n, used; /* lines, bytes that lanes use */
};

static void lay_out(const struct access_record *a, struct line_picture *p)
{
    p->n = p->used = 0;
    for (uint32_t l = 0; l < NLANE; l++) {
        for (uint32_t byte = 0; a->mask >> l & 1 && byte < a->bytes; byte++) {
            uint64_t at = a->addr[l] + byte, line = at / (SECTOR * SECTORS);
            uint32_t i = 0, sector = (uint32_t)(at / SECTOR % SECTORS), bit = 1u << (at % SECTOR);
            while (i < p->n && p->lines[i].line != line)
                i++;
            if (i == LINES)
                continue;
            if (i == p->n) {
                memset(&p->lines[i], 0, sizeof p->lines[i]);
                p->lines[p->n++].line = line;
            }
            p->used += !(p->lines[i].bytes[sector] & bit);
            p->lines[i].bytes[sector] |= bit;
            p->lines[i].lanes[sector] |= 1ull << l;
        }
    }
}

static void draw_sector(struct canvas *c, struct view *v, const struct line *l, uint32_t s, struct box cell)
{
    double used = __builtin_popcount(l->bytes[s]) / 32.0, x = 0;
    char who[100];
    canvas_round(c, cell, 2, used > 0 ? PANEL_EDGE : state_styles[STATE_EMPTY].color);
    for (uint32_t k = 0; k < SECTOR; k++) { /* the bytes themselves, in runs */
        uint32_t end = k;
        while (end < SECTOR && l->bytes[s] >> end & 1)
            end++;
        if (end > k) {
            x = cell.x + cell.w * k / SECTOR;
            canvas_round(c, (struct box){x, cell.y, cell.w * (end - k) / SECTOR, cell.h}, used >= 1 ? 2 : 1,
                         used >= 1 ? state_styles[STATE_DEPENDENCY].color : state_styles[STATE_SHARED].color);
            k = end;
        }
    }
    lanes_text(l->lanes[s], who, sizeof who);
    if (used >= 1 && cell.h > 9)
        canvas_text(c, cell.x + cell.w / 2, cell.y + cell.h / 2, 8.5, GROUND, ALIGN_CENTER, false, cell.w - 4, who);
    else if (used > 0 && cell.h > 9 && cell.w > 44)
        canvas_text(c, cell.x + cell.w - 5, cell.y + cell.h / 2, 8.5, INK, ALIGN_RIGHT, false, cell.w * 0.6, who);
    if (used > 0)
        view_tip(v, cell, "sector 0x%llx: %d of the 32 bytes that are moved are used, by lane %s",
                 (unsigned long long)l->line * SECTOR * SECTORS + s * SECTOR, __builtin_popcount(l->bytes[s]), who);
    else
        view_tip(v, cell, "sector 0x%llx: not asked for, not moved",
                 (unsigned long long)l->line * SECTOR * SECTORS + s * SECTOR);
}

static void draw_sectors(struct canvas *c, struct view *v, const struct line_picture *p, struct box in)
{
    if (p->n == 0)
        return;
    uint32_t columns = p->n <= 8 ? 1 : p->n <= 16 ? 2 : 4, rows = (p->n + columns - 1) / columns;
    double cw = in.w / columns, ch = in.h / rows;
    ch = ch > 44 ? 44 : ch;
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t column = i / rows;
        double x = in.x + column * cw, y = in.y + i % rows * ch;
        double label = columns <= 2 ? 88 : 0, sw = (cw - label - 8) / SECTORS;
        char text[64];
        snprintf(text, sizeof text, "%llx", (unsigned long long)p->lines[i].line * SECTOR * SECTORS);
        if (label > 0)
            canvas_text(c, x, y + ch / 2, ch > 12 ? 9 : 7.5, INK_DIM, ALIGN_LEFT, true, label - 4, text);
        for (uint32_t s = 0; s < SECTORS; s++)
            draw_sector(c, v, &p->lines[i], s, (struct box){x + label + s * sw, y + 1, sw - 2, ch > 4 ? ch - 2 : ch});
    }
}

static const char *plural(uint32_t n)
{
    return n == 1 ? "" : "s";
}

static void shared_picture(struct canvas *c, struct view *v, const struct model *m, const struct access_record *a,
                           struct box in)
{
    struct bank_picture p;
    char text[160];
    uint32_t ideal = ideal_wavefronts(m, a);
    stack_up(m, a, &p);
    if (a->cost > ideal)
        snprintf(text, sizeof text, "%u wavefronts, %u would do: %u words in bank %u", a->cost, ideal, p.tallest,
                 p.worst);
    else
        snprintf(text, sizeof text, "%u wavefront%s: no bank conflict", a->cost, plural(a->cost));
    canvas_text_bold(c, in.x, in.y + 6, 11.5, a->cost > ideal ? WARN : GOOD, ALIGN_LEFT, in.w, text);
    draw_banks(c, v, &p, ideal, (struct box){in.x, in.y + 18, in.w, in.h - 32});
    canvas_text(c, in.x, in.y + in.h - 5, 9, INK_DIM, ALIGN_LEFT, false, in.w,
                "column: bank; cell: word, its first lane; orange: must wait");
}

static void global_picture(struct canvas *c, struct view *v, const struct access_record *a, struct box in)
{
    struct line_picture p;
    char text[160];
    lay_out(a, &p);
    uint32_t moved = a->cost * SECTOR;
    bool wasted = a->cost > ideal_sectors(a);
    snprintf(text, sizeof text, "%u sector%s in %u line%s, %.0f%% of their bytes used", a->cost, plural(a->cost), p.n,
             plural(p.n), moved ? 100.0 * p.used / moved : 0);
    canvas_text_bold(c, in.x, in.y + 6, 11.5, wasted ? WARN : 2 * p.used < moved ? INK : GOOD, ALIGN_LEFT, in.w, text);
    draw_sectors(c, v, &p, (struct box){in.x, in.y + 18, in.w, in.h - 34});
    canvas_text(c, in.x, in.y + in.h - 5, 9, INK_DIM, ALIGN_LEFT, false, in.w,
                "row: a 128-byte line, 4 sectors; filled: bytes used, by which lanes");
}

void panel_access(struct canvas *c, struct view *v, const struct model *m, struct box b)
{
    char title[96], detail[160] = "";
    cycle t = view_time(v, m);
    const struct access_record *a = model_last_access(m, v->pc >= 0 ? -1 : (int)v->warp, v->pc, t);
    if (!a && v->pc >= 0)
        a = model_last_access(m, (int)v->warp, -1, t);
    if (!a)
        a = model_last_access(m, -1, -1, t);
    if (a)
        snprintf(detail, sizeof detail, "at %04x, %d lanes x %u bytes", model_offset(m, a->pc),
                 __builtin_popcountll(a->mask), a->bytes);
    if (!a)
        snprintf(title, sizeof title, "One access");
    else
        snprintf(title, sizeof title, "Warp %u: last %s access", a->warp,
                 a->space == SPACE_SHARED  ? "shared"
                 : a->space == SPACE_LOCAL ? "local"
                                           : "global");
    struct box in = panel_begin(c, v, b, PANEL_ACCESS, title, detail,
                                "The last access of the selected warp, or of the selected instruction, lane by lane: "
                                "into the 32 banks of shared memory, or onto the "
                                "32-byte sectors that are moved");
    if (!a)
        canvas_text(c, in.x, in.y + 8, 10.5, INK_DIM, ALIGN_LEFT, false, in.w, "no access yet");
    else if (a->space == SPACE_SHARED)
        shared_picture(c, v, m, a, in);
    else
        global_picture(c, v, a, in);
}
