/* Messages of the load/store unit to L2: their payloads, the entries that wait for the answers, and what they count. */
#include <string.h>

#include "sim/lsu_parts.h"
#include "sim/mempart.h"

static bool reads(uint8_t kind)
{
    return kind == REQ_READ || kind == REQ_STRONG_READ || kind == REQ_BULK_READ;
}

uint32_t lsu_take_payload(struct lsu *l)
{
    uint32_t i = l->free_payload;
    must(lsu_has_payload(l));
    l->payloads_used++;
    l->free_payload = l->payloads[i].next_free;
    if (l->free_payload == PAYLOAD_NONE && l->fresh_payload < l->npayload) {
        l->free_payload = l->fresh_payload++;
        l->payloads[l->free_payload].next_free = PAYLOAD_NONE;
    }
    return i;
}

uint32_t lsu_take_mask(struct lsu *l, const uint32_t byte_mask[LINE_SECTORS], uint8_t joined)
{
    uint32_t i = l->free_mask;
    must(lsu_has_payload(l));
    l->payloads_used++;
    l->free_mask = l->masks[i].next_free;
    if (l->free_mask == PAYLOAD_NONE && l->fresh_mask < l->npayload) {
        l->free_mask = l->fresh_mask++;
        l->masks[l->free_mask].next_free = PAYLOAD_NONE;
    }
    memcpy(l->masks[i].head.byte_mask, byte_mask, sizeof l->masks[i].head.byte_mask);
    l->masks[i].head.joined = joined;
    return MASKS_FROM + i;
}

static void free_payload(struct lsu *l, uint32_t i)
{
    bool mask = i >= MASKS_FROM;
    uint32_t *next = mask ? &l->masks[i - MASKS_FROM].next_free : &l->payloads[i].next_free;
    uint32_t *list = mask ? &l->free_mask : &l->free_payload;
    *next = *list;
    *list = mask ? i - MASKS_FROM : i;
    l->payloads_used--;
}

uint32_t lsu_take_request(struct lsu *l, enum request_kind kind, uint32_t op, uint64_t line, uint8_t sectors)
{
    uint32_t r = l->free_request;
    must(r != OP_NONE); /* there are as many as credits */
    struct request *q = &l->requests[r];
    l->free_request = q->next;
    if (l->free_request == OP_NONE && l->fresh_request < l->nrequest) {
        l->free_request = l->fresh_request++;
        l->requests[l->free_request].next = OP_NONE;
    }
    l->requests_used++;
    *q = (struct request){.line = line,
                          .op = op,
                          .miss = MISS_NONE,
                          .payload = PAYLOAD_NONE,
                          .next = OP_NONE,
                          .kind = (uint8_t)kind,
                          .sectors = sectors,
                          .warp = op == OP_NONE ? NWARP : l->ops[op].warp};
    uint32_t n = sector_count(sectors);
    if (reads(kind)) {
        l->reads_out += n;
        l->count->l1_read_misses_unmerged += n;
    } else {
        l->writes_out += n;
        if (kind == REQ_WRITE || kind == REQ_STRONG_WRITE || kind == REQ_BULK_WRITE)
            l->count->l1_write_sent += n;
    }
    if (kind == REQ_STRONG_READ || kind == REQ_STRONG_WRITE || kind == REQ_ATOMIC || kind == REQ_REDUCE) {
        uint32_t b = (uint32_t)(line / l->cfg->l1_line_bytes) & (l->nhot_bucket - 1);
        q->next = l->hot[b];
        l->hot[b] = r;
        l->hot_used++;
    }
    if (kind != REQ_READ && q->warp < NWARP) {
        l->warp[q->warp].writes++;
        if (kind != REQ_REMOTE)
            l->warp[q->warp].reached |= is_in_other_half(l->cfg, l->smid, line) ? REACHED_FAR : REACHED_NEAR;
        l->has_writes |= UINT64_C(1) << q->warp;
    }
    return r;
}

void lsu_free_request(struct lsu *l, uint32_t request)
{
    struct request *q = &l->requests[request];
    uint32_t n = sector_count(q->sectors);
    if (reads(q->kind))
        l->reads_out -= n;
    else
        l->writes_out -= n;
    if (q->kind == REQ_STRONG_READ || q->kind == REQ_STRONG_WRITE || q->kind == REQ_ATOMIC || q->kind == REQ_REDUCE) {
        uint32_t *p = &l->hot[(uint32_t)(q->line / l->cfg->l1_line_bytes) & (l->nhot_bucket - 1)];
        while (*p != request)
            p = &l->requests[*p].next;
        *p = q->next;
        l->hot_used--;
    }
    if (q->payload != PAYLOAD_NONE)
        free_payload(l, q->payload);
    q->next = l->free_request;
    l->free_request = request;
    l->requests_used--;
}

void lsu_send(struct lsu *l, cycle now, uint32_t request, enum msg_kind kind, uint32_t data_sectors)
{
    const struct request *q = &l->requests[request];
    struct message m = {
        .time = now,
        .source = l->smid,
        .seq = l->seq++,
        .tag = request,
        .payload = q->payload,
        .kind = (uint8_t)kind,
        .sectors = q->sectors,
        .addr = q->line,
        .dest = l->cfg->nsm + partition_of(l->cfg, q->line),
        .wire_bytes = (uint16_t)(l->cfg->noc_header_bytes + SECTOR_BYTES * data_sectors),
    };
    msgbox_push(l->out, m);
    l->count->requests_sent++;
}
