/* Trials run here: the same kernels as on the GPU, one warp after another without any timing. */
#include "tests/functional.h"
#include "tests/trials/trials.h"

enum { IN_BASE = 0x100000000, OUT_BASE = 0x200000000, MARK_BASE = 0x300000000, SCRATCH_BASE = 0x40000000 };

static bool kernel_of(const uint64_t (*code)[2], uint32_t n, struct kernel *k, struct error *err)
{
    *k = (struct kernel){
        .name = xstrdup("trials"), .code = xcalloc(n, sizeof *k->code), .n = n, .nreg = 64, .local_bytes = 256};
    for (uint32_t i = 0; i < n; i++) {
        if (!inst_decode(ARCH_SM90, code[i], i * INST_BYTES, &k->code[i], err))
            return false;
        inst_link(&k->code[i]);
    }
    return true;
}

bool trial_simulate(struct trial_run *r, const struct trial *const *t, uint32_t n)
{
    static uint64_t code[KERNEL_INSTS][2];
    struct error err = {0};
    struct kernel k = {0};
    uint32_t ninst, warps = trial_warps(t[0]) / (r->only_first ? TRIAL_BLOCKS : 1);
    uint32_t *scratch = xcalloc(1, SCRATCH_BYTES), *marks = xcalloc(TRIAL_LANES, 4);
    struct func *f = xcalloc(1, sizeof *f);
    f->mem[0] =
        (struct func_memory){IN_BASE, (uint8_t *)r->inputs, (uint64_t)FAM_COUNT * INPUT_RECORDS * INPUT_WORDS * 4};
    f->mem[1] = (struct func_memory){OUT_BASE, (uint8_t *)r->out, (uint64_t)n * trial_records(t[0]) * OUTPUT_WORDS * 4};
    f->mem[2] = (struct func_memory){MARK_BASE, (uint8_t *)marks, TRIAL_LANES * 4};
    f->mem[3] = (struct func_memory){SCRATCH_BASE, (uint8_t *)scratch, SCRATCH_BYTES};
    f->nmem = 4;
    uint64_t args[] = {IN_BASE, OUT_BASE, MARK_BASE, SCRATCH_BASE};
    memcpy(f->bank0 + arch_info(ARCH_SM90)->param_base, args, sizeof args);
    trial_constants((uint32_t *)(void *)(f->bank0 + CONST_AT));
    bool ok = trial_kernel(t, n, code, &ninst, &err) && kernel_of(code, ninst, &k, &err);
    if (!ok)
        snprintf(r->why, sizeof r->why, "%.200s", err.text);
    else if (!func_run(f, &k, ARCH_SM90, warps, 32)) {
        snprintf(r->why, sizeof r->why, "trial %u: %.200s", marks[0], f->why);
        ok = false;
    }
    free(k.name);
    free(k.code);
    free(scratch);
    free(marks);
    free(f);
    return ok;
}

void trial_hashes(const struct trial *t, const uint32_t *out, uint32_t hash[TRIAL_BLOCKS])
{
    uint32_t records = trial_records(t) / TRIAL_BLOCKS, used = t->flags & TF_MEMORY ? OUTPUT_USED : 5;
    for (uint32_t b = 0; b < TRIAL_BLOCKS; b++) {
        uint64_t h = 0xcbf29ce484222325u;
        for (uint32_t i = 0; i < records; i++)
            for (uint32_t k = 0; k < used; k++)
                if (k < 5 || k >= 8)
                    h = (h ^ out[((size_t)b * records + i) * OUTPUT_WORDS + k]) * 0x100000001b3u;
        hash[b] = (uint32_t)(h ^ h >> 32);
    }
}
