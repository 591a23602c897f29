/* DRAM: channels by bus use, and the banks of the selected one with their open rows; fresh activations flash. */
#include "viz/view.h"

static struct box channels_room(struct box in)
{
    return (struct box){in.x, in.y, in.w, in.h * 0.3};
}

struct box dram_channel_box(const struct model *m, struct box panel, uint32_t channel)
{
    struct box room = channels_room(panel_inside(panel));
    uint32_t n = m->info.nchannel < NVIEWCHANNEL ? m->info.nchannel : NVIEWCHANNEL;
    uint32_t rows = n > 96 ? 4 : n > 40 ? 2 : 1, columns = (n + rows - 1) / rows;
    double w = room.w / columns, h = room.h / rows;
    uint32_t row = channel / columns;
    return (struct box){room.x + (channel % columns) * w, room.y + row * h, w - 0.7, h - 1.5};
}

static void draw_bank(struct canvas *c, struct view *v, const struct model *m, const struct channel_state *s, uint32_t bank, struct box cell)
{
    enum { FLASH_CYCLES = 60 };
    bool flash = s->activates[bank] && m->now - s->activated[bank] < FLASH_CYCLES;
    int32_t row = s->open_row[bank];
    /* a row keeps its colour, so that a change of row is seen */
    struct rgb color = row < 0 ? state_styles[STATE_EMPTY].color : heat(0.25 + 0.6 * ((double)(hash32((uint32_t)row) & 255) / 255));
    canvas_fill(c, cell, color);
    if (flash)
        canvas_frame(c, cell, INK, 2);
    char text[64];
    if (cell.h > 14 && cell.w > 26) {
        if (row < 0)
            snprintf(text, sizeof text, "-");
        else
            snprintf(text, sizeof text, "%d", row);
        canvas_text(c, cell.x + cell.w / 2, cell.y + cell.h / 2, cell.w < 44 ? 8 : 9, row < 0 ? INK_DIM : GROUND, ALIGN_CENTER, false, cell.w - 4, text);
    }
    if (view_hover(v, cell)) {
        if (row < 0)
            snprintf(v->tip, sizeof v->tip, "bank %u: closed, %llu activations so far", bank, (unsigned long long)s->activates[bank]);
        else
            snprintf(v->tip, sizeof v->tip, "bank %u: row %d open, %llu activations so far (opening a row is the slow part of DRAM)", bank, row,
                     (unsigned long long)s->activates[bank]);
    }
}

void panel_dram(struct canvas *c, struct view *v, const struct model *m, struct box b)
{
    char text[160];
    uint32_t n = m->info.nchannel < NVIEWCHANNEL ? m->info.nchannel : NVIEWCHANNEL;
    if (v->channel >= n)
        v->channel = 0;
    const struct channel_state *s = &m->channels[v->channel];
    uint64_t total = s->hits + s->misses + s->conflicts;
    if (total)
        snprintf(text, sizeof text, "row hits %.0f%%  conflicts %.0f%%", 100.0 * (double)s->hits / (double)total, 100.0 * (double)s->conflicts / (double)total);
    else
        snprintf(text, sizeof text, "no access yet");
    char title[64];
    snprintf(title, sizeof title, "DRAM: channel %u of %u", v->channel, m->info.nchannel);
    struct box in = panel_begin(c, b, title, text);
    for (uint32_t i = 0; i < n; i++) {
        struct box cell = dram_channel_box(m, b, i);
        double busy = m->channels[i].busy;
        canvas_fill(c, cell, GROUND);
        double h = cell.h * (busy > 1 ? 1 : busy);
        canvas_fill(c, (struct box){cell.x, cell.y + cell.h - h, cell.w, h}, heat(busy));
        if (i == v->channel)
            canvas_frame(c, (struct box){cell.x - 1, cell.y - 1, cell.w + 2, cell.h + 2}, ACCENT, 1.5);
        if (view_hover(v, cell))
            snprintf(v->tip, sizeof v->tip, "channel %u: data bus busy %.0f%% of the last interval", i, 100 * busy);
    }
    uint32_t nbank = m->info.nbank < NVIEWBANK ? m->info.nbank : NVIEWBANK;
    uint32_t columns = nbank >= 32 ? 8 : 4, rows = (nbank + columns - 1) / columns;
    struct box room = {in.x, in.y + in.h * 0.3 + 6, in.w, in.h * 0.7 - 20};
    for (uint32_t i = 0; i < nbank; i++) {
        uint32_t row = i / columns;
        struct box cell = {room.x + (i % columns) * room.w / columns, room.y + row * room.h / rows, room.w / columns - 2, room.h / rows - 2};
        draw_bank(c, v, m, s, i, cell);
    }
    canvas_text(c, in.x, in.y + in.h - 4, 9, INK_DIM, ALIGN_LEFT, false, in.w, "bars: bus use of each channel; cells: a bank and its open row; white frame: just activated");
}
