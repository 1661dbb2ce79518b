/* members.h - reads one object of a configuration file: only known members, each of its type; every
 * refusal names place ("driver.interface"), value and remedy. `place` is the object's own, "" at the
 * top of the file. What is absent leaves `out` as it was. */
#ifndef YK_BASE_MEMBERS_H
#define YK_BASE_MEMBERS_H

#include <jansson.h>

#include "base/refusal.h"

#define YK_PLACE_MAX 256 /* bytes of a place in a refusal; longer ones are cut */
#define YK_SHOWN_MAX 80  /* bytes of a value in a refusal; longer ones are cut */

/* "place.name", or "name" at the top. */
void yk_place(char out[YK_PLACE_MAX], const char *place, const char *name);
/* Goes from a place to its member (`name`, of `size` bytes), or to its element where `name` is NULL.
 * Gives the length before, to cut the place back to. */
size_t yk_place_enter(char place[YK_PLACE_MAX], const char *name, size_t size, size_t index);
/* The value as it is spelled in JSON, in ASCII, cut with "..." when long. */
void yk_shown(char out[YK_SHOWN_MAX], const json_t *value);

/* False and `why` (with the nearest known name) when `object` is no object, or has a member whose
 * name is not one of `count` `known`. */
_Bool yk_members_check(const json_t *object, const char *place, const char *const *known,
                       size_t count, struct yk_refusal *why);
/* A member that must be an object. */
_Bool yk_member_object(const json_t *object, const char *place, const char *name, json_t **out,
                       struct yk_refusal *why);
/* A member that must be a string, not empty, of at most `most` bytes. `out` is borrowed. */
_Bool yk_member_string(const json_t *object, const char *place, const char *name, size_t most,
                       const char **out, struct yk_refusal *why);
/* A member that must be an integer of `least` to `most`. */
_Bool yk_member_integer(const json_t *object, const char *place, const char *name, json_int_t least,
                        json_int_t most, json_int_t *out, struct yk_refusal *why);
/* Refuses the absence of a required member; `remedy` completes "add ...". */
_Bool yk_member_missing(const char *place, const char *name, const char *remedy,
                        struct yk_refusal *why);

#endif
