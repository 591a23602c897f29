/* viz/ without a simulator: a made-up model is fed frames, drawn, recorded and replayed. With HEDDLE_SHOTS=folder the
 * pictures are kept there for a person to look at. */
#include "viz/input.h"
#include "viz/record.h"
#include "viz/view.h"
#include "viz/viz.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct machine_info made_up_machine(void)
{
    struct machine_info i = {.nsm = 132,
                             .ngpc = 8,
                             .subcores = 4,
                             .max_warps = 64,
                             .warp_size = 32,
                             .smem_banks = 32,
                             .smem_bank_bytes = 4,
                             .nslice = 94,
                             .npart = 47,
                             .nchannel = 188,
                             .nbank = 16,
                             .bank_groups = 4,
                             .dram_peak = 2400,
                             .l2_peak = 4000,
                             .sm_mhz = 1980,
                             .mem_mhz = 3200,
                             .npc = 40};
    strcpy(i.config, "made-up");
    i.nlaunch = 1;
    i.launches[0] = (struct launch_info){.max_resident_warps = 48,
                                         .max_blocks = 6,
                                         .warps_per_block = 8,
                                         .npc = 40,
                                         .kernel = "lesson",
                                         .limiter = "registers"};
    i.unit_interval[UNIT_ALU] = i.unit_interval[UNIT_FMA] = i.unit_interval[UNIT_LSU] = 2;
    for (uint32_t s = 0; s < i.nsm; s++)
        i.gpc_of_sm[s] = s / 2 % 8;
    i.unit_of = xcalloc(i.npc, 1);
    memset(i.unit_of, UNIT_FMA, i.npc);
    i.listing = xcalloc(i.npc, sizeof(char *));
    for (uint32_t p = 0; p < i.npc; p++)
        i.listing[p] = xasprintf("%sFFMA R%u, R%u, c[0x0][0x210], R%u", p % 5 ? "" : "@P0 ", p, p + 1, p + 2);
    return i;
}

static uint32_t rnd(uint32_t *x)
{
    return *x = hash32(*x + 1);
}

/* 400 cycles of 48 warps that issue, wait for memory and diverge; two accesses; some DRAM rows. */
static void feed(struct model *m, bool shared)
{
    static struct issue_record issues[8000];
    static struct warp_view warps[NLANE];
    static struct sm_sample sms[NLIST];
    static struct bank_view banks[188][16];
    static struct channel_view channels[188];
    static struct part_sample parts[47];
    static struct command_record commands[40];
    uint32_t x = 7, n = 0, last[NLANE] = {0}, pc[NLANE] = {0};
    for (cycle t = 1; t < 400; t++) {
        for (uint32_t sub = 0; sub < 4; sub++) {
            uint32_t w = sub + 4 * (rnd(&x) % 12), reason = t - last[w] > 30  ? STALL_long_scoreboard
                                                            : t - last[w] > 5 ? STALL_short_scoreboard
                                                                              : STALL_wait;
            if (rnd(&x) % 3)
                continue;
            issues[n++] = (struct issue_record){.time = t,
                                                .pc = pc[w],
                                                .waited = (uint32_t)t - last[w],
                                                .warp = (uint8_t)w,
                                                .reason = (uint8_t)reason,
                                                .exec = pc[w] > 20 && pc[w] < 28 ? 0x0000ffff : 0xffffffff};
            last[w] = (uint32_t)t;
            pc[w] = (pc[w] + 1) % 40;
        }
    }
    for (uint32_t w = 0; w < 48; w++) {
        warps[w] = (struct warp_view){.resident = true,
                                      .reason = w % 3 ? STALL_long_scoreboard : STALL_barrier,
                                      .pc = pc[w],
                                      .block = w / 8,
                                      .active = 0x0000ffff,
                                      .live = 0x3fffffff,
                                      .nsplit = 2};
        warps[w].split[0].pc = pc[w];
        warps[w].split[0].mask = 0x0000ffff;
        warps[w].split[1].pc = 30;
        warps[w].split[1].mask = 0x3fff0000;
    }
    for (uint32_t s = 0; s < 132; s++)
        sms[s] = (struct sm_sample){.resident = (uint16_t)(s % 49),
                                    .blocks = (uint16_t)(s % 6),
                                    .issue = (float)(s % 40) / 10,
                                    .memory_stall = 0.4f,
                                    .l1_hit = 0.5f};
    for (uint32_t c = 0; c < 188; c++) {
        for (uint32_t b = 0; b < 16; b++)
            banks[c][b] =
                (struct bank_view){.open_row = rnd(&x) % 4 ? (int32_t)(rnd(&x) % 20000) : -1, .activates = rnd(&x) % 9};
        channels[c] = (struct channel_view){.banks = banks[c],
                                            .nbank = 16,
                                            .row_hits = 70,
                                            .row_misses = 20,
                                            .row_conflicts = 10,
                                            .bus_busy = rnd(&x) % 400};
    }
    for (uint32_t p = 0; p < 47; p++)
        parts[p] = (struct part_sample){(float)p / 60, 0.6f};
    for (uint32_t i = 0; i < 40; i++)
        commands[i] = (struct command_record){.time = 200 + 5 * i,
                                              .row = i / 8,
                                              .bank = (uint8_t)(i % 16),
                                              .command = (uint8_t)(i % 8 ? DRAM_RD : DRAM_ACT)};
    struct access_record a = {.time = 390,
                              .pc = 12,
                              .warp = 5,
                              .space = shared ? SPACE_SHARED : SPACE_GLOBAL,
                              .bytes = 4,
                              .cost = shared ? 8 : 32,
                              .mask = 0xffffffff};
    for (uint32_t l = 0; l < 32; l++)
        a.addr[l] = shared ? l * 32 : 0x7f0000000000 + l * 132;
    for (cycle t = 0; t <= 400; t += 8) {
        struct frame f = {.now = t, .sms = sms, .parts = parts, .blocks_done = t / 4, .blocks_total = 200};
        f.chip = (struct chip_sample){.time = t,
                                      .resident = 30 + (float)(t % 50) / 10,
                                      .eligible = (float)(rnd(&x) % 8),
                                      .issue = 1.5f,
                                      .sm_resident = 48,
                                      .sm_eligible = 3,
                                      .l2_hit = 0.7f,
                                      .l1_hit = -1,
                                      .dram_bytes_per_cycle = 900};
        if (t == 400) {
            f.issues = issues;
            f.nissue = n;
            f.warps = warps;
            f.channels = channels;
            f.accesses = &a;
            f.naccess = 1;
            f.commands = commands;
            f.ncommand = 40;
        }
        model_feed(m, &f);
    }
}

