/* Runs a kernel's warps one after another without any timing: memory accesses complete at once. For programs whose
 * warps do not wait for one another. */
#ifndef HEDDLE_TESTS_FUNCTIONAL_H
#define HEDDLE_TESTS_FUNCTIONAL_H

#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"

struct func_memory { uint64_t base; uint8_t *bytes; uint64_t size; };
struct func {
    struct launch_env env;
    uint8_t bank0[4096];
    struct func_memory mem[8];
    uint32_t nmem;
    uint8_t *local;
    char why[256];
};

static inline uint8_t *func_at(struct func *f, struct warp *w, const struct effect *e, uint32_t lane)
{
    uint64_t a = e->addr[lane];
    uint8_t space = e->space == SPACE_GENERIC ? e->space_of[lane] : e->space;
    if (space == SPACE_LOCAL)
        return a + e->bytes <= f->env.local_bytes ? w->local + lane * f->env.local_bytes + a : NULL;
    if (space == SPACE_SHARED) {
        a -= arch_info(f->env.arch)->shared_base;
        return a + e->bytes <= f->env.shared_bytes ? w->shared + a : NULL;
    }
    for (uint32_t i = 0; i < f->nmem; i++)
        if (a >= f->mem[i].base && a + e->bytes <= f->mem[i].base + f->mem[i].size)
            return f->mem[i].bytes + (a - f->mem[i].base);
    return NULL;
}
static inline struct atomic_words func_words(const struct effect *e, uint32_t at, uint32_t n, uint32_t lane)
{
    uint64_t w[4] = {0};
    for (uint32_t k = 0; k < n; k++)
        w[k & 3] = e->data[at + k][lane];
    return (struct atomic_words){w[0] | w[1] << 32, w[2] | w[3] << 32};
}
static inline bool func_access(struct func *f, struct warp *w, struct effect *e)
{
    for (uint32_t l = 0; l < f->env.nlane; l++) {
        if (!(e->mask >> l & 1))
            continue;
        uint8_t *p = func_at(f, w, e, l);
        uint32_t v[4] = {0};
        if (!p) {
            snprintf(f->why, sizeof f->why, "access outside memory at 0x%llx", (unsigned long long)e->addr[l]);
            return false;
        }
        if (e->kind == EFF_STORE) {
            for (uint32_t k = 0; k < e->nword; k++)
                v[k & 3] = e->data[k][l];
            memcpy(p, v, e->bytes);
            continue;
        }
        memcpy(v, p, e->bytes);
        if (e->kind != EFF_LOAD) {
            uint32_t n = (e->bytes + 3u) / 4;
            struct atomic_words old = {(uint64_t)v[1] << 32 | v[0], (uint64_t)v[3] << 32 | v[2]}, x[2] = {{0, 0}, {0, 0}};
            for (uint32_t i = 0; i < 2; i++)
                x[i] = func_words(e, i * n, n, l);
            struct atomic_words r = isa_atomic(e->inst, old, x[0], x[1]);
            if (e->kind == EFF_ATOMIC && e->value2 >> l & 1) /* CAST.SPIN in a bank that was taken */
                v[0] = ~(uint32_t)x[0].lo;
            else
                memcpy(p, &r, e->bytes);
            if (e->nword > n) /* compare-and-swap: the old value, then what it was compared with */
                for (uint32_t k = n; k-- > 0;)
                    e->data[n + k][l] = e->data[k][l];
        }
        for (uint32_t k = 0; k < (e->bytes + 3u) / 4; k++)
            e->data[k][l] = v[k];
    }
    isa_complete(w, e);
    return true;
}
/* A barrier's reduction, in blocks of one warp: BARRED is none, POPC, AND, OR. */
static inline void func_reduce(struct warp *w, const struct effect *e)
{
    uint32_t count = 0, lanes = 0;
    for (uint32_t l = 0; l < w->env->nlane; l++) {
        bool in = e->mask >> l & 1;
        lanes += in;
        count += in && (e->data[0][l] & 1);
    }
    switch (e->inst->mod[MOD_BARRED]) {
    case 1: w->barrier_result = count; break;
    case 2: w->barrier_result = count == lanes ? ~0u : 0; break;
    case 3: w->barrier_result = count != 0 ? ~0u : 0; break;
    default: break;
    }
}
static inline bool func_warp(struct func *f, struct warp *w)
{
    struct effect *e = calloc(1, sizeof *e);
    struct issue is = {.effect = e};
    bool ok = true;
    for (uint64_t n = 0; ok && !warp_done(w); n++) {
        uint32_t pc = warp_pc(w);
        is.now = n;
        if (warp_blocked(w) || n > 50000000) {
            snprintf(f->why, sizeof f->why, "stuck at 0x%x", pc * INST_BYTES);
            ok = false;
            break;
        }
        warp_issue(w, &is);
        if (is.fault) {
            snprintf(f->why, sizeof f->why, "at 0x%x: %s", pc * INST_BYTES, is.why);
            ok = false;
        } else if (e->kind == EFF_LOAD || e->kind == EFF_STORE || e->kind == EFF_ATOMIC || e->kind == EFF_REDUCE) {
            ok = func_access(f, w, e);
        } else if (e->kind == EFF_BARRIER) {
            func_reduce(w, e);
        }
    }
    free(e);
    return ok;
}
/* Launches: parameters must already be in bank0. */
static inline bool func_run(struct func *f, const struct kernel *k, enum arch arch, uint32_t blocks, uint32_t threads)
{
    f->env.arch = arch;
    f->env.kernel = k;
    f->env.nlane = 32;
    f->env.grid[0] = blocks, f->env.grid[1] = f->env.grid[2] = 1;
    f->env.block[0] = threads, f->env.block[1] = f->env.block[2] = 1;
    f->env.bank[0] = f->bank0;
    f->env.bank_bytes[0] = sizeof f->bank0;
    for (uint32_t i = 1; i < 8; i++)
        f->env.bank[i] = k->bank[i], f->env.bank_bytes[i] = k->bank_bytes[i];
    f->env.shared_window = 0x7f0000000000, f->env.local_window = 0x7e0000000000;
    f->env.local_bytes = k->local_bytes + 1024;
    f->env.shared_bytes = 65536;
    uint32_t words[] = {threads, 1, 1, blocks, 1, 1}, sp = f->env.local_bytes;
    memcpy(f->bank0, words, sizeof words);
    memcpy(f->bank0 + 0x28, &sp, 4);
    memcpy(f->bank0 + 0x18, &f->env.shared_window, 8);
    memcpy(f->bank0 + 0x20, &f->env.local_window, 8);
    struct warp *w = calloc(1, sizeof *w);
    w->env = &f->env;
    w->reg = calloc((size_t)k->nreg * 32, 4);
    w->local = calloc(32, f->env.local_bytes);
    w->shared = calloc(1, f->env.shared_bytes);
    bool ok = true;
    for (uint32_t b = 0; ok && b < blocks; b++)
        for (uint32_t t = 0; ok && t < threads; t += 32) {
            w->full = threads - t >= 32 ? 0xffffffffu : (1u << (threads - t)) - 1;
            w->ctaid[0] = b;
            w->first_thread = t;
            w->warp_in_block = t / 32;
            warp_start(w);
            ok = func_warp(f, w);
        }
    free(w->shared);
    free(w->local);
    free(w->reg);
    free(w);
    return ok;
}

#endif
