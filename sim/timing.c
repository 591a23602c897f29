/* The timing view of a kernel: one dense descriptor an instruction, made once a launch from the instruction, its
 * scheduling fields and the config's units, and shared by all SMs. */
#include "sim/sm_core.h"

#include <stdlib.h>

static void unit_times(const struct config *c, enum unit u, uint16_t *latency, uint16_t *interval)
{
    switch (u) {
#define CASE(ID, id)                                                                                                   \
    case UNIT_##ID:                                                                                                    \
        *latency = (uint16_t)c->id##_latency_cycles;                                                                   \
        *interval = (uint16_t)c->id##_interval_cycles;                                                                 \
        break;
        CASE(ALU, alu)
        CASE(FMA, fma)
        CASE(FMAHEAVY, fmaheavy)
        CASE(FP16, fp16)
        CASE(FP64, fp64)
        CASE(XU, xu)
        CASE(UNIFORM, uniform)
        CASE(TENSOR, tensor)
        CASE(CBU, cbu)
        CASE(ADU, adu)
#undef CASE
    default:
        *latency = 1;
        *interval = 1;
        break;
    }
}

static void describe_double(const struct config *c, const struct inst *in, struct idesc *d)
{
    bool to = in->nwrite && in->writes[0].count == 2, from = in->nread && in->reads[0].count == 2;
    if (to || from)
        d->latency = (uint16_t)(d->latency + c->xu_double_cycles);
    if (to)
        d->interval = (uint16_t)(d->interval + c->xu_double_cycles);
}

/* Two instructions whose result does not come from their unit's main path. */
static void special_latency(const struct config *c, const struct inst *in, struct idesc *d)
{
    switch (in->op) {
    case OP_R2UR: /* with a predicate: nvcc reads it 8 cycles later */
        d->latency = (uint16_t)(in->opd[1].kind == OPD_NONE || c->r2ur_latency_cycles < 8 ? c->r2ur_latency_cycles : 8);
        break;
    case OP_REDUX:
        d->latency = (uint16_t)c->redux_latency_cycles;
        d->interval = (uint16_t)c->redux_interval_cycles;
        d->of_sm = true;
        break;
    case OP_ULDC:
    case OP_UMOV:
    case OP_VOTEU:
        d->latency = (uint16_t)c->uniform_short_cycles;
        break;
    case OP_ELECT: /* the lane's number is there before the predicate */
        d->latency = (uint16_t)c->elect_cycles;
        if (in->opd[1].kind == OPD_UREG)
            d->early_at = (uint8_t)(in->nwrite - 1), d->early = (uint8_t)c->elect_lane_early_cycles;
        break;
    case OP_MOVM:
        d->latency = (uint16_t)c->movm_latency_cycles;
        break;
    case OP_IMAD_WIDE:
        d->early = (uint8_t)c->wide_low_early_cycles;
        break; /* low word first */
    case OP_F2F:
        describe_double(c, in, d);
        break;
    case OP_DSETP:
        d->latency = (uint16_t)(d->latency - c->fp64_predicate_early_cycles);
        break;
    default:
        break;
    }
}

/* Multiplications with a 64-bit product take a second pass of the heavy half: the warp's next instruction waits for it,
 * and they themselves wait longer for operands just made. (Measured: 64 of them with stall counts of 1 to 11; chains of
 * IMAD.HI, and of IMAD.WIDE and an addition.) */
static bool passes_twice(const struct inst *in)
{
    return in->op == OP_IMAD_WIDE || in->op == OP_IMAD_HI;
}
static bool reads_result(const struct idesc *next, const struct idesc *d)
{
    for (uint32_t i = 0; i < next->nread; i++)
        for (uint32_t k = 0; k < d->nwrite; k++)
            if (next->read[i].first < d->write[k].first + d->write[k].count &&
                d->write[k].first < next->read[i].first + next->read[i].count)
                return true;
    return false;
}
static bool in_the_way(const struct idesc *d)
{
    return (d->flags & D_FIXED) && !(d->flags & D_BRANCH);
}
/* Instructions with stall counts: those before a two-pass multiplication hold it until its operands are there.
 * (Without, the scoreboard does.) */
