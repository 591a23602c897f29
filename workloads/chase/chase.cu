// One thread walks a ring of pointers: nothing but latency.
extern "C" __global__ void chase(const unsigned *next, unsigned *last, int hops)
{
    unsigned at = 0;
    for (int k = 0; k < hops; k++)
        at = next[at];
    *last = at;
}
