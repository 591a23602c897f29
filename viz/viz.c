/* The viewer's entry: a live run or a recording, in a window, by script, or as one picture. */
#include "viz/viz.h"

#include "viz/input.h"
#include "viz/window.h"

static void wait_idle(struct session *s)
{
    while (!session_wait(s, 1000))
        ;
}

/* After a whole run: back to the middle of the time in which the watched SM issued. */
static void go_where_it_is_busy(struct session *s)
{
    struct model *m = session_lock(s);
    uint64_t kept = m->nissue < NISSUES ? m->nissue : NISSUES;
    cycle last = kept ? m->issues[(m->nissue - 1) % NISSUES].time : m->now;
    cycle first = kept ? m->issues[(m->nissue - kept) % NISSUES].time : 0, when = first + (last - first) / 2;
    session_unlock(s);
    session_goto(s, when);
}

static bool picture(struct input *in, struct canvas *c, const struct viz_options *o, struct error *err)
{
    wait_idle(in->session);
    if (o->screenshot && o->at_cycle == VIZ_BUSY) {
        go_where_it_is_busy(in->session);
        wait_idle(in->session);
    }
    input_draw(in, c);
    return !o->screenshot || canvas_write_png(c, o->screenshot, err);
}

static bool headless(struct input *in, int width, int height, const struct viz_options *o, struct error *err)
{
    struct canvas *c = canvas_new(width, height, o->scale > 0 ? o->scale : view_scale(width, height));
    bool ok = o->script ? input_script(in, c, o->script, err) : picture(in, c, o, err);
    canvas_free(c);
    return ok;
}

static bool view(struct session *s, const struct viz_options *o, struct error *err)
{
    if (!s)
        return false;
    struct input in;
    int width = o->width ? o->width : 1280, height = o->height ? o->height : 800;
    input_init(&in, s, o);
    if (o->headless && !o->script) /* before it starts, so that it cannot run past the cycle */
        session_run_to(s, o->at_cycle == VIZ_BUSY ? UINT64_MAX : o->at_cycle);
    session_start(s);
    bool ok =
        o->headless || o->script ? headless(&in, width, height, o, err) : window_run(&in, width, height, o->scale, err);
    input_finish(&in);
    return session_finish(s, err) && ok;
}

bool viz_view(const struct viz_job *job, const struct viz_options *o, struct error *err)
{
    return view(session_new(job, o, err), o, err);
}

bool viz_replay(const char *path, const struct viz_options *o, struct error *err)
{
    return view(session_replay(path, o, err), o, err);
}
