/* Built where SDL2 is missing: everything but the window works. */
#include "viz/viz.h"
#include "viz/window.h"

bool window_run(struct input *in, int width, int height, double scale, struct error *err)
{
    (void)in, (void)width, (void)height, (void)scale;
    return error_set(
        err, EXIT_BAD_INPUT,
        "this heddle was built without SDL2: use --headless --screenshot FILE, or build it where SDL2 is found");
}

bool viz_has_window(void)
{
    return false;
}
