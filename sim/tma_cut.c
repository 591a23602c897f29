/* How a box of a tensor lies in global and in shared memory. */
#include <string.h>

#include "sim/tma.h"

/* Shared memory holds the box's rows one behind the other, with a swizzle each in as many bytes as the swizzle spans,
 * however narrow the box is (read back on an H200: 64-byte rows under the 128-byte swizzle lie 128 bytes apart). The
 * swizzle exchanges 16-byte chunks inside 128-byte lines: bits 4 to 6 of the address are changed by bits 7 to 9, one,
 * two or three of them (CUTLASS: Swizzle<B, 4, 3>). */
static uint32_t swizzled(const struct lsu *l, uint32_t swizzle, uint32_t at)
{
    uint32_t a = at + l->shared_base;
    return (a ^ (a >> 7 & ((1u << swizzle) - 1)) << 4) - l->shared_base;
}

static void move(const struct lsu *l, const struct tma_job *j, uint32_t at, uint8_t *run, uint32_t bytes,
                 bool to_shared)
{
    while (bytes) {
        uint32_t n = 16 - (at & 15);
        n = n < bytes ? n : bytes;
        uint8_t *s = j->shared + swizzled(l, j->map.swizzle, at);
        memcpy(to_shared ? s : run, to_shared ? run : s, n);
        at += n;
        run += n;
        bytes -= n;
    }
}

void tma_to_shared(const struct lsu *l, const struct tma_job *j, const struct tma_piece *p, const uint8_t *run)
{
    move(l, j, p->at, (uint8_t *)(uintptr_t)run, p->n * (uint32_t)j->map.stride[0], true);
}

void tma_from_shared(const struct lsu *l, const struct tma_job *j, const struct tma_piece *p, uint8_t *run)
{
    move(l, j, p->at, run, p->n * (uint32_t)j->map.stride[0], false);
}

/* ---- rows ------------------------------------------------------------------------------------- */
static uint32_t row_number(const struct tma_job *j)
{
    uint32_t r = 0;
    for (uint32_t d = j->map.rank - 1; d > 0; d--)
        r = r * j->n[d] + j->row[d];
    return r;
}

uint32_t tma_row_bytes(const struct tma_job *j)
{
    return j->map.swizzle ? 16u << j->map.swizzle : j->n[0] * (uint32_t)j->map.stride[0];
}

/* What an element outside the tensor becomes. */
static void fill(const struct lsu *l, const struct tma_job *j, uint32_t first, uint32_t end)
{
    uint32_t element = (uint32_t)j->map.stride[0];
    if (j->kind != TMA_LOAD || first >= end)
        return;
    uint8_t value[8] = {0};
    if (j->map.fill_nan)
        memcpy(value, tensor_nan(j->map.type), element);
    uint32_t at = j->at + row_number(j) * tma_row_bytes(j) + first * element;
    for (uint32_t i = first; i < end; i++, at += element)
        move(l, j, at, value, element, true);
}

static bool row_inside(const struct tma_job *j)
{
    for (uint32_t d = 1; d < j->map.rank; d++) {
        int64_t c = (int64_t)j->coord[d] + (int64_t)j->row[d] * j->map.step[d];
        if (c < 0 || (uint64_t)c >= j->map.dim[d])
            return false;
    }
    return true;
}

/* Elements [element, last) of the row lie in the tensor. */
static void begin_row(const struct lsu *l, struct tma_job *j)
{
    int64_t step = j->map.step[0], c = j->coord[0], dim = (int64_t)j->map.dim[0];
    int64_t first = c < 0 ? (-c + step - 1) / step : 0, end = c < dim ? (dim - c + step - 1) / step : 0;
    uint32_t n = j->n[0];
    if (!row_inside(j) || first >= n || end <= first)
        first = end = 0;
    j->begun = true;
    j->element = (uint32_t)first;
    j->last = end < n ? (uint32_t)end : n;
    fill(l, j, 0, j->element);
    fill(l, j, j->last, n);
}

static bool next_row(struct tma_job *j)
{
    j->begun = false;
    for (uint32_t d = 1; d < j->map.rank; d++) {
        if (++j->row[d] < j->n[d])
            return true;
        j->row[d] = 0;
    }
    return false;
}

bool tma_cut(const struct lsu *l, struct tma_job *j, struct tma_piece *p)
{
    uint32_t element = (uint32_t)j->map.stride[0], line = l->cfg->l1_line_bytes;
    if (j->all_cut)
        return false;
    if (!j->begun)
        begin_row(l, j);
    *p = (struct tma_piece){.gap = j->map.step[0] * element,
                            .at = j->at + row_number(j) * tma_row_bytes(j) + j->element * element};
    if (j->element < j->last) {
        p->addr = j->map.base + (uint64_t)((int64_t)(j->coord[0] + (int64_t)j->element * j->map.step[0]) * element);
        for (uint32_t d = 1; d < j->map.rank; d++)
            p->addr += (uint64_t)(j->coord[d] + (int64_t)j->row[d] * j->map.step[d]) * j->map.stride[d];
        uint32_t room = line - (uint32_t)(p->addr % line), left = j->last - j->element;
        p->n = (room - element) / p->gap + 1;
        p->n = p->n < left ? p->n : left;
        j->element += p->n;
    }
    if (j->element >= j->last)
        j->all_cut = !next_row(j);
    return true;
}

uint8_t tma_sectors(const struct tma_job *j, const struct tma_piece *p, uint32_t byte_mask[LINE_SECTORS])
{
    uint32_t element = (uint32_t)j->map.stride[0];
    memset(byte_mask, 0, LINE_SECTORS * sizeof byte_mask[0]);
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t at = (uint32_t)(p->addr + (uint64_t)i * p->gap) % (LINE_SECTORS * SECTOR_BYTES);
        byte_mask[at / SECTOR_BYTES] |= ((1u << element) - 1) << at % SECTOR_BYTES;
    }
    uint8_t sectors = 0;
    for (uint32_t s = 0; s < LINE_SECTORS; s++)
        sectors |= (uint8_t)((byte_mask[s] != 0) << s);
    return sectors;
}
