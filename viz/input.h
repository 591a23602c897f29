/* What keys and mouse mean; window and script both come through here. */
#ifndef HEDDLE_VIZ_INPUT_H
#define HEDDLE_VIZ_INPUT_H

#include "viz/session.h"
#include "viz/view.h"

struct input {
    struct view view;
    struct session *session;
    struct model *copy;  /* what is drawn while the simulation goes on */
    bool quit, screenshot, dragging, dragged;
    double drag_x;
    uint64_t drawn;      /* session_changes of the last picture */
};
void input_init(struct input *in, struct session *s, const struct viz_options *o);
void input_finish(struct input *in);
/* key: "space", "left", "right", "n", "+", "-", "f", "[", "]", "home", "z", "x", "tab", "backtab", "pgup", "pgdn", "m",
 * "c", "b", "g", "1".."8", "s", "h", "q", "escape"; count: 1, or 10 / 100 with a modifier. After "g" digits, "backspace"
 * and "return" answer the question. False: no such key. */
bool input_key(struct input *in, const char *key, unsigned count);
void input_click(struct input *in, double x, double y);
/* The pointer with a button down: looks back and forward in the strip. press, then moves, then release. */
void input_press(struct input *in, double x, double y);
void input_move(struct input *in, double x, double y);
void input_release(struct input *in, double x, double y);
void input_wheel(struct input *in, double x, double y, double dy);
/* Draws the current state. */
void input_draw(struct input *in, struct canvas *c);
/* Runs a script file line by line on a canvas (no window): key NAME [COUNT], click X Y, move X Y, wheel DY, wait MS
 * (until paused), shot FILE, expect paused|running|cycle N|sm N|warp N, quit. */
/* Has anything changed since the last picture? */
bool input_stale(const struct input *in);
bool input_script(struct input *in, struct canvas *c, const char *path, struct error *err);

#endif
