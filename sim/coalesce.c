#include "sim/coalesce.h"

#include <string.h>

bool lanes_consecutive(uint32_t nlane, lanemask mask, const uint64_t *addr, uint32_t bytes)
{
    if (mask != (nlane == NLANE ? ~UINT64_C(0) : (UINT64_C(1) << nlane) - 1))
        return false;
    uint64_t base = addr[0], differ = 0;
    for (uint32_t i = 0; i < nlane; i++)
        differ |= addr[i] ^ (base + (uint64_t)i * bytes);
    return differ == 0;
}

uint32_t sectors_ideal(lanemask mask, uint32_t bytes)
{
    return ((uint32_t)__builtin_popcountll(mask) * bytes + SECTOR_BYTES - 1) / SECTOR_BYTES;
}

bool lanes_equal(uint32_t nlane, lanemask mask, const uint64_t *addr)
{
    uint64_t first = addr[__builtin_ctzll(mask)], differ = 0;
    for (uint32_t i = 0; i < nlane; i++)
        differ |= (addr[i] ^ first) & -(mask >> i & 1);
    return differ == 0;
}

void coalesce_begin(struct coalesced *c)
{
    c->n = 0;
    c->sectors = 0;
}

static lanemask lane_range(uint64_t first, uint64_t end)
{
    lanemask upto = end >= NLANE ? ~UINT64_C(0) : (UINT64_C(1) << end) - 1;
    return upto & ~((UINT64_C(1) << first) - 1);
}

static uint32_t byte_range(uint64_t first, uint64_t end) /* within a sector */
{
    return (uint32_t)((UINT64_C(1) << end) - 1) & ~(uint32_t)((UINT64_C(1) << first) - 1);
}

static uint64_t clamp(uint64_t x, uint64_t low, uint64_t high)
{
    return x < low ? low : x > high ? high : x;
}

/* One run of bytes: cut it at lines, no look at single lanes. */
void coalesce_run(struct coalesced *c, uint32_t line_bytes, uint32_t nlane, uint64_t begin, uint32_t bytes,
                  bool byte_masks)
{
    coalesce_begin(c);
    uint64_t end = begin + (uint64_t)nlane * bytes;
    for (uint64_t line = begin / line_bytes * line_bytes; line < end; line += line_bytes) {
        struct line_access *l = &c->line[c->n++];
        uint64_t first = clamp(begin, line, line + line_bytes), last = clamp(end, line, line + line_bytes);
        uint64_t s0 = (first - line) / SECTOR_BYTES, s1 = (last - 1 - line) / SECTOR_BYTES;
        l->line = line;
        l->sectors = byte_range(s0, s1 + 1);
        l->lanes = lane_range((first - begin) / bytes, (last - begin) / bytes);
        c->sectors += (uint32_t)(s1 - s0 + 1);
        for (uint32_t s = 0; byte_masks && s < LINE_SECTORS; s++) {
            uint64_t at = line + s * SECTOR_BYTES;
            uint64_t b0 = clamp(first, at, at + SECTOR_BYTES), b1 = clamp(last, at, at + SECTOR_BYTES);
            l->byte_mask[s] = b1 > b0 ? byte_range(b0 - at, b1 - at) : 0;
        }
    }
}

static struct line_access *find_line(struct coalesced *c, uint64_t line)
{
    if (c->n && line <= c->highest && line >= c->lowest) /* lanes mostly go up or down: then the line is new */
        for (uint32_t i = c->n; i-- > 0;)
            if (c->line[i].line == line)
                return &c->line[i];
    c->highest = !c->n || line > c->highest ? line : c->highest;
    c->lowest = !c->n || line < c->lowest ? line : c->lowest;
    struct line_access *l = &c->line[c->n++];
    memset(l, 0, sizeof *l);
    l->line = line;
    return l;
}

void coalesce_add(struct coalesced *c, uint32_t line_bytes, uint32_t lane, uint64_t addr, uint32_t bytes)
{
    uint64_t line = addr & ~(uint64_t)(line_bytes - 1);
    struct line_access *l = c->n && c->line[c->n - 1].line == line ? &c->line[c->n - 1] : find_line(c, line);
    uint32_t sector = (uint32_t)(addr - line) / SECTOR_BYTES, at = (uint32_t)addr % SECTOR_BYTES;
    l->sectors |= 1U << sector;
    l->lanes |= UINT64_C(1) << lane;
    l->byte_mask[sector] |= byte_range(at, at + bytes);
}

void coalesce_end(struct coalesced *c)
{
    c->sectors = 0;
    for (uint32_t i = 0; i < c->n; i++)
        c->sectors += sector_count(c->line[i].sectors);
}

void coalesce(struct coalesced *c, uint32_t line_bytes, uint32_t nlane, lanemask mask, const uint64_t *addr,
              uint32_t bytes, bool byte_masks)
{
    if (lanes_consecutive(nlane, mask, addr, bytes)) {
        coalesce_run(c, line_bytes, nlane, addr[0], bytes, byte_masks);
        return;
    }
    coalesce_begin(c);
    for (lanemask m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(m);
        coalesce_add(c, line_bytes, lane, addr[lane], bytes);
    }
    coalesce_end(c);
}
