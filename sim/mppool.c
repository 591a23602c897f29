/* Pools of a memory partition: requests and transfers by index. They grow to what a run needs and stay. */
#include "sim/mpcore.h"

uint32_t mp_new_request(struct mempart *p)
{
    p->live++;
    uint32_t r = p->free_request;
    if (r != MP_NONE) {
        p->free_request = p->requests[r].next;
        return r;
    }
    p->requests = grow(p->requests, p->nrequest, &p->request_cap, sizeof *p->requests);
    p->written = grow(p->written, p->nrequest, &p->written_cap, sizeof *p->written);
    return (uint32_t)p->nrequest++;
}

void mp_drop_request(struct mempart *p, uint32_t r)
{
    p->requests[r].next = p->free_request;
    p->free_request = r;
    p->live--;
}

uint32_t mp_new_transfer(struct mempart *p, struct transfer t)
{
    uint32_t i = p->free_transfer;
    if (i != MP_NONE) {
        p->free_transfer = p->transfers[i].next;
    } else {
        p->transfers = grow(p->transfers, p->ntransfer, &p->transfer_cap, sizeof *p->transfers);
        i = (uint32_t)p->ntransfer++;
    }
    p->transfers[i] = t;
    p->live++;
    return i;
}

struct transfer mp_end_transfer(struct mempart *p, uint32_t i)
{
    struct transfer t = p->transfers[i];
    p->transfers[i].next = p->free_transfer;
    p->free_transfer = i;
    p->live--;
    return t;
}
