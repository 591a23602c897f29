#include "viz/input.h"

#include <stdlib.h>
#include <string.h>

static const char *const panel_names[PANEL_COUNT] = {"chip", "history", "warps", "lanes", "access", "dram", "code"};
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
    in->view.warp = o->warp;
    in->view.channel = o->channel;
    if (o->cycles_shown > 0)
        in->view.cycles_shown = o->cycles_shown;
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
    cycle step = (cycle)(v->cycles_shown / 8) + 1, most = m->now - model_oldest(m);
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
    in->view.code_follow = true;
    session_unlock(in->session);
}

static void select_sm(struct input *in, int step)
{
    struct model *m = session_lock(in->session);
    uint32_t n = m->info.nsm, sm = (m->sm + n + (uint32_t)(step + (int)n)) % n;
    session_unlock(in->session);
    session_watch(in->session, sm);
}

bool input_key(struct input *in, const char *key, unsigned count)
{
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
        v->channel += count;
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
    uint32_t sm = UINT32_MAX;
    struct model *m = session_lock(in->session);
    bool hit = view_click(&in->view, m, x, y, &sm);
    session_unlock(in->session);
    if (hit && sm != UINT32_MAX)
        session_watch(in->session, sm);
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

void input_draw(struct input *in, struct canvas *c)
{
    in->view.paused = session_paused(in->session);
    struct model *m = session_lock(in->session);
    in->view.finished = m->finished;
    view_draw(c, &in->view, m);
    session_unlock(in->session);
}

static bool expectation(struct input *in, const char *what, const char *value)
{
    bool paused = session_paused(in->session);
    struct model *m = session_lock(in->session);
    uint64_t n = value ? strtoull(value, NULL, 10) : 0;
    bool ok = strcmp(what, "paused") == 0    ? paused
              : strcmp(what, "running") == 0 ? !paused
              : strcmp(what, "cycle") == 0   ? m->now == n
              : strcmp(what, "sm") == 0      ? m->sm == n
              : strcmp(what, "warp") == 0    ? in->view.warp == n
              : strcmp(what, "shown") == 0   ? (uint64_t)in->view.cycles_shown == n
                                             : false;
    session_unlock(in->session);
    return ok;
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
        return input_key(in, a, word[2] ? (unsigned)strtoul(b, NULL, 10) : 1) || error_set(err, EXIT_BAD_INPUT, "no key '%s'", a);
    if (strcmp(word[0], "click") == 0 || strcmp(word[0], "move") == 0) {
        in->view.mouse_x = strtod(a, NULL);
        in->view.mouse_y = strtod(b, NULL);
        input_draw(in, c);
        if (word[0][0] == 'c')
            input_click(in, in->view.mouse_x, in->view.mouse_y);
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
        return expectation(in, a, word[2]) || error_set(err, EXIT_FAILED, "expected %s %s", a, word[2] ? word[2] : "");
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
