#include "sim/heap.h"

#include <stdbool.h>
#include <stdlib.h>

static bool is_before(const struct happening *a, const struct happening *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

void heap_put(struct heap *heap, struct happening happening)
{
    size_t at = heap->count;

    if (heap->count == heap->capacity) {
        heap->capacity = heap->capacity == 0 ? 1024 : heap->capacity * 2;
        heap->list = realloc(heap->list, heap->capacity * sizeof *heap->list);
        if (heap->list == NULL) {
            abort();
        }
    }
    happening.order = heap->order++;
    heap->count++;
    while (at > 0 && is_before(&happening, &heap->list[(at - 1) / 2])) {
        heap->list[at] = heap->list[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap->list[at] = happening;
}

struct happening heap_take(struct heap *heap)
{
    struct happening first = heap->list[0];
    struct happening last = heap->list[--heap->count];
    size_t at = 0;

    for (size_t child = 1; child < heap->count; child = 2 * at + 1) {
        if (child + 1 < heap->count && is_before(&heap->list[child + 1], &heap->list[child])) {
            child++;
        }
        if (!is_before(&heap->list[child], &last)) {
            break;
        }
        heap->list[at] = heap->list[child];
        at = child;
    }
    heap->list[at] = last;
    return first;
}

void heap_free(struct heap *heap)
{
    free(heap->list);
    *heap = (struct heap){0};
}
