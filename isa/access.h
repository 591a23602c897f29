/* Sizes and spaces of memory instructions. */
#ifndef HEDDLE_ISA_ACCESS_H
#define HEDDLE_ISA_ACCESS_H

#include "isa/isa.h"

enum space access_space(uint32_t op);
uint32_t access_bytes(const struct inst *in); /* a lane */
/* A sub-word value as a register holds it; size is a value of MOD_SIZE. */
static inline uint32_t extend_loaded(uint32_t v, uint32_t size)
{
    switch (size) {
    case 1:
        return v & 0xff;
    case 2:
        return (uint32_t)(int32_t)(int8_t)v;
    case 3:
        return v & 0xffff;
    case 4:
        return (uint32_t)(int32_t)(int16_t)v;
    default:
        return v;
    }
}

#endif
