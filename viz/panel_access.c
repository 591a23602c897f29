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

static void draw_banks(struct canvas *c, struct view *v, const struct model *m, const struct access_record *a, struct box in)
{
    uint32_t nbank = m->info.smem_banks ? m->info.smem_banks : 32, width = m->info.smem_bank_bytes ? m->info.smem_bank_bytes : 4;
    struct stack stacks[128];
    uint32_t tallest = 1;
    memset(stacks, 0, nbank * sizeof stacks[0]);
    for (uint32_t l = 0; l < NLANE; l++) {
        if (!(a->mask >> l & 1))
            continue;
        for (uint32_t byte = 0; byte < a->bytes; byte += width) {
            uint64_t word = (a->addr[l] + byte) / width;
            drop(&stacks[word % nbank], word, l);
        }
    }
    for (uint32_t k = 0; k < nbank; k++)
        if (stacks[k].n > tallest)
            tallest = stacks[k].n;
    double cw = in.w / nbank, ground = in.y + in.h - 14, room = in.h - 18;
    double ch = room / (tallest > 4 ? tallest : 4);
    char text[32];
    for (uint32_t k = 0; k < nbank; k++) {
        double x = in.x + k * cw;
        for (uint32_t i = 0; i < stacks[k].n; i++) {
            struct box cell = {x + 0.5, ground - (i + 1) * ch, cw - 1.5, ch > 3 ? ch - 1 : ch};
            bool shared = stacks[k].lanes[i] & (stacks[k].lanes[i] - 1);
            canvas_fill(c, cell, i == 0 ? state_styles[STATE_DEPENDENCY].color : state_styles[STATE_MEMORY].color);
            if (shared && cell.h > 5)
                canvas_frame(c, cell, INK, 1);
            if (cw > 15 && ch > 9) {
                snprintf(text, sizeof text, "%d", __builtin_ctzll(stacks[k].lanes[i]));
                canvas_text(c, x + cw / 2, cell.y + cell.h / 2, ch > 12 ? 9 : 7, GROUND, ALIGN_CENTER, false, cw - 2, text);
            }
            if (view_hover(v, cell)) {
                char lanes[120];
                lanes_text(stacks[k].lanes[i], lanes, sizeof lanes);
                snprintf(v->tip, sizeof v->tip, "bank %u, word at byte 0x%llx: lane %s", k, (unsigned long long)stacks[k].word[i] * width, lanes);
            }
        }
        if (k % (cw > 14 ? 1 : 4) == 0) {
            snprintf(text, sizeof text, "%u", k);
            canvas_text(c, x + cw / 2, ground + 8, 8, INK_DIM, ALIGN_CENTER, false, 0, text);
        }
    }
    canvas_line(c, in.x, ground, in.x + in.w, ground, INK_DIM, 1);
}

/* Lines touched, each as its sectors; a sector is filled by the share of its bytes that lanes asked for. */
static void draw_sectors(struct canvas *c, struct view *v, const struct access_record *a, struct box in)
{
    enum { LINES = 64, SECTOR = 32, SECTORS = 4 };
    struct { uint64_t line; uint32_t bytes[SECTORS]; lanemask lanes[SECTORS]; } lines[LINES];
    uint32_t n = 0;
    for (uint32_t l = 0; l < NLANE; l++) {
        if (!(a->mask >> l & 1))
            continue;
        for (uint32_t byte = 0; byte < a->bytes; byte++) {
            uint64_t at = a->addr[l] + byte, line = at / (SECTOR * SECTORS);
            uint32_t i = 0, sector = (uint32_t)(at / SECTOR % SECTORS);
            while (i < n && lines[i].line != line)
                i++;
            if (i == n) {
                if (n == LINES)
                    continue;
                memset(&lines[n], 0, sizeof lines[n]);
                lines[n++].line = line;
            }
            lines[i].bytes[sector] |= 1u << (at % SECTOR);
            lines[i].lanes[sector] |= 1ull << l;
        }
    }
    if (n == 0)
        return;
    uint32_t columns = n <= 8 ? 1 : n <= 16 ? 2 : 4, rows = (n + columns - 1) / columns;
    double cw = in.w / columns, ch = in.h / rows;
    if (ch > 26)
        ch = 26;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t column = i / rows;
        double x = in.x + column * cw, y = in.y + (i % rows) * ch;
        double label = cw > 200 ? 96 : 0, sw = (cw - label - 8) / SECTORS;
        char text[64];
        snprintf(text, sizeof text, "%llx", (unsigned long long)lines[i].line * SECTOR * SECTORS);
        if (label > 0)
            canvas_text(c, x, y + ch / 2, ch > 12 ? 9 : 7, INK_DIM, ALIGN_LEFT, true, label - 4, text);
        for (uint32_t s = 0; s < SECTORS; s++) {
            struct box cell = {x + label + s * sw, y + 1, sw - 2, ch > 4 ? ch - 2 : ch};
            double used = __builtin_popcount(lines[i].bytes[s]) / 32.0;
            canvas_fill(c, cell, used > 0 ? PANEL_EDGE : state_styles[STATE_EMPTY].color);
            canvas_fill(c, (struct box){cell.x, cell.y, cell.w * used, cell.h},
                        used >= 1 ? state_styles[STATE_DEPENDENCY].color : state_styles[STATE_SHARED].color);
            if (used > 0 && view_hover(v, cell)) {
                char who[100];
                lanes_text(lines[i].lanes[s], who, sizeof who);
                snprintf(v->tip, sizeof v->tip, "sector 0x%llx: %d of 32 bytes used, by lane %s",
                         (unsigned long long)lines[i].line * SECTOR * SECTORS + s * SECTOR, __builtin_popcount(lines[i].bytes[s]), who);
            }
        }
    }
}

void panel_access(struct canvas *c, struct view *v, const struct model *m, struct box b)
{
    char title[96], detail[160] = "";
    const struct access_record *a = model_last_access(m, (int)v->warp, view_time(v, m));
    if (a) {
        int lanes = __builtin_popcountll(a->mask);
        if (a->space == SPACE_SHARED)
            snprintf(detail, sizeof detail, "at %04x: %d lanes x %u bytes, %u wavefront%s", a->pc * INST_BYTES, lanes, a->bytes, a->cost, a->cost == 1 ? "" : "s");
        else
            snprintf(detail, sizeof detail, "at %04x: %d lanes x %u bytes, %u sector%s of 32 bytes", a->pc * INST_BYTES, lanes, a->bytes, a->cost, a->cost == 1 ? "" : "s");
    }
    snprintf(title, sizeof title, "Last %s access of warp %u", !a ? "memory" : a->space == SPACE_SHARED ? "shared-memory" : "global-memory", v->warp);
    struct box in = panel_begin(c, b, title, detail);
    if (!a) {
        canvas_text(c, in.x, in.y + 12, 11, INK_DIM, ALIGN_LEFT, false, in.w, "none yet in the recorded window");
        return;
    }
    struct box room = {in.x, in.y, in.w, in.h - 16};
    if (a->space == SPACE_SHARED)
        draw_banks(c, v, m, a, room);
    else
        draw_sectors(c, v, a, room);
    const char *say = a->space == SPACE_SHARED ? "a column a bank, a cell a word (number: first lane); stacked cells conflict; framed: several lanes, one word"
                                               : "a row a 128-byte line, four sectors; filled: bytes that lanes use (blue: whole sector)";
    canvas_text(c, in.x, in.y + in.h - 5, 9, INK_DIM, ALIGN_LEFT, false, in.w, say);
}
