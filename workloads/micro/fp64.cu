// Double precision.
#include "bench.cuh"

#define DFMA(x) asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(x) : "d"(a), "d"(b));
#define DADD(x) asm volatile("add.rn.f64 %0, %0, %1;" : "+d"(x) : "d"(a));
#define DMUL(x) asm volatile("mul.rn.f64 %0, %0, %1;" : "+d"(x) : "d"(a));
BOTH(dfma, double, DFMA)
BOTH(dadd, double, DADD)
BOTH(dmul, double, DMUL)
