#include "core/protocol.h"

/* An unknown word is compared with all: sizes first. */
struct word {
    const char *text;
    size_t size;
};
#define WORD(id, word, meaning) {word, sizeof(word) - 1},

#define YK_TYPE WORD
static const struct word type_words[] = {
    {"", 0},
#include "core/protocol.def"
};
#undef YK_TYPE
#define YK_ROLE WORD
static const struct word role_words[] = {
    {"", 0},
#include "core/protocol.def"
};
#undef YK_ROLE
#define YK_KIND WORD
static const struct word kind_words[] = {
    {"", 0},
#include "core/protocol.def"
};
#undef YK_KIND
#define YK_STATE WORD
static const struct word state_words[] = {
    {"", 0},
#include "core/protocol.def"
};
#undef YK_STATE
#define YK_OP WORD
static const struct word op_words[] = {
    {"", 0},
#include "core/protocol.def"
};
#undef YK_OP
#define YK_REASON WORD
static const struct word reason_words[] = {
    {"", 0},
#include "core/protocol.def"
};
#undef YK_REASON
#define YK_EVENT WORD
#define YK_NOTE WORD
static const struct word event_words[] = {
    {"", 0},
#include "core/protocol.def"
};
#undef YK_NOTE
#undef YK_EVENT
#define YK_DROP WORD
static const struct word drop_words[] = {
    {"", 0},
#include "core/protocol.def"
};
#undef YK_DROP

/* How many events of the wire come before the notes. */
enum {
#define YK_EVENT(id, word, meaning) WIRE_EVENT_##id,
#include "core/protocol.def"
#undef YK_EVENT
    WIRE_EVENTS
};

#define COUNT(words) (sizeof(words) / sizeof((words)[0]))

static const char *word_of(const struct word *words, size_t count, size_t value)
{
    return value < count ? words[value].text : "";
}

/* The place of `word` in a list, or 0. */
static size_t value_of(const struct word *words, size_t count, struct yk_slice word)
{
    for (size_t i = 1; i < count; i++) {
        if (words[i].size == word.size && memcmp(words[i].text, word.data, word.size) == 0) {
            return i;
        }
    }
    return 0;
}

const char *yk_type_word(enum yk_type type)
{
    return word_of(type_words, COUNT(type_words), type);
}

const char *yk_role_word(enum yk_role role)
{
    return word_of(role_words, COUNT(role_words), role);
}

const char *yk_kind_word(enum yk_kind kind)
{
    return word_of(kind_words, COUNT(kind_words), kind);
}

const char *yk_state_word(enum yk_state state)
{
    return word_of(state_words, COUNT(state_words), state);
}

const char *yk_op_word(enum yk_op op)
{
    return word_of(op_words, COUNT(op_words), op);
}

const char *yk_reason_word(enum yk_reason reason)
{
    return word_of(reason_words, COUNT(reason_words), reason);
}

const char *yk_event_word(enum yk_event event)
{
    return word_of(event_words, COUNT(event_words), event);
}

const char *yk_drop_word(enum yk_drop drop)
{
    return word_of(drop_words, COUNT(drop_words), drop);
}

enum yk_type yk_type_parse(struct yk_slice word)
{
    return (enum yk_type)value_of(type_words, COUNT(type_words), word);
}

enum yk_role yk_role_parse(struct yk_slice word)
{
    return (enum yk_role)value_of(role_words, COUNT(role_words), word);
}

enum yk_kind yk_kind_parse(struct yk_slice word)
{
    return (enum yk_kind)value_of(kind_words, COUNT(kind_words), word);
}

enum yk_state yk_state_parse(struct yk_slice word)
{
    return (enum yk_state)value_of(state_words, COUNT(state_words), word);
}

enum yk_op yk_op_parse(struct yk_slice word)
{
    return (enum yk_op)value_of(op_words, COUNT(op_words), word);
}

enum yk_reason yk_reason_parse(struct yk_slice word)
{
    return (enum yk_reason)value_of(reason_words, COUNT(reason_words), word);
}

enum yk_event yk_event_parse(struct yk_slice word)
{
    return (enum yk_event)value_of(event_words, 1 + WIRE_EVENTS, word);
}
