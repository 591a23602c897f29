#include "viz/input.h"

#include <stdlib.h>
#include <string.h>

static const char *const measure_words[MEASURE_COUNT] = {"occupancy", "issue", "memory", "l1"};

static int index_of(const char *word, const char *const *names, int n)
{
    for (int i = 0; word && i < n; i++)
        if (strcmp(word, names[i]) == 0)
            return i;
    return -1;
}

void input_init(struct input *in, struct session *s, const struct viz_options *o)
{
    *in = (struct input){.session = s};
    view_init(&in->view);
    int measure = index_of(o->measure, measure_words, MEASURE_COUNT);
    in->view.measure = measure < 0 ? MEASURE_OCCUPANCY : (enum measure)measure;
    in->view.zoomed = index_of(o->panel, panel_names, PANEL_COUNT);
    in->view.warp = o->warp < 0 ? 0 : (uint32_t)o->warp;
    in->view.warp_chosen = o->warp >= 0;
    in->view.cycles_per_second = o->speed;
    in->view.help = o->help;
    in->view.pc = o->select_pc < 0 ? -1 : o->select_pc / INST_BYTES;
    if (o->cycles_shown > 0)
        in->view.cycles_shown = o->cycles_shown;
}

void input_finish(struct input *in)
{
    model_free(in->copy);
}

static void zoom_strip(struct view *v, double factor)
{
    double shown = v->cycles_shown * factor;
    v->cycles_shown = shown < 16 ? 16 : shown > 1 << 20 ? 1 << 20 : shown;
}

static void change_speed(struct input *in, double factor)
{
    struct view *v = &in->view;
    double speed = v->cycles_per_second > 0 ? v->cycles_per_second * factor : 1000;
    v->cycles_per_second = speed < 1 ? 1 : speed;
    session_speed(in->session, v->cycles_per_second);
}

static void scrub(struct input *in, int direction)
{
    struct view *v = &in->view;
    struct model *m = session_lock(in->session);
    cycle step = (cycle)(v->cycles_shown / 8) + 1, most = model_end(m) - model_oldest(m);
    if (direction < 0)
        v->back = v->back + step < most ? v->back + step : most;
    else
        v->back = v->back > step ? v->back - step : 0;
    session_unlock(in->session);
}

static void select_warp(struct input *in, int step)
{
    struct model *m = session_lock(in->session);
    uint32_t n = m->info.max_warps;
    in->view.warp = (in->view.warp + n + (uint32_t)(step + (int)n)) % n;
    in->view.warp_chosen = in->view.code_follow = true;
    session_unlock(in->session);
}

static void select_sm(struct input *in, int step)
{
    struct model *m = session_lock(in->session);
    uint32_t n = m->info.nsm, sm = (m->sm + n + (uint32_t)(step + (int)n)) % n;
    session_unlock(in->session);
    session_watch(in->session, sm);
}

static void select_channel(struct input *in, uint32_t step)
{
    struct model *m = session_lock(in->session);
    uint32_t channel = (m->channel + step) % (m->info.nchannel ? m->info.nchannel : 1);
    session_unlock(in->session);
    session_watch_channel(in->session, channel);
}

static void ask_cycle(struct input *in)
{
    snprintf(in->view.prompt, sizeof in->view.prompt, "go to cycle: ");
}

/* Keys while the cycle is being typed. */
static bool answer(struct input *in, const char *key)
{
    char *p = in->view.prompt;
    size_t n = strlen(p), empty = strlen("go to cycle: ");
    if (key[0] >= '0' && key[0] <= '9' && key[1] == 0) {
        if (n + 1 < sizeof in->view.prompt)
            p[n] = key[0], p[n + 1] = 0;
    } else if (strcmp(key, "backspace") == 0) {
        p[n > empty ? n - 1 : n] = 0;
    } else if (strcmp(key, "return") == 0) {
        if (n > empty)
            session_goto(in->session, strtoull(p + empty, NULL, 10));
        in->view.back = 0;
        p[0] = 0;
    } else {
        p[0] = 0;
    }
    return true;
}

