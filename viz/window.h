/* The window: SDL2 shows the canvas and brings keys and mouse. */
#ifndef HEDDLE_VIZ_WINDOW_H
#define HEDDLE_VIZ_WINDOW_H

#include "viz/input.h"

/* Runs until the person quits. shots: screenshots taken with 's' are named after it. */
bool window_run(struct input *in, int width, int height, double scale, struct error *err);

#endif