static void second_pass(const struct config *c, const struct kernel *k, struct idesc *desc, uint32_t pc)
{
    enum { BACK = 4 };
    if (!passes_twice(&k->code[pc]))
        return;
    desc[pc].interval = (uint16_t)c->wide_interval_cycles;
    desc[pc].stall = (uint8_t)(desc[pc].stall + c->wide_issue_cycles);
    desc[pc].latency = (uint16_t)(desc[pc].latency + c->wide_issue_cycles);
    desc[pc].older = (uint8_t)c->wide_operand_cycles;
    uint32_t apart = 0, late = 0;
    for (uint32_t i = 1; i <= BACK && i <= pc && in_the_way(&desc[pc - i]) && (desc[pc - i].flags & D_SCHED); i++) {
        const struct idesc *d = &desc[pc - i];
        apart += d->stall;
        uint32_t need = d->latency + c->wide_operand_cycles;
        if (reads_result(&desc[pc], d) && need > apart + late)
            late = need - apart;
    }
    if (late)
        desc[pc - 1].stall = (uint8_t)(desc[pc - 1].stall + late);
}

/* Multiply-adds of one warp's matrix instruction; 0: not one. */
static uint32_t matrix_size(const struct inst *in)
{
    static const struct {
        const char *shape;
        uint32_t fma;
    } sizes[] = {
        {"884", 256},      {"1684", 512},   {"1688", 1024},   {"16816", 2048},   {"16832", 4096},
        {"16864", 8192},   {"8816", 1024},  {"8832", 2048},   {"88128", 8192},   {"168128", 16384},
        {"168256", 32768}, {"16x8x4", 512}, {"16x8x8", 1024}, {"16x8x16", 2048},
    };
    const char *name = mod_value_name(MOD_MMASHAPE, in->mod[MOD_MMASHAPE]);
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
        if (!strcmp(name, sizes[i].shape))
            return sizes[i].fma;
    return in->op == OP_DMMA ? 256 : 2048;
}

/* Time of a matrix element relative to 16-bit floats, in sixteenths: twice the bits take twice as long. */
static uint32_t element_time(const struct inst *in)
{
    const char *type = mod_value_name(MOD_MMATYPE, in->mod[MOD_MMATYPE]);
    switch (in->op) {
    case OP_IMMA:
    case OP_IGMMA:
    case OP_QGMMA:
    case OP_QMMA:
        return 8;
    case OP_BMMA:
    case OP_BGMMA:
        return 1;
    default:
        return !strcmp(type, "TF32") ? 32 : !strcmp(type, "E4M3") || !strcmp(type, "E5M2") ? 8 : 16;
    }
}

static uint16_t at_least_one(uint64_t n)
{
    return (uint16_t)(n > UINT16_MAX ? UINT16_MAX : n ? n : 1);
}

/* A warpgroup multiply takes the unit for as long as it multiplies, or as long as shared memory needs to give it A
 * (where A is not in registers) and B: 32 bytes of depth of 64 rows and n columns. The result comes when all is
 * multiplied and has gone through; A from shared memory comes later than A from registers. */
static void describe_warpgroup(const struct config *c, const struct inst *in, struct idesc *d, uint32_t time)
{
    uint32_t n = 8 * (in->mod[MOD_GMMAN] + 1u), k = in->mod[MOD_GMMAK] < 3 ? 8u << in->mod[MOD_GMMAK] : 64;
    bool closes = in->opd[0].reg == RZ, memory = in->opd[1].kind == OPD_GDESC;
    uint64_t multiplies = (uint64_t)16 * n * k * time / 16 / c->gmma_fma_per_cycle;
    uint64_t reads = 32u * (n + (memory ? 64 : 0)) / (c->smem_banks * c->smem_bank_bytes);
    d->interval = closes ? 1 : at_least_one(multiplies > reads ? multiplies : reads);
    d->shared_reads = (uint16_t)(closes ? 0 : reads);
    d->latency = (uint16_t)((closes ? 1 : multiplies) + c->gmma_tail_cycles + (memory ? c->gmma_memory_cycles : 0));
    for (uint32_t i = 0; i < NOPERAND; i++)
        if (in->opd[i].kind == OPD_SB)
            d->flags |= D_GROUP;
}