static struct model *made_up(bool shared)
{
    struct machine_info info = made_up_machine();
    struct model *m = model_new(&info);
    feed(m, shared);
    return m;
}

static void keep(struct canvas *c, const char *name)
{
    struct error err = {0};
    if (getenv("HEDDLE_SHOTS")) {
        char *path = path_join(getenv("HEDDLE_SHOTS"), name);
        ck_assert_msg(canvas_write_png(c, path, &err), "%s", err.text);
        free(path);
    }
}

static struct rgb pixel(struct canvas *c, double x, double y)
{
    int w, h, stride;
    const uint8_t *p = canvas_pixels(c, &w, &h, &stride);
    p += (int)(y * canvas_scale(c)) * stride + (int)(x * canvas_scale(c)) * 4;
    return (struct rgb){p[2], p[1], p[0]};
}

START_TEST(every_panel_is_drawn_at_every_size)
{
    static const struct {
        int w, h;
        const char *name;
    } sizes[] = {{800, 600, "800.png"}, {1280, 800, "1280.png"}, {3840, 2160, "4k.png"}};
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        struct model *m = made_up(i != 1);
        struct canvas *c = canvas_new(sizes[i].w, sizes[i].h, view_scale(sizes[i].w, sizes[i].h));
        struct view v;
        view_init(&v);
        v.warp = 5;
        view_draw(c, &v, m);
        keep(c, sizes[i].name);
        for (int p = 0; p < PANEL_COUNT; p++) { /* inside the window, and not on top of one another */
            struct box b = v.boxes[p];
            ck_assert(b.x >= 0 && b.y >= 0 && b.x + b.w <= canvas_width(c) && b.y + b.h <= canvas_height(c));
            for (int q = 0; q < p; q++) {
                struct box o = v.boxes[q];
                ck_assert(b.x >= o.x + o.w || o.x >= b.x + b.w || b.y >= o.y + o.h || o.y >= b.y + b.h);
            }
        }
        canvas_free(c);
        model_free(m);
    }
}
END_TEST

/* Frames against stored ones at an eighth of their size, where letters are only shades: differently rendered fonts
 * pass, a panel that moved or lost its content does not. HEDDLE_WRITE_FRAMES=1 stores them anew: look at them. */
