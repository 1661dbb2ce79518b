/* table.h - a bounded table of records by node id, in order of use; no heap. */
#ifndef YK_CORE_TABLE_H
#define YK_CORE_TABLE_H

#include "core/types.h"

/* First member of every record; the table's own. */
struct yk_entry {
    struct yk_id id;
    uint32_t chain;        /* next of the same hash bucket, as number + 1 */
    uint32_t newer, older; /* neighbours in order of use, as number + 1 */
};

struct yk_table {
    uint8_t *records;
    uint32_t *buckets;
    size_t record_size;
    uint32_t capacity, bucket_mask, count;
    uint32_t fresh; /* records never used yet start here: untouched memory stays untouched */
    uint32_t free;  /* chain of returned records */
    uint32_t newest, oldest; /* as number + 1; 0 is none */
    uint64_t seed;
    struct yk_id kept; /* see yk_table_keep; "none" at first */
};

size_t yk_table_memory(uint32_t capacity, size_t record_size);
/* `memory` is zeroed, aligned for max_align_t, of yk_table_memory bytes, and outlives the table.
 * `seed` makes the hash unpredictable to whoever chooses ids. */
void yk_table_init(struct yk_table *table, void *memory, uint32_t capacity, size_t record_size,
                   uint64_t seed);

/* The record of `id`, or NULL. */
void *yk_table_find(const struct yk_table *table, const struct yk_id *id);
/* A new zeroed record (but for its entry), made the newest; NULL when the table is full. `id` must
 * not be there yet. */
void *yk_table_add(struct yk_table *table, const struct yk_id *id);
/* The place of a record, below the capacity; another's once it is removed. */
uint32_t yk_table_number(const struct yk_table *table, const void *record);
/* Makes a record the newest. */
void yk_table_touch(struct yk_table *table, void *record);
void yk_table_remove(struct yk_table *table, void *record);
/* The id whose record makes room for no other: the node's own paired producer. "None" is nobody. */
void yk_table_keep(struct yk_table *table, const struct yk_id *id);
/* The least recently used record that may make room for another; NULL when there is none. */
void *yk_table_dispensable(const struct yk_table *table);
/* From the least to the most recently used: NULL at the end. */
void *yk_table_oldest(const struct yk_table *table);
void *yk_table_next(const struct yk_table *table, const void *record);

#endif