/* The config's tensor interval is that of a 16x8x16 multiply of 16-bit floats; others by their size and type. A warp of
 * a warpgroup multiplies a quarter, 16 x N x K. */
static void describe_matrix(const struct config *c, const struct inst *in, struct idesc *d)
{
    uint32_t time = element_time(in);
    if (d->effect == EFF_TENSOR_ASYNC) {
        describe_warpgroup(c, in, d, time);
    } else if (in->op == OP_DMMA) {
        uint64_t multiplies = (uint64_t)((double)matrix_size(in) / c->dmma_fma_per_cycle);
        d->interval = at_least_one(multiplies > c->dmma_least_cycles ? multiplies : c->dmma_least_cycles);
        d->latency = at_least_one(multiplies + c->dmma_tail_cycles);
    } else if (in->op == OP_HMMA || in->op == OP_IMMA || in->op == OP_BMMA || in->op == OP_QMMA) {
        uint64_t work = (uint64_t)matrix_size(in) * time / 16;
        d->interval = at_least_one(c->tensor_interval_cycles * work / 2048);
        if (work <= 1024)
            d->latency = (uint16_t)(work <= 512 ? c->tensor_shortest_cycles : c->tensor_short_cycles);
    }
}

uint64_t sm_matrix_flops(const struct inst *in)
{
    if (in->op == OP_HMMA || in->op == OP_IMMA || in->op == OP_BMMA || in->op == OP_DMMA || in->op == OP_QMMA)
        return 2ull * matrix_size(in);
    if (op_table[in->op].effect != EFF_TENSOR_ASYNC)
        return 0;
    uint32_t n = 8 * (in->mod[MOD_GMMAN] + 1u), k = in->mod[MOD_GMMAK] < 3 ? 8u << in->mod[MOD_GMMAK] : 64;
    return 2ull * 16 * n * k;
}

static uint8_t stall_of(const struct config *c, const struct sched *f)
{
    if (!f->present)
        return 1;
    if (f->stall > 11 && !f->yield)
        return 2; /* as the hardware reads it (HU25); compilers do not write it */
    if (f->stall == 0)
        return f->yield ? (uint8_t)c->yield_stall_zero_cycles : 1;
    return f->stall == 1 && f->yield ? 2 : f->stall;
}

static void add_range(struct keyrange *list, uint8_t *n, size_t cap, struct regref r)
{
    uint32_t key = key_of(r);
    if (key == NKEY || *n == cap || r.count == 0)
        return;
    list[(*n)++] = (struct keyrange){.first = (uint16_t)key, .count = r.count};
}

/* P2R and R2P name the whole predicate file and touch the part that their mask selects. */
static void add_predicates(struct keyrange *list, uint8_t *n, size_t cap, const struct inst *in, struct regref r)
{
    const struct operand *mask = &in->opd[in->op == OP_P2R || in->op == OP_UP2UR ? 3 : 2];
    bool file = r.count > 1 && (r.file == RF_P || r.file == RF_UP) && mask->kind == OPD_IMM;
    if (!file) {
        add_range(list, n, cap, r);
        return;
    }
    for (uint32_t i = 0; i < r.count; i++)
        if (mask->imm >> (r.first + i) & 1)
            add_range(list, n, cap, (struct regref){r.file, (uint8_t)(r.first + i), 1});
}

static void describe_registers(const struct config *c, struct idesc *d, const struct inst *in)
{
    for (uint32_t i = 0; i < in->nread; i++)
        add_predicates(d->read, &d->nread, ARRAY_LEN(d->read), in, in->reads[i]);
    for (uint32_t i = 0; i < in->nwrite; i++)
        add_predicates(d->write, &d->nwrite, ARRAY_LEN(d->write), in, in->writes[i]);
    for (uint32_t i = 0; i < d->nread; i++) {
        if ((in->op == OP_IMAD_WIDE || in->op == OP_IMAD_HI) && d->read[i].count == 2)
            d->read[i].late = (uint8_t)c->wide_c_late_cycles;
        else if (!(d->flags & D_FIXED) || (d->flags & D_BRANCH && key_file(d->read[i].first) == RF_R))
            d->read[i].late = (uint8_t)c->queue_read_cycles;
        else if (in->op == OP_PLOP3 && key_file(d->read[i].first) == RF_UP)
            d->read[i].late = (uint8_t)c->plop3_uniform_late_cycles;
    }
    if (in->guard != PT) {
        struct regref g = {.file = in->guard_uniform ? RF_UP : RF_P, .first = in->guard, .count = 1};
        add_range(d->read, &d->nread, ARRAY_LEN(d->read), g);
    }
}

