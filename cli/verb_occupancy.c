/* heddle occupancy: how many blocks fit, what stands in the way, and what would lift it. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

struct ask {
    uint32_t threads, regs, shared, barriers;
};

static double warps_of(const struct config *c, struct ask a)
{
    struct occupancy o;
    struct error ignored = {0};
    return occupancy_of(c, a.threads, a.regs, a.shared, a.barriers, &o, &ignored) ? o.warps : 0;
}

static void limits(const struct config *c, const struct occupancy *o, struct sb *out)
{
    const struct {
        const char *name;
        uint32_t blocks;
    } rows[] = {{"warp slots", o->by_warps},
                {"block slots", o->by_blocks},
                {"registers", o->by_registers},
                {"shared memory", o->by_shared},
                {"barriers", o->by_barriers}};
    sb_addf(out, "  %-28s %u of %u (%.2f %%)\n", "resident warps of an SM", o->warps, c->max_warps, 100 * o->fraction);
    sb_addf(out, "  %-28s %u, of %u warps\n", "resident blocks", o->blocks, o->warps_per_block);
    sb_addf(out, "  %-28s %s\n", "limited by", o->limiter);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        sb_addf(out, "    %-26s %u blocks\n", rows[i].name, rows[i].blocks);
    sb_addf(out, "  %-28s %u KiB, leaving %u KiB of L1\n", "shared-memory carve-out", o->carveout_bytes / 1024,
            o->l1_bytes / 1024);
}

/* One line for each neighbouring choice that raises the number of warps. */
static void what_helps(const struct config *c, struct ask a, uint32_t warps, struct sb *out)
{
    size_t before = out->len;
    for (uint32_t r = a.regs; r-- > 8;) {
        struct ask b = a;
        b.regs = r;
        if (warps_of(c, b) > warps) {
            sb_addf(out, "  %u registers a thread would allow %.0f warps\n", r, warps_of(c, b));
            break;
        }
    }
    for (uint32_t s = a.shared / 128 * 128; s >= 128; s -= 128) {
        struct ask b = a;
        b.shared = s - 128;
        if (warps_of(c, b) > warps) {
            sb_addf(out, "  %u bytes of shared memory would allow %.0f warps\n", s - 128, warps_of(c, b));
            break;
        }
    }
    struct ask best = a;
    for (uint32_t t = c->warp_size; t <= c->max_threads_per_block; t += c->warp_size) {
        struct ask b = a;
        b.threads = t;
        if (warps_of(c, b) > warps_of(c, best))
            best = b;
    }
    if (warps_of(c, best) > warps)
        sb_addf(out, "  blocks of %u threads would allow %.0f warps (with the same shared memory a block)\n",
                best.threads, warps_of(c, best));
    if (out->len != before)
        sb_add(out, "More warps help only where schedulers find none eligible.\n");
}

static void curve(const struct config *c, struct ask a, struct sb *out)
{
    sb_add(out, "\n  threads a block    ");
    for (uint32_t t = 128; t <= c->max_threads_per_block; t += 128)
        sb_addf(out, "%6u", t);
    sb_add(out, "\n  warps              ");
    for (uint32_t t = 128; t <= c->max_threads_per_block; t += 128)
        sb_addf(out, "%6.0f", warps_of(c, (struct ask){t, a.regs, a.shared, a.barriers}));
    sb_add(out, "\n\n  registers a thread ");
    for (uint32_t r = 32; r <= 256; r += 32)
        sb_addf(out, "%6u", r > c->max_regs_per_thread ? c->max_regs_per_thread : r);
    sb_add(out, "\n  warps              ");
    for (uint32_t r = 32; r <= 256; r += 32)
        sb_addf(out, "%6.0f",
                warps_of(c, (struct ask){a.threads, r > c->max_regs_per_thread ? c->max_regs_per_thread : r, a.shared,
                                         a.barriers}));
    sb_add(out, "\n");
}

static bool answer(const struct common *common, struct ask a, struct sb *out, struct error *err)
{
    struct config *c = common_config(common, err);
    if (!c)
        return false;
    struct occupancy o;
    bool ok = occupancy_of(c, a.threads, a.regs, a.shared, a.barriers, &o, err);
    if (ok) {
        sb_addf(out, "%s, blocks of %u threads, %u registers a thread, %u bytes of shared memory\n\n", c->name,
                a.threads, a.regs, a.shared);
        limits(c, &o, out);
        curve(c, a, out);
        if (o.warps < c->max_warps) {
            sb_add(out, "\n");
            what_helps(c, a, o.warps, out);
        }
    }
    free(c);
    return ok;
}

enum exit_status verb_occupancy(int argc, char **argv, struct error *err)
{
    struct common c = common_defaults();
    struct ask a = {.regs = 32, .barriers = 1};
    const struct opt own[] = {
        {"threads", 't', OPT_COUNT, &a.threads, "N", "threads of a block"},
        {"regs", 'r', OPT_COUNT, &a.regs, "N", "registers of a thread (32)"},
        {"shared", 's', OPT_U32, &a.shared, "BYTES", "shared memory of a block, static and dynamic (0)"},
        {"barriers", 0, OPT_U32, &a.barriers, "N", "named barriers of a block (1)"},
        {"config", 'C', OPT_TEXT, &c.config, "NAME", "hardware (h200)"},
        {"set", 0, OPT_LIST, &c.sets, "PATH=VALUE", "override one hardware parameter"}};
    const struct opt *tables[] = {own};
    const size_t counts[] = {ARRAY_LEN(own)};
    struct strings rest = {0};
    struct sb out = {0};
    bool ok = opts_parse(tables, counts, 1, argc, argv, &rest, err);
    if (ok && rest.n)
        ok = error_set(err, EXIT_BAD_INPUT,
                       "'%s' is not an option; usage: heddle occupancy --threads N [--regs N] [--shared BYTES]",
                       rest.items[0]);
    if (ok && !a.threads)
        ok = error_set(err, EXIT_BAD_INPUT, "--threads is missing: the threads of a block");
    if (ok && answer(&c, a, &out, err))
        print_out(&out, err);
    sb_finish(&out);
    strings_finish(&rest);
    common_finish(&c);
    return err->status;
}
