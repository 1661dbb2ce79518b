/* heap.h - what will happen, in order of time; what was put first comes first at equal times. */
#ifndef YK_SIM_HEAP_H
#define YK_SIM_HEAP_H

#include <stddef.h>
#include <stdint.h>

struct happening {
    uint64_t at;
    uint64_t order;
    uint32_t kind;
    uint32_t who;   /* endpoint, item */
    uint64_t token; /* what made it still holds: compared by the handler */
    void *carries;  /* a datagram, or NULL */
};

struct heap {
    struct happening *list;
    size_t count, capacity;
    uint64_t order;
};

void heap_put(struct heap *heap, struct happening happening);
/* The earliest, taken out; there must be one. */
struct happening heap_take(struct heap *heap);
void heap_free(struct heap *heap);

#endif
