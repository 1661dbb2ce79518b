/* face_json.h - frames and changes as JSON, for lines on standard output and whoever else passes
 * them on. Original data is kept. */
#ifndef YK_SNOOPER_FACE_JSON_H
#define YK_SNOOPER_FACE_JSON_H

#include "core/json.h"
#include "snooper/snoop.h"

/* Room for one object: a frame's canonical spelling, or its raw bytes in hex, and what is around. */
#define YK_SNOOP_LINE_MAX (YK_CANONICAL_MAX + 8 * YK_FRAME_MAX)

/* The whole object, without a line end, into `bytes`. */
struct yk_slice yk_frame_json(uint8_t bytes[YK_SNOOP_LINE_MAX], struct yk_moment at,
                              const struct yk_heard_frame *heard);
struct yk_slice yk_change_json(uint8_t bytes[YK_SNOOP_LINE_MAX], const struct yk_snoop *snoop,
                               struct yk_moment at, const struct yk_change *change);

/* The members of a change, in an object that is open. */
void yk_change_members(struct yk_json_writer *line, const struct yk_snoop *snoop,
                       struct yk_moment at, const struct yk_change *change);
/* Those of an operation. */
void yk_trail_members(struct yk_json_writer *line, const struct yk_trail *trail, yk_time now);
/* The member "time". */
void yk_moment_json(struct yk_json_writer *line, struct yk_moment at);

extern const struct yk_face yk_face_json;

#endif