bool input_key(struct input *in, const char *key, unsigned count)
{
    if (in->view.prompt[0])
        return answer(in, key);
    struct view *v = &in->view;
    struct session *s = in->session;
    bool is_digit = key[0] >= '1' && key[0] < '1' + PANEL_COUNT && key[1] == 0;
    if (strcmp(key, "space") == 0)
        session_pause(s, !session_paused(s));
    else if (strcmp(key, "right") == 0 || strcmp(key, ".") == 0)
        session_step(s, count);
    else if (strcmp(key, "left") == 0 || strcmp(key, ",") == 0)
        session_back(s, count);
    else if (strcmp(key, "n") == 0)
        session_step_issue(s, v->warp);
    else if (strcmp(key, "+") == 0)
        change_speed(in, 2);
    else if (strcmp(key, "-") == 0)
        change_speed(in, 0.5);
    else if (strcmp(key, "f") == 0)
        session_speed(s, v->cycles_per_second = 0);
    else if (strcmp(key, "[") == 0)
        scrub(in, -1);
    else if (strcmp(key, "]") == 0)
        scrub(in, 1);
    else if (strcmp(key, "home") == 0)
        v->back = 0;
    else if (strcmp(key, "z") == 0)
        zoom_strip(v, 0.5);
    else if (strcmp(key, "x") == 0)
        zoom_strip(v, 2);
    else if (strcmp(key, "tab") == 0)
        select_warp(in, (int)count);
    else if (strcmp(key, "backtab") == 0)
        select_warp(in, -(int)count);
    else if (strcmp(key, "pgdn") == 0)
        select_sm(in, (int)count);
    else if (strcmp(key, "pgup") == 0)
        select_sm(in, -(int)count);
    else if (strcmp(key, "m") == 0)
        v->measure = (v->measure + 1) % MEASURE_COUNT;
    else if (strcmp(key, "c") == 0)
        select_channel(in, count);
    else if (strcmp(key, "g") == 0)
        ask_cycle(in);
    else if (strcmp(key, "b") == 0)
        session_break(s, v->pc < 0 ? -1 : v->pc * INST_BYTES);
    else if (is_digit)
        v->zoomed = v->zoomed == key[0] - '1' ? -1 : key[0] - '1';
    else if (strcmp(key, "s") == 0)
        in->screenshot = true;
    else if (strcmp(key, "h") == 0)
        v->help = !v->help;
    else if (strcmp(key, "q") == 0 || strcmp(key, "escape") == 0)
        in->quit = !v->help || (v->help = false);
    else
        return false;
    return true;
}

void input_click(struct input *in, double x, double y)
{
    uint32_t sm = UINT32_MAX, channel = in->view.channel;
    struct model *m = session_lock(in->session);
    bool hit = view_click(&in->view, m, x, y, &sm);
    session_unlock(in->session);
    if (hit && sm != UINT32_MAX)
        session_watch(in->session, sm);
    if (hit && in->view.channel != channel)
        session_watch_channel(in->session, in->view.channel);
}

void input_press(struct input *in, double x, double y)
{
    in->dragging = box_has(in->view.boxes[PANEL_WARPS], x, y);
    in->dragged = false;
    in->drag_x = x;
    if (!in->dragging)
        input_click(in, x, y);
}

void input_move(struct input *in, double x, double y)
{
    enum { SLACK = 4 };
    struct view *v = &in->view;
    v->mouse_x = x;
    v->mouse_y = y;
    if (!in->dragging || (!in->dragged && x - in->drag_x < SLACK && in->drag_x - x < SLACK))
        return;
    in->dragged = true;
    struct box strip = warps_strip(v->boxes[PANEL_WARPS]);
    double cycles = (x - in->drag_x) / (strip.w > 1 ? strip.w : 1) * v->cycles_shown;
    struct model *m = session_lock(in->session);
    double most = (double)(model_end(m) - model_oldest(m)), back = (double)v->back + cycles;
    v->back = back < 0 ? 0 : (cycle)(back > most ? most : back);
    session_unlock(in->session);
    in->drag_x = x;
}

void input_release(struct input *in, double x, double y)
{
    if (in->dragging && !in->dragged)
        input_click(in, x, y);
    in->dragging = false;
}

void input_wheel(struct input *in, double x, double y, double dy)
{
    struct view *v = &in->view;
    if (box_has(v->boxes[PANEL_CODE], x, y)) {
        v->code_follow = false;
        int64_t at = (int64_t)v->code_scroll - (int64_t)(dy * 3);
        v->code_scroll = at < 0 ? 0 : (uint32_t)at;
    } else {
        zoom_strip(v, dy > 0 ? 0.8 : 1.25);
    }
}

bool input_stale(const struct input *in)
{
    return in->drawn != session_changes(in->session);
}

