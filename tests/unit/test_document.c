#include "base/document.h"

#include <stdbool.h>

#include "lib/suite.h"

static json_error_t error;

static bool parses(const char *text, size_t size)
{
    json_t *document = yk_document_parse(text, size, &error);
    bool ok = document != NULL;

    json_decref(document);
    return ok;
}

#define PARSES(literal) parses(literal, sizeof(literal) - 1)

START_TEST(a_document_is_read)
{
    ck_assert(PARSES("{\"a\":[1,2.5,null,true,\"x\"]}"));
    ck_assert(PARSES(" [ ] \n"));
}
END_TEST

START_TEST(a_key_twice_is_refused_with_its_place)
{
    ck_assert(!PARSES("{\"a\":1,\n\"a\":2}"));
    ck_assert_int_eq(error.line, 2);
}
END_TEST

START_TEST(a_zero_byte_is_refused_wherever_it_stands)
{
    ck_assert(!PARSES("{\"a\":5\0}"));
    ck_assert(!PARSES("[true\0]"));
    ck_assert(!PARSES("[\"x\"\0]"));
    ck_assert(!PARSES("[]\0"));
    ck_assert(!PARSES("\0[]"));
    ck_assert(!PARSES("[\"\0\"]"));
}
END_TEST

START_TEST(a_zero_byte_is_named_with_line_and_column)
{
    ck_assert(!PARSES("{\n\"a\":5\0}"));
    ck_assert_str_eq(error.text, "a zero byte");
    ck_assert_int_eq(error.line, 2);
    ck_assert_int_eq(error.column, 6);
    ck_assert(!PARSES("\n\0"));
    ck_assert_int_eq(error.line, 2);
    ck_assert_int_eq(error.column, 1);
    ck_assert(!PARSES("\0"));
    ck_assert_int_eq(error.line, 1);
    ck_assert_int_eq(error.column, 1);
}
END_TEST

START_TEST(nothing_is_no_document)
{
    ck_assert(!parses("", 0));
    ck_assert(!parses(NULL, 0));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {a_document_is_read,
                                  a_key_twice_is_refused_with_its_place,
                                  a_zero_byte_is_refused_wherever_it_stands,
                                  a_zero_byte_is_named_with_line_and_column,
                                  nothing_is_no_document,
                                  NULL};

    return suite_main("document", tests);
}
