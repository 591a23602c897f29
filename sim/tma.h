/* The copy engine of an SM: bulk and tensor-map copies. Private to sim/.
 *
 * Commands come from the shared stage of the memory pipeline and are cut, in their order, into pieces that lie in one
 * 128-byte line of global memory, one after another at the engine's rate; each is a request to L2 like any other. A load
 * puts a piece into shared memory when it is answered, and when all are the mbarrier gets the bytes. A store takes its
 * pieces out of shared memory as it is cut; its group is done when that is over. */
#ifndef HEDDLE_SIM_TMA_H
#define HEDDLE_SIM_TMA_H

#include "sim/lsu_parts.h"

enum tma_kind { TMA_LOAD, TMA_STORE, TMA_REDUCE, TMA_PREFETCH, TMA_COPY };
enum { TMA_JOBS = 64, TMA_MAPS = 32, TMA_FLUSHES = 64, TMA_FRACTION = 12 };

/* A run of elements of one row inside one line. */
struct tma_piece {
    uint64_t addr;     /* of the first */
    uint32_t job, at;  /* offset in the block's shared memory, before the swizzle */
    uint32_t n, gap;   /* elements, bytes from one to the next in global memory; 0 elements: nothing is there */
};
/* A plain bulk copy is a tensor of one dimension and bytes. */
struct tma_job {
    struct tensor_map map;
    int32_t coord[TENSOR_DIMS];
    uint32_t n[TENSOR_DIMS], row[TENSOR_DIMS]; /* elements of the box; the row that is being cut */
    uint32_t begun, element, last;             /* of that row: begun, next element, end of those inside the tensor */
    uint32_t op, out, next;                    /* its instruction; pieces not answered; free list */
    uint32_t at, mbarrier, bytes;              /* offsets in shared memory */
    uint8_t *shared;
    uint8_t kind, warp;
    uint8_t rank;              /* of the block that a copy between blocks goes to */
    uint32_t far_mbarrier;     /* and its mbarrier, an address there */
    bool all_cut;
    cycle start;
    struct inst reduction; /* how what is there combines with what comes; op 0: it is replaced */
};
struct tma_group { /* a UTMACMDFLUSH that waits until so many stores of its warp have been cut */
    uint32_t op;
    uint32_t stores;
};
struct tma_warp {
    uint32_t stores, cut; /* store commands so far, and how many have been cut */
    uint32_t head, n;
    struct tma_group group[TMA_FLUSHES];
};
struct tma {
    struct tma_job job[TMA_JOBS];
    uint32_t ring[TMA_JOBS], head, n, free; /* commands not cut to the end, in order; free jobs */
    uint64_t port;                          /* when the next piece may leave, with fractional bits */
    cycle next;                             /* when there is something to do; NEVER: an answer must come */
    struct tma_piece *piece;                /* by request */
    uint64_t map_seen[TMA_MAPS];            /* addresses of descriptors that the engine holds */
    uint32_t map_turn;
    struct tma_warp warp[NWARP];
};

/* tma_cut.c: the geometry */
uint32_t tma_row_bytes(const struct tma_job *j); /* from one row of the box to the next in shared memory */
/* The next piece of the job's box; false: there is none. Fills what lies outside the tensor (loads). */
bool tma_cut(const struct lsu *l, struct tma_job *j, struct tma_piece *p);
/* A piece between shared memory and n * element bytes in a row. */
void tma_to_shared(const struct lsu *l, const struct tma_job *j, const struct tma_piece *p, const uint8_t *run);
void tma_from_shared(const struct lsu *l, const struct tma_job *j, const struct tma_piece *p, uint8_t *run);
uint8_t tma_sectors(const struct tma_job *j, const struct tma_piece *p, uint32_t byte_mask[LINE_SECTORS]);

/* tma_command.c */
/* Fills the job from the instruction; NULL or what is wrong. */
const char *tma_decode(struct lsu *l, cycle now, uint32_t op, struct tma_job *j);

#endif
