#include "core/table.h"

#include <string.h>

/* Numbers of records are kept as number + 1, so that zeroed memory is an empty table. */

/* Both halves of the product. */
static inline uint64_t fold(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX), high = (a >> 32) * (b >> 32);
    uint64_t one = (a >> 32) * (b & UINT32_MAX), other = (a & UINT32_MAX) * (b >> 32);
    uint64_t middle = (low >> 32) + (one & UINT32_MAX) + (other & UINT32_MAX);

    return ((low & UINT32_MAX) | middle << 32) ^
           (high + (one >> 32) + (other >> 32) + (middle >> 32));
#endif
}

/* Over the id, which is zero behind its end, sixteen bytes at a time, each mixed with what nobody who
 * chooses ids knows. (SipHash takes five times as long.) */
static inline uint64_t hash(uint64_t seed, const struct yk_id *id)
{
    uint64_t mixed = seed ^ UINT64_C(0x736f6d6570736575);

    for (size_t at = 0; at < id->size; at += 2 * sizeof(uint64_t)) {
        uint64_t words[2];

        memcpy(words, id->text + at, sizeof words);
        mixed = fold(words[0] ^ mixed, words[1] ^ ~seed);
    }
    return fold(mixed, seed ^ UINT64_C(0x646f72616e646f6d));
}

static size_t records_size(uint32_t capacity, size_t record_size)
{
    size_t align = _Alignof(max_align_t);

    return (capacity * record_size + align - 1) / align * align;
}

static uint32_t bucket_count(uint32_t capacity)
{
    uint32_t count = 1;

    while (count < capacity) {
        count *= 2;
    }
    return count;
}

size_t yk_table_memory(uint32_t capacity, size_t record_size)
{
    size_t align = _Alignof(max_align_t);
    size_t buckets = bucket_count(capacity) * sizeof(uint32_t);

    return records_size(capacity, record_size) + (buckets + align - 1) / align * align;
}

void yk_table_init(struct yk_table *table, void *memory, uint32_t capacity, size_t record_size,
                   uint64_t seed)
{
    *table = (struct yk_table){
        .records = memory,
        .buckets = (uint32_t *)(void *)((uint8_t *)memory + records_size(capacity, record_size)),
        .record_size = record_size,
        .capacity = capacity,
        .bucket_mask = bucket_count(capacity) - 1,
        .seed = seed,
    };
}

static struct yk_entry *entry_at(const struct yk_table *table, uint32_t number)
{
    if (number == 0) {
        return NULL;
    }
    return (struct yk_entry *)(void *)(table->records + (number - 1) * table->record_size);
}

static uint32_t number_of(const struct yk_table *table, const struct yk_entry *entry)
{
    return (uint32_t)((size_t)((const uint8_t *)entry - table->records) / table->record_size) + 1;
}

uint32_t yk_table_number(const struct yk_table *table, const void *record)
{
    return number_of(table, record) - 1;
}

static uint32_t *bucket_of(const struct yk_table *table, const struct yk_id *id)
{
    return &table->buckets[hash(table->seed, id) & table->bucket_mask];
}

void *yk_table_find(const struct yk_table *table, const struct yk_id *id)
{
    struct yk_entry *entry = table->count == 0 ? NULL : entry_at(table, *bucket_of(table, id));

    while (entry != NULL && !yk_id_equal(&entry->id, id)) {
        entry = entry_at(table, entry->chain);
    }
    return entry;
}

static void link_newest(struct yk_table *table, struct yk_entry *entry)
{
    uint32_t number = number_of(table, entry);

    entry->newer = 0;
    entry->older = table->newest;
    if (table->newest != 0) {
        entry_at(table, table->newest)->newer = number;
    } else {
        table->oldest = number;
    }
    table->newest = number;
}

static void unlink_use(struct yk_table *table, struct yk_entry *entry)
{
    if (entry->newer != 0) {
        entry_at(table, entry->newer)->older = entry->older;
    } else {
        table->newest = entry->older;
    }
    if (entry->older != 0) {
        entry_at(table, entry->older)->newer = entry->newer;
    } else {
        table->oldest = entry->newer;
    }
}

void *yk_table_add(struct yk_table *table, const struct yk_id *id)
{
    struct yk_entry *entry = entry_at(table, table->free);
    uint32_t *bucket;

    if (entry != NULL) {
        table->free = entry->chain;
    } else if (table->fresh < table->capacity) {
        entry = entry_at(table, ++table->fresh);
    } else {
        return NULL;
    }
    memset(entry, 0, table->record_size);
    entry->id = *id;
    bucket = bucket_of(table, id);
    entry->chain = *bucket;
    *bucket = number_of(table, entry);
    link_newest(table, entry);
    table->count++;
    return entry;
}

void yk_table_touch(struct yk_table *table, void *record)
{
    unlink_use(table, record);
    link_newest(table, record);
}

void yk_table_remove(struct yk_table *table, void *record)
{
    struct yk_entry *entry = record;
    uint32_t number = number_of(table, entry);
    uint32_t *link = bucket_of(table, &entry->id);

    while (*link != number) {
        link = &entry_at(table, *link)->chain;
    }
    *link = entry->chain;
    unlink_use(table, entry);
    entry->chain = table->free;
    table->free = number;
    table->count--;
}

void yk_table_keep(struct yk_table *table, const struct yk_id *id)
{
    table->kept = *id;
}

void *yk_table_dispensable(const struct yk_table *table)
{
    struct yk_entry *oldest = entry_at(table, table->oldest);

    if (oldest != NULL && yk_id_equal(&oldest->id, &table->kept)) {
        oldest = entry_at(table, oldest->newer);
    }
    return oldest;
}

void *yk_table_oldest(const struct yk_table *table)
{
    return entry_at(table, table->oldest);
}

void *yk_table_next(const struct yk_table *table, const void *record)
{
    return entry_at(table, ((const struct yk_entry *)record)->newer);
}
