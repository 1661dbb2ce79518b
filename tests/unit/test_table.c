#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/table.h"
#include "lib/suite.h"

struct record {
    struct yk_entry entry;
    uint64_t value;
};

static struct yk_table table;
static uint8_t *memory;

static struct yk_id id_of(unsigned number)
{
    struct yk_id id;
    char text[16];

    snprintf(text, sizeof(text), "n%u", number);
    ck_assert(yk_id_parse(&id, yk_slice_of(text)));
    return id;
}

static struct record *add(unsigned number)
{
    struct yk_id id = id_of(number);
    struct record *record = yk_table_add(&table, &id);

    if (record != NULL) {
        ck_assert_uint_eq(record->value, 0);
        record->value = number;
    }
    return record;
}

static struct record *find(unsigned number)
{
    struct yk_id id = id_of(number);

    return yk_table_find(&table, &id);
}

static void make(uint32_t capacity)
{
    memory = calloc(1, yk_table_memory(capacity, sizeof(struct record)));
    ck_assert_ptr_nonnull(memory);
    yk_table_init(&table, memory, capacity, sizeof(struct record), 42);
}

/* The values from the least to the most recently used are exactly these. */
static void expect_order(const unsigned *values, size_t count)
{
    const struct record *record = yk_table_oldest(&table);

    for (size_t i = 0; i < count; i++) {
        ck_assert_ptr_nonnull(record);
        ck_assert_uint_eq(record->value, values[i]);
        record = yk_table_next(&table, record);
    }
    ck_assert_ptr_null(record);
    ck_assert_uint_eq(table.count, count);
}

START_TEST(an_empty_table_knows_nobody)
{
    make(16);
    ck_assert_ptr_null(find(1));
    expect_order(NULL, 0);
    free(memory);
}
END_TEST

START_TEST(a_full_table_takes_no_more)
{
    make(16);
    for (unsigned i = 0; i < 16; i++) {
        ck_assert_ptr_nonnull(add(i));
    }
    ck_assert_ptr_null(add(16));
    for (unsigned i = 0; i < 16; i++) {
        ck_assert_uint_eq(find(i)->value, i);
    }
    ck_assert_ptr_null(find(16));
    free(memory);
}
END_TEST

START_TEST(order_of_use_follows_add_and_touch)
{
    make(16);
    add(1);
    add(2);
    add(3);
    yk_table_touch(&table, find(1));
    expect_order((unsigned[]){2, 3, 1}, 3);
    yk_table_touch(&table, find(3));
    expect_order((unsigned[]){2, 1, 3}, 3);
    yk_table_touch(&table, find(3));
    expect_order((unsigned[]){2, 1, 3}, 3);
    free(memory);
}
END_TEST

START_TEST(a_removed_record_is_gone_and_comes_back_zeroed)
{
    make(3);
    add(1);
    add(2);
    add(3);
    yk_table_remove(&table, find(2));
    ck_assert_ptr_null(find(2));
    expect_order((unsigned[]){1, 3}, 2);
    yk_table_remove(&table, find(1));
    yk_table_remove(&table, find(3));
    expect_order(NULL, 0);
    add(4);
    add(5);
    add(6);
    ck_assert_ptr_null(add(7));
    expect_order((unsigned[]){4, 5, 6}, 3);
    free(memory);
}
END_TEST

START_TEST(untouched_memory_stays_untouched)
{
    size_t size = yk_table_memory(1024, sizeof(struct record));
    size_t written = 0;

    make(1024);
    add(1);
    for (size_t i = 0; i < size; i++) {
        written += memory[i] != 0;
    }
    ck_assert_uint_lt(written, sizeof(struct record) + sizeof(uint32_t));
    free(memory);
}
END_TEST

START_TEST(the_seed_changes_where_ids_fall)
{
    unsigned differ = 0;
    struct yk_table other;
    uint8_t *other_memory = calloc(1, yk_table_memory(64, sizeof(struct record)));

    ck_assert_ptr_nonnull(other_memory);
    make(64);
    yk_table_init(&other, other_memory, 64, sizeof(struct record), 43);
    for (unsigned i = 0; i < 64; i++) {
        struct yk_id id = id_of(i);

        add(i);
        ck_assert_ptr_nonnull(yk_table_add(&other, &id));
    }
    for (unsigned i = 0; i < 64; i++) {
        differ += table.buckets[i] != other.buckets[i];
    }
    ck_assert_uint_gt(differ, 32);
    free(other_memory);
    free(memory);
}
END_TEST

/* Against the plainest model: an array in order of use. */
START_TEST(any_history_agrees_with_a_plain_list)
{
    unsigned list[24];
    size_t count = 0;
    uint32_t random = 1;

    make(24);
    for (int step = 0; step < 20000; step++) {
        unsigned number = (random = random * 1664525 + 1013904223) >> 8 & 31;
        unsigned what = random >> 28;
        struct record *record = find(number);
        size_t at = 0;

        while (at < count && list[at] != number) {
            at++;
        }
        ck_assert((record != NULL) == (at < count));
        if (record == NULL) {
            ck_assert((add(number) != NULL) == (count < 24));
            if (count < 24) {
                list[count++] = number;
            }
            continue;
        }
        memmove(&list[at], &list[at + 1], (--count - at) * sizeof(list[0]));
        if (what < 8) {
            yk_table_remove(&table, record);
        } else {
            yk_table_touch(&table, record);
            list[count++] = number;
        }
        expect_order(list, count);
    }
    free(memory);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        an_empty_table_knows_nobody,          a_full_table_takes_no_more,
        order_of_use_follows_add_and_touch,   a_removed_record_is_gone_and_comes_back_zeroed,
        untouched_memory_stays_untouched,     the_seed_changes_where_ids_fall,
        any_history_agrees_with_a_plain_list, NULL,
    };

    return suite_main("table", tests);
}
