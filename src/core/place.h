/* place.h - where an id's frames come from, and whether two senders use it (completions section 5).
 * It is said to people and changes no state. */
#ifndef YK_CORE_PLACE_H
#define YK_CORE_PLACE_H

#include "core/types.h"

/* Two senders count as one again when the frames have come from one of them for so long. */
#define YK_PLACE_MEMORY (60 * YK_SECOND)

struct yk_place {
    struct yk_address latest, former; /* port 0: none */
    yk_time moved;                    /* when `latest` took the place of `former` */
    bool is_two;                      /* its frames came from both in turn */
};

/* An accepted frame came from there. One change of address is a new lease; back to the former one
 * within YK_PEER_TIMEOUT is two senders. */
void yk_place_note(struct yk_place *place, struct yk_address from, yk_time now);

#endif