static void compare_frame(struct canvas *c, const char *name)
{
    enum { BY = 8, CLEARLY = 40 };
    struct error err = {0};
    char *folder = path_join(getenv("HEDDLE_SOURCE_DIR") ? getenv("HEDDLE_SOURCE_DIR") : ".", "tests/data/frames"),
         *path = path_join(folder, name);
    struct canvas *small = canvas_shrink(c, BY);
    if (getenv("HEDDLE_WRITE_FRAMES"))
        ck_assert_msg(canvas_write_png(small, path, &err), "%s", err.text);
    struct canvas *stored = canvas_read_png(path, &err);
    ck_assert_msg(stored != NULL, "%s", err.text);
    int w, h, stride, sw, sh, sstride, clearly = 0;
    double sum = 0;
    const uint8_t *a = canvas_pixels(small, &w, &h, &stride), *b = canvas_pixels(stored, &sw, &sh, &sstride);
    ck_assert(w == sw && h == sh);
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) {
            int most = 0;
            for (int k = 0; k < 3; k++) {
                int d = abs(a[y * stride + 4 * x + k] - b[y * sstride + 4 * x + k]);
                most = d > most ? d : most;
                sum += d;
            }
            clearly += most > CLEARLY;
        }
    }
    double mean = sum / (3.0 * w * h), share = 100.0 * clearly / (w * h);
    ck_assert_msg(mean < 2.5 && share < 1,
                  "%s: differs by %.2f of 255 in the mean, and clearly in %.2f %% of its pixels", name, mean, share);
    canvas_free(stored);
    canvas_free(small);
    free(path);
    free(folder);
}

START_TEST(frames_are_as_stored)
{
    static const struct {
        int w, h, zoomed;
        bool shared, finished;
        cycle back;
        const char *name;
    } frames[] = {
        {1280, 800, -1, false, false, 0, "all.png"},           {800, 600, -1, true, false, 0, "small.png"},
        {800, 600, PANEL_WARPS, true, false, 120, "past.png"}, {800, 600, PANEL_DRAM, true, false, 0, "dram.png"},
        {800, 600, PANEL_ACCESS, true, false, 0, "banks.png"}, {800, 600, PANEL_OVERVIEW, true, true, 0, "end.png"}};
    for (size_t i = 0; i < ARRAY_LEN(frames); i++) {
        struct model *m = made_up(frames[i].shared);
        struct canvas *c = canvas_new(frames[i].w, frames[i].h, view_scale(frames[i].w, frames[i].h));
        struct view v;
        view_init(&v);
        v.warp = 5;
        v.warp_chosen = true;
        v.zoomed = frames[i].zoomed;
        v.back = frames[i].back;
        m->finished = frames[i].finished;
        view_draw(c, &v, m);
        keep(c, frames[i].name);
        compare_frame(c, frames[i].name);
        canvas_free(c);
        model_free(m);
    }
}
END_TEST

/* What the window draws from while the simulation runs on is the same picture. */
/* A chain of kernels: records of a later launch mean a later listing. */
START_TEST(launches_have_their_own_code)
{
    struct machine_info info = made_up_machine();
    info.nlaunch = 3;
    info.launches[0].npc = 10;
    info.launches[1] = (struct launch_info){.first_pc = 10, .npc = 30, .kernel = "second"};
    info.launches[2] = info.launches[0]; /* the first kernel again */
    struct model *m = model_new(&info);
    struct issue_record r = {.time = 5, .pc = 3, .exec = 1};
    struct frame f = {.now = 10, .issues = &r, .nissue = 1};
    for (f.first_launch = 0; f.first_launch < 3; f.first_launch++)
        model_feed(m, &f);
    ck_assert_uint_eq(m->pcs[3].executed, 2);
    ck_assert_uint_eq(m->pcs[13].executed, 1);
    ck_assert_uint_eq(model_offset(m, 13), 3 * INST_BYTES);
    f.first_launch = 1;
    model_feed(m, &f);
    ck_assert_str_eq(model_launch(m)->kernel, "second");
    r.pc = 31; /* not one of its instructions */
    model_feed(m, &f);
    ck_assert_uint_eq(m->issues[m->nissue - 1].pc, info.npc);
    model_free(m);
}
END_TEST

START_TEST(a_copy_of_the_model_draws_the_same)
{
    struct model *m = made_up(true), *copy = model_copy_new(m);
    struct canvas *c[2] = {canvas_new(1280, 800, 1), canvas_new(1280, 800, 1)};
    struct view v;
    view_init(&v);
    model_copy(copy, m, view_oldest(&v, m));
    view_draw(c[0], &v, m);
    view_init(&v);
    view_draw(c[1], &v, copy);
    int w, h, stride;
    const uint8_t *a = canvas_pixels(c[0], &w, &h, &stride), *b = canvas_pixels(c[1], &w, &h, &stride);
    ck_assert_mem_eq(a, b, (size_t)h * (size_t)stride);
    canvas_free(c[0]);
    canvas_free(c[1]);
    model_free(copy);
    model_free(m);
}
END_TEST