/* One read serves a register that an instruction names twice (measured: 16 warps of FFMA x, a, x, a, micro_branch,
 * issue one a cycle and sub-core). */
static bool named_before(const struct idesc *d, uint32_t slot, uint32_t reg)
{
    for (uint32_t k = 0; k < slot; k++)
        if (reg - d->src_reg[k] < d->src_count[k])
            return true;
    return false;
}

static void note_port(const struct config *c, struct idesc *d, uint32_t slot, uint32_t reg)
{
    uint32_t bank = reg % c->reg_banks;
    bool costs = !named_before(d, slot, reg);
    d->nport[bank] += costs;
    d->places |= 1u << (bank * NSOURCE + slot);
    must(d->nportread < ARRAY_LEN(d->port));
    d->port[d->nportread++] =
        (struct portread){(uint8_t)reg, (uint8_t)bank, (uint8_t)(bank * NSOURCE + slot), costs, d->reuse >> slot & 1};
}

/* Source registers in the operand slots A, B, C, as the register banks see them. The reuse bits number the sources
 * in that order, so a slot without a register still counts. */
static void describe_ports(const struct config *c, struct idesc *d, const struct inst *in)
{
    uint32_t n = 0;
    uint32_t ndst = 0;
    const char *shape = op_table[in->op].shape;
    for (const char *p = shape; *p && *p != '|'; p++)
        ndst += *p >= 'A' && *p <= 'Z';
    for (uint32_t i = ndst; i < NOPERAND && n < NSOURCE; i++) {
        const struct operand *o = &in->opd[i];
        if (o->kind == OPD_NONE || o->kind == OPD_PRED || o->kind == OPD_UPRED)
            continue;
        if (o->kind == OPD_REG && o->reg != RZ) {
            d->src_reg[n] = o->reg;
            d->src_count[n] = o->width ? o->width : 1;
            for (uint32_t k = 0; k < d->src_count[n]; k++)
                note_port(c, d, n, o->reg + k);
        }
        n++;
    }
    for (uint32_t b = 0; b < c->reg_banks && b < NBANK; b++)
        if (d->nport[b] > d->ports)
            d->ports = d->nport[b];
}

/* The rows of its operand slots and the first one of its result. */
static void describe_rows(struct idesc *d)
{
    for (uint32_t i = 0; i < NSOURCE; i++)
        for (uint32_t k = 0; k < d->src_count[i] && d->nask < NASK - 1; k++)
            d->ask[d->nask++] = (uint8_t)(d->src_reg[i] + k);
    d->result = d->write[0].first;
    if (d->nwrite && key_file(d->result) == RF_R && d->result < KEY_R + RZ)
        d->ask[d->nask++] = (uint8_t)(d->result - KEY_R);
}

static void describe_constant(struct idesc *d, const struct inst *in)
{
    if (d->effect == EFF_CONST)
        return; /* LDC goes its own way */
    for (uint32_t i = 0; i < NOPERAND; i++) {
        const struct operand *o = &in->opd[i];
        if (o->kind == OPD_CONST && !(o->flags & OPF_HAS_REG)) {
            d->flags |= D_CONST;
            d->const_bank = o->bank;
            d->const_ureg = o->flags & OPF_HAS_UREG ? o->ureg : URZ;
            d->const_offset = (uint32_t)o->imm;
        }
    }
}

