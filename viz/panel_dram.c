/* DRAM: the banks of a channel with their open rows, fresh activations flashing, and the command bus over time. */
#include "viz/view.h"

static const struct {
    const char *name, *explain;
    struct rgb color;
} commands[DRAM_CMD_COUNT] = {
    [DRAM_ACT] = {"open",
                  "activates a row: copies it into the bank's sense amplifiers, the slow part",
                  {0xf0, 0xe4, 0x42}},
    [DRAM_PRE] = {"close", "precharges: closes the open row", {0xcc, 0x79, 0xa7}},
    [DRAM_RD] = {"read", "transfers a burst from the open row", {0x56, 0xb4, 0xe9}},
    [DRAM_WR] = {"write", "transfers a burst into the open row", {0xe6, 0x9f, 0x00}},
    [DRAM_REF] = {"refresh", "restores a row's charge; the bank is busy", {0x8a, 0x8f, 0x98}}};

/* A row keeps its colour, so that a change of row is seen. */
static struct rgb row_color(int32_t row)
{
    return row < 0 ? state_styles[STATE_EMPTY].color : heat(0.30 + 0.6 * ((double)(hash32((uint32_t)row) & 255) / 255));
}

static void draw_bank(struct canvas *c, struct view *v, const struct model *m, uint32_t bank, struct box cell)
{
    enum { FLASH_CYCLES = 80 };
    const struct channel_state *s = &m->channels[m->channel % NVIEWCHANNEL];
    bool flash = s->activates[bank] && m->now - s->activated[bank] < FLASH_CYCLES && !m->finished;
    int32_t row = s->open_row[bank];
    char text[64];
    if (flash)
        canvas_round(c, box_inset(cell, -1), 3.5, INK);
    canvas_round(c, flash ? box_inset(cell, 1) : cell, 3, row_color(row));
    double size = cell.h * 0.2 < 8.5 ? 8.5 : cell.h > 70 ? 14 : cell.h * 0.2;
    snprintf(text, sizeof text, cell.h > 40 && cell.w > 70 ? "row %d" : "%d", row);
    if (row >= 0 && cell.h > 8 && canvas_text_width(c, size, false, text) < cell.w - 2)
        canvas_text(c, cell.x + cell.w / 2, cell.y + cell.h / 2, size, GROUND, ALIGN_CENTER, false, 0, text);
    if (row < 0)
        view_tip(v, cell, "bank %u: closed, %llu activations so far", bank, (unsigned long long)s->activates[bank]);
    else
        view_tip(v, cell, "bank %u: row %d is open, %llu activations so far. Opening a row is the slow part of DRAM.",
                 bank, row, (unsigned long long)s->activates[bank]);
}

static void draw_banks(struct canvas *c, struct view *v, const struct model *m, struct box b)
{
    uint32_t n = m->info.nbank < NVIEWBANK ? m->info.nbank : NVIEWBANK,
             groups = m->info.bank_groups ? m->info.bank_groups : 1;
    uint32_t per = n / groups ? n / groups : 1;
    uint32_t wide = groups <= 4 ? groups : groups <= 8 ? groups / 2 : groups / 4, lines = (groups + wide - 1) / wide;
    double gw = b.w / wide, gh = b.h / lines;
    uint32_t columns = gw > 2.5 * gh ? per : per >= 4 ? 2 : 1, rows = (per + columns - 1) / columns;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t g = i / per, k = i % per;
        double w = (gw - 4) / columns, h = (gh - 3) / rows;
        uint32_t group_row = g / wide, row = k / columns;
        draw_bank(
            c, v, m, i,
            (struct box){b.x + g % wide * gw + k % columns * w, b.y + group_row * gh + row * h, w - 1.5, h - 1.5});
    }
}

/* Row commands above, column commands below, over the cycles that the strip shows; HBM has a bus for each. */
static void draw_bus(struct canvas *c, struct view *v, const struct model *m, struct box b)
{
    double to = (double)view_time(v, m), from = to - v->cycles_shown, lane = b.h / 2;
    uint64_t kept = m->ncommand < NCOMMANDS ? m->ncommand : NCOMMANDS;
    canvas_round(c, b, 3, GROUND);
    canvas_line(c, b.x, b.y + lane, b.x + b.w, b.y + lane, PANEL_EDGE, 0.7);
    for (uint64_t i = 0; i < kept; i++) {
        const struct command_record *r = &m->commands[(m->ncommand - 1 - i) % NCOMMANDS];
        double t = (double)r->time, w = b.w / v->cycles_shown;
        if (t + 4000 < from)
            break;
        if (t < from || t >= to || r->command >= DRAM_CMD_COUNT)
            continue;
        bool column = r->command == DRAM_RD || r->command == DRAM_WR;
        struct box tick = {b.x + (t - from) * w, b.y + (column ? lane : 0) + 1, w > 1.5 ? w * 0.9 : 1.5, lane - 2};
        canvas_fill(c, tick, commands[r->command].color);
        view_tip(v, tick, "cycle %llu: %s, bank %u, row %u: %s", (unsigned long long)r->time, commands[r->command].name,
                 r->bank, r->row, commands[r->command].explain);
    }
}

static void draw_keys(struct canvas *c, struct view *v, struct box b)
{
    double step = b.w / DRAM_CMD_COUNT;
    for (int i = 0; i < DRAM_CMD_COUNT; i++) {
        canvas_round(c, (struct box){b.x + i * step, b.y + 2, 8, 8}, 2, commands[i].color);
        canvas_text(c, b.x + i * step + 11, b.y + 6, 9, INK_DIM, ALIGN_LEFT, false, step - 11, commands[i].name);
        view_tip(v, (struct box){b.x + i * step, b.y, step, 12}, "%s: %s", commands[i].name, commands[i].explain);
    }
}

void panel_dram(struct canvas *c, struct view *v, const struct model *m, struct box b)
{
    char text[160] = "no access yet", title[64];
    const struct channel_state *s = &m->channels[m->channel % NVIEWCHANNEL];
    double total = (double)(s->hits + s->misses + s->conflicts);
    if (total > 0)
        snprintf(text, sizeof text, "row hits %.0f%%, conflicts %.0f%%", 100.0 * (double)s->hits / total,
                 100.0 * (double)s->conflicts / total);
    snprintf(title, sizeof title, "DRAM channel %u", m->channel);
    struct box in = panel_begin(c, v, b, PANEL_DRAM, title, text,
                                "Banks of one channel by bank group, with the row that is open in each; framed: just "
                                "activated. Below, the commands of the cycles shown: "
                                "row commands above, column commands under them.");
    double bus = in.h * 0.22 < 24 ? 24 : in.h * 0.22;
    draw_banks(c, v, m, (struct box){in.x, in.y, in.w, in.h - bus - 22});
    draw_bus(c, v, m, (struct box){in.x, in.y + in.h - bus - 14, in.w, bus});
    draw_keys(c, v, (struct box){in.x, in.y + in.h - 11, in.w, 12});
}
