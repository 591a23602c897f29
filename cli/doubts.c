/* Warnings: what a kernel did and must not rely on, since CUDA leaves it undefined. It ran here as it does on the
 * hardware; a line says where. */
#include "cli/report.h"

#include <inttypes.h>
#include <jansson.h>

static const struct {
    const char *name, *one, *many;
} doubts[DOUBT_COUNT] = {
    [DOUBT_UNWRITTEN] = {"unwritten_shared", "read of shared memory that the block has not written",
                         "reads of shared memory that the block has not written"},
    [DOUBT_RACE] = {"shared_race", "read of shared memory that another thread wrote with nothing to order the two",
                    "reads of shared memory that another thread wrote with nothing to order the two"},
    [DOUBT_IDLE_LANE] = {"idle_lane", "shuffle of a lane that does not take part",
                         "shuffles of lanes that do not take part"},
    [DOUBT_LEFT_BARRIER] = {"left_barrier", "barrier of a block of which warps have returned",
                            "barriers of blocks of which warps have returned"},
};

static void place(const struct page *p, uint32_t pc, struct sb *out)
{
    const struct inst *in = &p->k->code[pc];
    sb_addf(out, "at pc 0x%x ", pc * INST_BYTES);
    if (in->line && p->program && in->file < p->program->nfile)
        sb_addf(out, "(%s:%u) ", p->program->files[in->file], in->line);
    sb_add(out, "`");
    instruction_text(p, pc, out);
    sb_add(out, "`");
}

/* The instruction that did it most, with how often all did; false: none. */
static bool doubt_text(const struct page *p, enum doubt d, struct sb *out)
{
    uint64_t sum = 0;
    uint32_t most = 0;
    for (uint32_t pc = 0; pc < p->r->npc; pc++) {
        sum += p->r->pcs[pc].doubt[d];
        if (p->r->pcs[pc].doubt[d] > p->r->pcs[most].doubt[d])
            most = pc;
    }
    if (!sum)
        return false;
    sb_addf(out, "kernel %s: %" PRIu64 " %s%s ", p->k->name, sum, sum == 1 ? doubts[d].one : doubts[d].many,
            sum == p->r->pcs[most].doubt[d] ? "" : ", most");
    place(p, most, out);
    return true;
}

void doubts_tell(const struct simulation *s, FILE *to)
{
    for (uint32_t i = 0; i < s->spec->nlaunch; i++) {
        struct page p = page_of(s, i, false, NULL);
        for (enum doubt d = 0; p.r->npc && d < DOUBT_COUNT; d++) {
            struct sb text = {0};
            if (doubt_text(&p, d, &text))
                fprintf(to, "heddle: warning: %s\n", text.text);
            sb_finish(&text);
        }
    }
}

json_t *doubts_json(const struct page *p)
{
    json_t *list = json_array();
    for (enum doubt d = 0; d < DOUBT_COUNT; d++) {
        struct sb text = {0};
        if (doubt_text(p, d, &text))
            json_array_append_new(list, json_pack("{s:s, s:s}", "kind", doubts[d].name, "text", text.text));
        sb_finish(&text);
    }
    return list;
}