static uint16_t counter_of(enum op op)
{
#define AT(f) (uint16_t)(offsetof(struct sm_counters, f) / sizeof(uint64_t))
    switch (op) {
    case OP_FADD:
        return AT(fadd);
    case OP_FMUL:
        return AT(fmul);
    case OP_FFMA:
        return AT(ffma);
    case OP_DADD:
        return AT(dadd);
    case OP_DMUL:
        return AT(dmul);
    case OP_DFMA:
        return AT(dfma);
    case OP_HADD2:
        return AT(hadd);
    case OP_HMUL2:
        return AT(hmul);
    case OP_HFMA2:
    case OP_HFMA2_MMA:
        return AT(hfma);
    default:
        return 0xffff;
    }
#undef AT
}

static bool goes_to_lsu(const struct inst *in)
{
    const struct op_info *o = &op_table[in->op];
    if (o->unit == UNIT_TMA)
        return true;
    return o->unit == UNIT_LSU && in->op != OP_ACQBULK && in->op != OP_PREEXIT;
}

static bool jumps(const struct inst *in)
{
    switch (in->op) {
    case OP_BRA:
    case OP_BRX:
    case OP_BRXU:
    case OP_JMP:
    case OP_CALL:
    case OP_RET:
        return true;
    case OP_WARPSYNC: /* those that let one mask of lanes pass after another part them (kernels_tiles: 8 cycles each) */
        return in->mod[MOD_WSYNC] >= 2; /* EXCLUSIVE, COLLECTIVE */
    default:
        return false;
    }
}

/* By an address in a vector register, or kept since WARPSYNC.COLLECTIVE, of which each lane has its own. */
static bool jumps_by_register(const struct inst *in)
{
    return in->op == OP_BRX || in->op == OP_ENDCOLLECTIVE || in->op == OP_JMX || in->op == OP_RET ||
           (in->op == OP_CALL && in->opd[1].kind == OPD_REG);
}

static bool is_long(const struct inst *in)
{
    switch (in->op) {
    case OP_LDG:
    case OP_LD:
    case OP_LDL:
    case OP_ATOMG:
    case OP_ATOM:
    case OP_RED:
    case OP_LDGSTS:
    case OP_LDGDEPBAR:
    case OP_STG:
    case OP_ST:
    case OP_STL:
    case OP_SYNCS:
    case OP_CCTL:
        return true;
    default:
        return op_table[in->op].unit == UNIT_TMA;
    }
}

/* For those who look for races: what was written before these may be read behind them. NOP: what the compiler makes of
 * a
 * __syncwarp of lanes that are together. */
static uint32_t orders(const struct inst *in)
{
    switch (op_table[in->op].effect) {
    case EFF_ATOMIC:
    case EFF_REDUCE:
    case EFF_FENCE:
    case EFF_MBARRIER:
        return D_ORDERS | D_ORDERS_BLOCK;
    default:
        return in->op == OP_NOP || in->op == OP_WARPSYNC || in->op == OP_SHFL || in->op == OP_VOTE ||
                       in->op == OP_MATCH || in->op == OP_REDUX
                   ? D_ORDERS
                   : 0;
    }
}