START_TEST(an_issue_is_drawn_where_it_happened)
{
    struct machine_info info = made_up_machine();
    struct model *m = model_new(&info);
    struct issue_record r = {
        .time = 100, .pc = 3, .waited = 40, .warp = 47, .reason = STALL_long_scoreboard, .exec = 0xffffffff};
    struct frame f = {.now = 128, .issues = &r, .nissue = 1};
    model_feed(m, &f);
    struct canvas *c = canvas_new(1280, 800, 1);
    struct view v;
    view_init(&v);
    v.cycles_shown = 128; /* cycles 0..128 over the strip */
    view_draw(c, &v, m);
    double h, y = warps_row_y(m, v.boxes[PANEL_WARPS], 47, &h) + h / 2;
    struct box strip = warps_strip(v.boxes[PANEL_WARPS]);
    double left = strip.x, width = strip.w;
    struct rgb wait = pixel(c, left + width * 80 / 128, y), issue = pixel(c, left + width * 100.5 / 128, y),
               empty = pixel(c, left + width * 30 / 128, y);
    struct rgb memory = state_styles[STATE_MEMORY].color, issued = state_styles[STATE_ISSUED].color,
               none = state_styles[STATE_EMPTY].color;
    ck_assert_mem_eq(&wait, &memory, 3);
    ck_assert_mem_eq(&issue, &issued, 3);
    ck_assert_mem_eq(&empty, &none, 3);
    canvas_free(c);
    model_free(m);
}
END_TEST

START_TEST(clicks_select_what_is_under_them)
{
    struct model *m = made_up(true);
    struct canvas *c = canvas_new(1280, 800, 1);
    struct view v;
    uint32_t sm = UINT32_MAX;
    view_init(&v);
    view_draw(c, &v, m);
    struct box b = overview_sm_box(m, overview_room(v.boxes[PANEL_OVERVIEW]), 77);
    ck_assert(view_click(&v, m, b.x + 1, b.y + 1, &sm));
    ck_assert_uint_eq(sm, 77);
    double h, y = warps_row_y(m, v.boxes[PANEL_WARPS], 42, &h);
    ck_assert(view_click(&v, m, v.boxes[PANEL_WARPS].x + 100, y + h / 2, &sm));
    ck_assert_uint_eq(v.warp, 42);
    b = overview_channel_box(m, v.boxes[PANEL_OVERVIEW], 90);
    ck_assert(view_click(&v, m, b.x + 0.5, b.y + 0.5, &sm));
    ck_assert_uint_eq(v.channel, 90);
    v.code_scroll = 0;
    v.code_follow = false;
    view_draw(c, &v, m);
    b = v.boxes[PANEL_CODE];
    double row = b.y + 26 + 16 + 14 * 7.5; /* title, heading, eighth line */
    ck_assert(view_click(&v, m, b.x + 80, row, &sm));
    ck_assert_int_eq(v.pc, 7);
    ck_assert(view_click(&v, m, b.x + 80, row, &sm)); /* again: none */
    ck_assert_int_eq(v.pc, -1);
    v.zoomed = PANEL_ACCESS;
    view_draw(c, &v, m);
    keep(c, "access.png");
    v.zoomed = -1;
    v.help = true;
    view_draw(c, &v, m);
    keep(c, "help.png");
    canvas_free(c);
    model_free(m);
}
END_TEST

