/* pair_rig.h - one pairing or unpairing under test, with frames and times given. */
#ifndef YK_TESTS_PAIR_RIG_H
#define YK_TESTS_PAIR_RIG_H

#include <check.h>

#include "cli/operation.h"
#include "cli_rig.h"

#define PAIR_MEDIA "{\"group\":\"239.10.0.5\",\"port\":5004}"

struct pair_rig {
    struct cli_rig rig;
    struct yk_operation operation;
    unsigned tells; /* bits, of all that was told */
};

extern struct pair_rig pair;

/* Starts it, under the authors "op-first" and "op-second"; the second waits for the ack, 5 s. */
void pair_start(enum yk_op op, const char *consumer, const char *producer, enum yk_state wait,
                yk_time timeout);
void pair_start_pair(const char *consumer, const char *producer);

/* What is wanted now, when all was told. */
enum yk_want pair_next(void);
bool pair_was_told(enum yk_tell tell);

/* A frame for the knowledge and the operation. */
void pair_hear(struct yk_frame frame);
/* Lets time pass up to `until`; counts what is sent. */
unsigned pair_pass(yk_time until);
/* Begins anew with an idle consumer dec-1, "Room 3", of version 6 and a producer enc-1, "Lobby". */
void pair_room(void);
/* The consumer's ack of the version that was sent. */
void pair_answer(bool applied, enum yk_reason reason);

#define PAIR_ENDS_AS(wanted)                              \
    do {                                                  \
        ck_assert_int_eq(pair_next(), YK_WANT_NOTHING);   \
        ck_assert_int_eq(pair.operation.outcome, wanted); \
    } while (0)

#endif