static void describe(const struct config *c, const struct inst *in, struct idesc *d)
{
    const struct op_info *o = &op_table[in->op];
    enum unit unit = in->op == OP_HFMA2_MMA && !c->fp64_halves ? UNIT_FP16 : o->unit;
    d->unit = (uint8_t)unit;
    d->effect = (uint8_t)o->effect;
    d->wr_sb = in->sched.present && in->sched.wr_sb < NSB ? in->sched.wr_sb : SB_NONE;
    if (in->op == OP_LDGDEPBAR && !in->sched.present)
        d->wr_sb = 0; /* groups of copies are counted also without scheduling fields: DEPBAR.LE SB0, n waits for them */
    d->rd_sb = in->sched.present && in->sched.rd_sb < NSB ? in->sched.rd_sb : SB_NONE;
    d->wait = in->sched.present ? in->sched.wait & 0x3f : 0;
    d->reuse = in->sched.present ? in->sched.reuse : 0;
    d->stall = stall_of(c, &in->sched);
    d->yield = in->sched.present && in->sched.yield;
    d->counter = counter_of(in->op);
    for (uint32_t i = 0; i < NOPERAND; i++)
        d->special |= in->opd[i].kind == OPD_SREG;
    unit_times(c, unit, &d->latency, &d->interval);
    special_latency(c, in, d);
    if (in->sched.present)
        d->flags |= D_SCHED;
    if (goes_to_lsu(in))
        d->flags |= D_LSU;
    else if (o->effect == EFF_NONE || o->effect == EFF_CONTROL || (in->op == OP_R2UR && in->sched.present))
        d->flags |= D_FIXED;
    if (is_long(in))
        d->flags |= D_LONG;
    if (o->effect == EFF_CONTROL)
        d->flags |= D_BRANCH;
    d->flags |= (uint16_t)orders(in);
    d->branch = jumps(in) ? JUMPS : in->op == OP_BSYNC ? MEETS : in->op == OP_WARPSYNC ? GATHERS : STRAIGHT;
    d->indirect = jumps_by_register(in);
    d->passes_bar = (d->flags & (D_FIXED | D_BRANCH | D_LSU)) == D_FIXED && unit != UNIT_XU;
    d->head = d->unit == UNIT_TMA ? UNIT_LSU : d->effect == EFF_TENSOR_ASYNC ? CLASS_GMMA : d->unit;
    if (in->op == OP_CS2R)
        d->head = UNIT_FE, d->interval = 1; /* the clock is read before the units: issues while the ALU is taken */
    if (o->unit == UNIT_TENSOR)
        describe_matrix(c, in, d);
    if (in->op == OP_WARPGROUP_ARRIVE || in->op == OP_WARPGROUP_DEPBAR || in->op == OP_WARPGROUPSET) {
        d->head = UNIT_FE; /* they order warpgroup multiplies and do not enter the matrix unit */
        d->interval = 1;
    }
    if (o->effect == EFF_DEPBAR) {
        d->flags |= D_DEPBAR;
        d->depbar_sb = in->op == OP_DEPBAR ? in->opd[0].reg % NSB : SB_GROUP;
        d->depbar_max = (uint8_t)in->opd[1].imm;
        d->depbar_list = in->opd[2].kind == OPD_LIST ? (uint8_t)in->opd[2].imm & 0x3f : 0;
    }
    describe_registers(c, d, in);
    d->single = d->nwrite == 1 && d->write[0].count == 1 && !d->early;
    if (d->flags & D_FIXED)
        describe_ports(c, d, in);
    describe_constant(d, in);
    describe_rows(d);
}

static void note_range(struct timing *t, const struct keyrange *r)
{
    uint32_t file = key_file(r->first);
    if (r->first + r->count > t->nkey[file])
        t->nkey[file] = r->first + r->count;
}

static void note_touched(struct idesc *d, const struct keyrange *r)
{
    for (uint32_t key = r->first; key < r->first + (uint32_t)r->count; key++)
        d->touches[key / 64] |= UINT64_C(1) << key % 64;
}

static void note_keys(struct timing *t, struct idesc *d)
{
    for (uint32_t i = 0; i < d->nread; i++) {
        note_range(t, &d->read[i]);
        note_touched(d, &d->read[i]);
    }
    for (uint32_t i = 0; i < d->nwrite; i++) {
        note_range(t, &d->write[i]);
        if (!(d->flags & D_LSU))
            note_touched(d, &d->write[i]);
    }
}

bool sm_launch_begin(const struct config *c, struct launch_state *ls, struct error *err)
{
    (void)err;
    const struct kernel *k = ls->launch.kernel;
    struct timing *t = xcalloc(1, sizeof *t);
    t->n = k->n;
    t->desc = xalloc_aligned((k->n ? k->n : 1) * sizeof *t->desc, HOST_LINE);
    for (uint32_t i = 0; i < k->n; i++) {
        describe(c, &k->code[i], &t->desc[i]);
        note_keys(t, &t->desc[i]);
        t->desc[i].inst = &k->code[i];
    }
    for (uint32_t i = 0; i < k->n; i++)
        second_pass(c, k, t->desc, i);
    ls->timing = t;
    return true;
}

void sm_launch_end(struct launch_state *ls)
{
    if (ls->timing)
        free(ls->timing->desc);
    free(ls->timing);
    ls->timing = NULL;
}