/* Whatever the model holds, pointing at any place of any panel finds a tip or none, never a fault. */
START_TEST(pointing_anywhere_is_safe)
{
    struct model *m = made_up(true);
    struct canvas *c = canvas_new(1180, 740, 1);
    struct view v;
    unsigned tips = 0;
    for (uint32_t w = 0; w < m->info.max_warps; w++) { /* every reason, odd places in the code, no split */
        m->warps[w].reason = (uint8_t)(w % (STALL_COUNT + 1));
        m->warps[w].pc = w % 3 ? w : UINT32_MAX;
        m->warps[w].nsplit = w % 10;
        m->warps[w].resident = true;
    }
    view_init(&v);
    for (v.mouse_y = 3; v.mouse_y < 740; v.mouse_y += 61) {
        for (v.mouse_x = 5; v.mouse_x < 1180; v.mouse_x += 97) {
            v.warp = (v.warp + 7) % m->info.max_warps;
            v.warp_chosen = true;
            view_draw(c, &v, m);
            tips += v.tip[0] != 0;
        }
    }
    ck_assert_uint_gt(tips, 80);
    for (uint32_t w = 0; w < warps_rows(m); w++) { /* at the end of a row: what holds a warp now, with no record yet */
        double h;
        m->warps[w].reason = STALL_selected;
        v.mouse_y = warps_row_y(m, v.boxes[PANEL_WARPS], w, &h) + h / 2;
        struct box strip = warps_strip(v.boxes[PANEL_WARPS]);
        v.mouse_x = strip.x + strip.w - 0.2;
        view_draw(c, &v, m);
        ck_assert(v.tip[0]);
    }
    canvas_free(c);
    model_free(m);
}
END_TEST

START_TEST(a_recording_replays_to_the_same_picture)
{
    char path[] = "heddle-rec-XXXXXX";
    struct error err = {0};
    ck_assert_int_ge(mkstemp(path), 0);
    struct machine_info info = made_up_machine(), read;
    struct recorder *r = recorder_new(path, &info, &err);
    struct issue_record issue = {.time = 5, .pc = 1, .warp = 2, .exec = 1};
    struct frame f = {.now = 10, .issues = &issue, .nissue = 1};
    recorder_frame(r, &f);
    f.now = 20;
    f.nissue = 0;
    recorder_frame(r, &f);
    ck_assert(recorder_finish(r, &err));

    struct player *p = player_open(path, &read, &err);
    ck_assert_msg(p != NULL, "%s", err.text);
    ck_assert_uint_eq(read.npc, info.npc);
    ck_assert_str_eq(read.listing[7], info.listing[7]);
    ck_assert(player_next(p, &f, &err) && f.now == 10 && f.nissue == 1 && f.issues[0].time == 5);
    ck_assert(player_next(p, &f, &err) && f.now == 20);
    ck_assert(!player_next(p, &f, &err));
    ck_assert_int_eq(err.status, EXIT_DONE);
    player_close(p);

    FILE *bad = fopen(path, "r+b"); /* a broken file is an error, not a crash */
    ck_assert_int_eq(ftruncate(fileno(bad), 200), 0);
    fclose(bad);
    ck_assert_ptr_null(player_open(path, &(struct machine_info){0}, &err));
    ck_assert_int_eq(err.status, EXIT_BAD_INPUT);
    remove(path);
}
END_TEST

START_TEST(plots_have_data_beside_them)
{
    struct plot_point a[] = {{1, 10}, {2, 40}, {4, 90}, {8, 120}}, b[] = {{1, 20}, {2, 30}, {4, 50}, {8, 100}};
    struct plot_curve curves[] = {{"one", a, 4}, {"two", b, 4}};
    struct error err = {0};
    ck_assert(plot_curves("Two curves", "size", "rate", true, false, curves, 2, "t_viz_plot.svg", &err));
    uint8_t *csv;
    size_t n;
    ck_assert(file_read("t_viz_plot.csv", &csv, &n, &err));
    ck_assert_ptr_nonnull(strstr((char *)csv, "two,8,100"));
    free(csv);
    ck_assert(!plot_curves("x", "x", "y", false, false, curves, 2, "t_viz_plot.gif", &err));
    ck_assert_int_eq(err.status, EXIT_BAD_INPUT);
    if (getenv("HEDDLE_SHOTS")) {
        char *path = path_join(getenv("HEDDLE_SHOTS"), "curves.png");
        err = (struct error){0};
        ck_assert(plot_curves("Two curves", "size", "rate", true, false, curves, 2, path, &err));
        free(path);
    }
    remove("t_viz_plot.svg");
    remove("t_viz_plot.csv");
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("viz");
    tcase_add_test(t, every_panel_is_drawn_at_every_size);
    tcase_add_test(t, frames_are_as_stored);
    tcase_add_test(t, launches_have_their_own_code);
    tcase_add_test(t, a_copy_of_the_model_draws_the_same);
    tcase_add_test(t, an_issue_is_drawn_where_it_happened);
    tcase_add_test(t, clicks_select_what_is_under_them);
    tcase_add_test(t, pointing_anywhere_is_safe);
    tcase_add_test(t, a_recording_replays_to_the_same_picture);
    tcase_add_test(t, plots_have_data_beside_them);
    tcase_set_timeout(t, 60);
    Suite *s = suite_create("viz");
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
