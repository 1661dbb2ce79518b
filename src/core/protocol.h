/* protocol.h - protocol.def as enums and names. Every enum starts at 1: 0 is "not on the list". */
#ifndef YK_CORE_PROTOCOL_H
#define YK_CORE_PROTOCOL_H

#include "core/types.h"

#define YK_TYPE(id, word, meaning) YK_TYPE_##id,
enum yk_type {
    YK_TYPE_NONE,
#include "core/protocol.def"
    YK_TYPE_END
};
#undef YK_TYPE
#define YK_ROLE(id, word, meaning) YK_ROLE_##id,
enum yk_role {
    YK_ROLE_NONE,
#include "core/protocol.def"
    YK_ROLE_END
};
#undef YK_ROLE
#define YK_KIND(id, word, meaning) YK_KIND_##id,
enum yk_kind {
    YK_KIND_NONE,
#include "core/protocol.def"
    YK_KIND_END
};
#undef YK_KIND
#define YK_STATE(id, word, meaning) YK_STATE_##id,
enum yk_state {
    YK_STATE_NONE,
#include "core/protocol.def"
    YK_STATE_END
};
#undef YK_STATE
#define YK_OP(id, word, meaning) YK_OP_##id,
enum yk_op {
    YK_OP_NONE,
#include "core/protocol.def"
    YK_OP_END
};
#undef YK_OP
#define YK_REASON(id, word, meaning) YK_REASON_##id,
enum yk_reason {
    YK_REASON_NONE,
#include "core/protocol.def"
    YK_REASON_END
};
#undef YK_REASON
/* Events of the wire first, then the notes that only the local log knows. */
#define YK_EVENT(id, word, meaning) YK_EVENT_##id,
#define YK_NOTE(id, word, meaning) YK_NOTE_##id,
enum yk_event {
    YK_EVENT_NONE,
#include "core/protocol.def"
    YK_EVENT_END
};
#undef YK_EVENT
#undef YK_NOTE
/* YK_DROP_NONE: accepted. YK_DROP_DUP is the last and not part of rx-drop. */
#define YK_DROP(id, word, meaning) YK_DROP_##id,
enum yk_drop {
    YK_DROP_NONE,
#include "core/protocol.def"
    YK_DROP_END
};
#undef YK_DROP

/* The word for a value; "" for one that is not on the list. */
const char *yk_type_word(enum yk_type type);
const char *yk_role_word(enum yk_role role);
const char *yk_kind_word(enum yk_kind kind);
const char *yk_state_word(enum yk_state state);
const char *yk_op_word(enum yk_op op);
const char *yk_reason_word(enum yk_reason reason);
const char *yk_event_word(enum yk_event event);
const char *yk_drop_word(enum yk_drop drop);

/* The value for a word; 0 (…_NONE) when it is not on the list. Notes are not events here. */
enum yk_type yk_type_parse(struct yk_slice word);
enum yk_role yk_role_parse(struct yk_slice word);
enum yk_kind yk_kind_parse(struct yk_slice word);
enum yk_state yk_state_parse(struct yk_slice word);
enum yk_op yk_op_parse(struct yk_slice word);
enum yk_reason yk_reason_parse(struct yk_slice word);
enum yk_event yk_event_parse(struct yk_slice word);

#endif