/* Draws under the lock while the simulation waits, from a copy while it runs: it must not wait for the painter. */
void input_draw(struct input *in, struct canvas *c)
{
    struct view *v = &in->view;
    in->drawn = session_changes(in->session);
    v->paused = session_paused(in->session);
    v->breakpoint = session_breakpoint(in->session);
    v->breakpoint = v->breakpoint < 0 ? -1 : v->breakpoint / INST_BYTES;
    struct model *m = session_lock(in->session);
    bool still = v->paused || m->finished;
    v->channel = m->channel;
    if (!still) {
        if (!in->copy)
            in->copy = model_copy_new(m);
        model_copy(in->copy, m, view_oldest(v, m));
        session_unlock(in->session);
        m = in->copy;
    }
    v->finished = m->finished;
    view_draw(c, v, m);
    if (still)
        session_unlock(in->session);
}

/* What a script may ask for; the rest are yes or no. */
static bool fact(struct input *in, const char *what, int64_t *is)
{
    const struct view *v = &in->view;
    bool paused = session_paused(in->session);
    const struct model *m = session_lock(in->session);
    const struct {
        const char *name;
        int64_t value;
    } facts[] = {{"cycle", (int64_t)m->now}, {"sm", m->sm},
                 {"warp", v->warp},          {"shown", (int64_t)v->cycles_shown},
                 {"back", (int64_t)v->back}, {"channel", m->channel},
                 {"selected", v->pc >= 0},   {"pc", v->pc < 0 ? -1 : v->pc * INST_BYTES},
                 {"zoomed", v->zoomed + 1},  {"paused", paused},
                 {"running", !paused},       {"finished", m->finished}};
    size_t i = 0;
    session_unlock(in->session);
    while (i < ARRAY_LEN(facts) && strcmp(facts[i].name, what) != 0)
        i++;
    *is = i < ARRAY_LEN(facts) ? facts[i].value : 0;
    return i < ARRAY_LEN(facts);
}

static bool expectation(struct input *in, const char *what, const char *value, struct error *err)
{
    int64_t is, want = value ? strtoll(value, NULL, 10) : 1;
    if (!fact(in, what, &is))
        return error_set(err, EXIT_BAD_INPUT, "nothing is called '%s'", what);
    return is == want ||
           error_set(err, EXIT_FAILED, "expected %s %lld, it is %lld", what, (long long)want, (long long)is);
}

static bool script_line(struct input *in, struct canvas *c, char *line, struct error *err)
{
    char *word[4] = {0}, *save = NULL;
    for (int i = 0; i < 4; i++)
        word[i] = strtok_r(i == 0 ? line : NULL, " \t\r\n", &save);
    if (!word[0] || word[0][0] == '#')
        return true;
    const char *a = word[1] ? word[1] : "", *b = word[2] ? word[2] : "0";
    if (strcmp(word[0], "key") == 0)
        return input_key(in, a, word[2] ? (unsigned)strtoul(b, NULL, 10) : 1) ||
               error_set(err, EXIT_BAD_INPUT, "no key '%s'", a);
    if (strcmp(word[0], "click") == 0 || strcmp(word[0], "move") == 0 || strcmp(word[0], "drag") == 0) {
        double x = strtod(a, NULL), y = strtod(b, NULL);
        input_draw(in, c);
        input_move(in, x, y);
        if (word[0][0] != 'm')
            input_press(in, x, y);
        if (word[0][0] == 'd') /* to the right by so much */
            input_move(in, x += word[3] ? strtod(word[3], NULL) : 0, y);
        if (word[0][0] != 'm')
            input_release(in, x, y);
        return true;
    }
    if (strcmp(word[0], "wheel") == 0) {
        input_wheel(in, in->view.mouse_x, in->view.mouse_y, strtod(a, NULL));
        return true;
    }
    if (strcmp(word[0], "wait") == 0)
        return session_wait(in->session, atoi(a)) || error_set(err, EXIT_FAILED, "still running after %s ms", a);
    if (strcmp(word[0], "shot") == 0) {
        input_draw(in, c);
        return canvas_write_png(c, a, err);
    }
    if (strcmp(word[0], "expect") == 0)
        return expectation(in, a, word[2], err);
    if (strcmp(word[0], "quit") == 0)
        return input_key(in, "q", 1);
    return error_set(err, EXIT_BAD_INPUT, "unknown word '%s'", word[0]);
}

bool input_script(struct input *in, struct canvas *c, const char *path, struct error *err)
{
    struct source src;
    if (!source_read(&src, path, err))
        return false;
    bool ok = true;
    uint32_t number = 0;
    for (char *line = src.text; ok && line && *line && !in->quit;) {
        char *end = strchr(line, '\n');
        if (end)
            *end = 0;
        struct error inner = {0};
        number++;
        ok = script_line(in, c, line, &inner);
        if (!ok)
            error_set(err, inner.status, "%s:%u: %s", path, number, inner.text);
        line = end ? end + 1 : NULL;
    }
    source_finish(&src);
    return ok;
}
