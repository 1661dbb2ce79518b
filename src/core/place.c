#include "core/place.h"

void yk_place_note(struct yk_place *place, struct yk_address from, yk_time now)
{
    if (place->latest.port == 0) {
        place->latest = from;
        return;
    }
    if (memcmp(place->latest.ip, from.ip, sizeof from.ip) == 0) {
        place->is_two = place->is_two && now - place->moved < YK_PLACE_MEMORY;
        return;
    }
    if (place->former.port != 0 && memcmp(place->former.ip, from.ip, sizeof from.ip) == 0 &&
        now - place->moved <= YK_PEER_TIMEOUT) {
        place->is_two = true;
    }
    place->former = place->latest;
    place->latest = from;
    place->moved = now;
}
