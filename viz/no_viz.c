/* Built where cairo is missing: timelines and series work, pictures do not. */
#include "viz/viz.h"

static bool without(struct error *err)
{
    return error_set(err, EXIT_BAD_INPUT, "this heddle was built without cairo: no viewer and no plots");
}

bool viz_view(const struct viz_job *job, const struct viz_options *o, struct error *err)
{
    (void)job, (void)o;
    return without(err);
}

bool viz_replay(const char *path, const struct viz_options *o, struct error *err)
{
    (void)path, (void)o;
    return without(err);
}

bool viz_has_window(void)
{
    return false;
}

bool plot_roofline(const struct config *c, const struct launch_result *r, const char *path, struct error *err)
{
    (void)c, (void)r, (void)path;
    return without(err);
}

bool plot_stalls(const struct launch_result *r, const char *path, struct error *err)
{
    (void)r, (void)path;
    return without(err);
}

bool plot_sectors(const struct launch_result *r, const struct kernel *k, const char *path, struct error *err)
{
    (void)r, (void)k, (void)path;
    return without(err);
}

bool plot_curves(const char *title, const char *x_name, const char *y_name, bool log_x, bool log_y,
                 const struct plot_curve *curves, size_t n, const char *path, struct error *err)
{
    (void)title, (void)x_name, (void)y_name, (void)log_x, (void)log_y, (void)curves, (void)n, (void)path;
    return without(err);
}
