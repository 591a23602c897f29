#include "viz/window.h"

#include "viz/viz.h"

#include <SDL.h>
#include <string.h>

struct window {
    SDL_Window *window;
    SDL_Renderer *renderer;
    SDL_Texture *texture;
    struct canvas *canvas;
    int width, height;
    double scale, wanted_scale;
    unsigned shots;
};

/* A canvas of the window's size. */
static bool resize(struct window *w, struct error *err)
{
    SDL_GetRendererOutputSize(w->renderer, &w->width, &w->height);
    w->scale = w->wanted_scale > 0 ? w->wanted_scale : view_scale(w->width, w->height);
    canvas_free(w->canvas);
    w->canvas = canvas_new(w->width, w->height, w->scale);
    if (w->texture)
        SDL_DestroyTexture(w->texture);
    w->texture =
        SDL_CreateTexture(w->renderer, SDL_PIXELFORMAT_RGB888, SDL_TEXTUREACCESS_STREAMING, w->width, w->height);
    return w->texture || error_set(err, EXIT_FAILED, "no window texture: %s", SDL_GetError());
}

static void show(struct window *w)
{
    int width, height, stride;
    const uint8_t *pixels = canvas_pixels(w->canvas, &width, &height, &stride);
    SDL_UpdateTexture(w->texture, NULL, pixels, stride);
    SDL_RenderCopy(w->renderer, w->texture, NULL, NULL);
    SDL_RenderPresent(w->renderer);
}

static const char *key_name(SDL_Keycode k, SDL_Keymod mod, char one[2])
{
    switch (k) {
    case SDLK_SPACE:
        return "space";
    case SDLK_RIGHT:
        return "right";
    case SDLK_LEFT:
        return "left";
    case SDLK_PLUS:
    case SDLK_EQUALS:
    case SDLK_KP_PLUS:
        return "+";
    case SDLK_MINUS:
    case SDLK_KP_MINUS:
        return "-";
    case SDLK_TAB:
        return mod & KMOD_SHIFT ? "backtab" : "tab";
    case SDLK_PAGEDOWN:
    case SDLK_DOWN:
        return "pgdn";
    case SDLK_PAGEUP:
    case SDLK_UP:
        return "pgup";
    case SDLK_RETURN:
    case SDLK_KP_ENTER:
        return "return";
    case SDLK_BACKSPACE:
        return "backspace";
    case SDLK_HOME:
        return "home";
    case SDLK_F1:
        return "h";
    case SDLK_ESCAPE:
        return "escape";
    default:
        one[0] = k > 32 && k < 127 ? (char)k : 0;
        one[1] = 0;
        return one;
    }
}

static void screenshot(struct window *w)
{
    char name[64];
    struct error err = {0};
    do
        snprintf(name, sizeof name, "heddle-%03u.png", ++w->shots);
    while (file_exists(name));
    if (canvas_write_png(w->canvas, name, &err))
        fprintf(stderr, "heddle: wrote %s\n", name);
    else
        fprintf(stderr, "heddle: %s\n", err.text);
}

static bool handle(struct window *w, struct input *in, const SDL_Event *e, struct error *err)
{
    char one[2];
    switch (e->type) {
    case SDL_QUIT:
        in->quit = true;
        break;
    case SDL_WINDOWEVENT:
        if (e->window.event == SDL_WINDOWEVENT_SIZE_CHANGED)
            return resize(w, err);
        break;
    case SDL_KEYDOWN: {
        SDL_Keymod mod = (SDL_Keymod)e->key.keysym.mod;
        unsigned count = mod & KMOD_CTRL ? 100 : mod & KMOD_SHIFT ? 10 : 1;
        if (e->key.keysym.sym == SDLK_TAB)
            count = 1;
        input_key(in, key_name(e->key.keysym.sym, mod, one), count);
        break;
    }
    case SDL_MOUSEMOTION:
        input_move(in, e->motion.x / w->scale, e->motion.y / w->scale);
        break;
    case SDL_MOUSEBUTTONDOWN:
        input_press(in, e->button.x / w->scale, e->button.y / w->scale);
        break;
    case SDL_MOUSEBUTTONUP:
        input_release(in, e->button.x / w->scale, e->button.y / w->scale);
        break;
    case SDL_MOUSEWHEEL:
        input_wheel(in, in->view.mouse_x, in->view.mouse_y, e->wheel.y);
        break;
    default:
        break;
    }
    return true;
}

static bool loop(struct window *w, struct input *in, struct error *err)
{
    enum { FRAME_MS = 33 };
    while (!in->quit) {
        Uint64 from = SDL_GetTicks64();
        SDL_Event e;
        bool touched = in->screenshot;
        while (SDL_PollEvent(&e)) {
            touched = true;
            if (!handle(w, in, &e, err))
                return false;
        }
        if (touched || input_stale(in)) {
            input_draw(in, w->canvas);
            show(w);
        }
        if (in->screenshot) {
            screenshot(w);
            in->screenshot = false;
        }
        Uint64 took = SDL_GetTicks64() - from;
        if (took < FRAME_MS)
            SDL_WaitEventTimeout(NULL, (int)(FRAME_MS - took));
    }
    return true;
}

bool window_run(struct input *in, int width, int height, double scale, struct error *err)
{
    struct window w = {.wanted_scale = scale};
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "0");
    if (SDL_Init(SDL_INIT_VIDEO) != 0)
        return error_set(err, EXIT_FAILED, "no display: %s (use --headless --screenshot FILE)", SDL_GetError());
    w.window =
        SDL_CreateWindow("heddle", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, width, height, SDL_WINDOW_RESIZABLE);
    if (w.window)
        SDL_SetWindowMinimumSize(w.window, 640, 480);
    if (w.window)
        w.renderer = SDL_CreateRenderer(w.window, -1, 0);
    bool ok = w.renderer ? resize(&w, err) && loop(&w, in, err)
                         : error_set(err, EXIT_FAILED, "no window: %s", SDL_GetError());
    canvas_free(w.canvas);
    if (w.texture)
        SDL_DestroyTexture(w.texture);
    if (w.renderer)
        SDL_DestroyRenderer(w.renderer);
    if (w.window)
        SDL_DestroyWindow(w.window);
    SDL_Quit();
    return ok;
}

bool viz_has_window(void)
{
    return true;
}
