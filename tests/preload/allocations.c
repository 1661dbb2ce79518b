/* allocations.so - counts what a program takes from the heap, for a program under LD_PRELOAD: at its end
 * it adds a line "allocations N" to standard error. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static uint64_t allocations;

void *malloc(size_t size)
{
    __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
    return __libc_realloc(old, size);
}

__attribute__((destructor)) static void say(void)
{
    fprintf(stderr, "allocations %llu\n", (unsigned long long)allocations);
}
