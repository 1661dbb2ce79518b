/* promises.h - what core/frame.h promises of a decoded frame, checked by every target that has one. */
#ifndef YK_TESTS_FUZZ_PROMISES_H
#define YK_TESTS_FUZZ_PROMISES_H

#include "core/frame.h"
#include "fuzz/fuzz.h"

/* When the receivers of the targets live: the time of the vectors. */
#define FUZZ_WALL_NS INT64_C(1796018523000000000)

/* Checks ids, versions, texts and opaque objects of a frame that was admitted. */
void fuzz_check_frame(const struct yk_frame *frame);
/* True when both frames say the same, text by its bytes. */
bool fuzz_frames_equal(const struct yk_frame *a, const struct yk_frame *b);
bool fuzz_id_is_valid(const struct yk_id *id);
/* "None" is accepted where `zero` allows the zero version. */
bool fuzz_version_is_valid(const struct yk_version *version, bool zero);
bool fuzz_pairing_is_valid(const struct yk_pairing *pairing);
bool fuzz_pairings_equal(const struct yk_pairing *a, const struct yk_pairing *b);
/* True for canonical JSON that is an object. */
bool fuzz_is_object(struct yk_slice text);

#endif
