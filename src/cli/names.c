#include "cli/names.h"

#include <string.h>

#include "base/nearest.h"
#include "cli/say.h"
#include "core/json.h"

static void list_node(struct yk_names *found, const struct yk_id *id)
{
    size_t listed = found->count < YK_NAMES_LISTED_MAX ? found->count : YK_NAMES_LISTED_MAX;
    size_t at = listed;

    while (at > 0 && yk_id_compare(id, &found->nodes[at - 1]) < 0) {
        at--;
    }
    found->count++;
    if (at == YK_NAMES_LISTED_MAX) {
        return;
    }
    if (listed == YK_NAMES_LISTED_MAX) {
        listed--;
    }
    memmove(&found->nodes[at + 1], &found->nodes[at], (listed - at) * sizeof found->nodes[0]);
    found->nodes[at] = *id;
}

static void find_name(const struct yk_peers *peers, struct yk_slice name, bool live,
                      struct yk_names *found)
{
    const struct yk_peer *peer = NULL;
    struct yk_peer_text text;

    while ((peer = yk_peers_next(peers, peer)) != NULL) {
        if (peer->name_size != name.size || (peer->presence == YK_PRESENCE_LIVE) != live) {
            continue;
        }
        yk_peers_text(peers, peer, &text);
        if (yk_slice_equal(text.name, name)) {
            list_node(found, &peer->entry.id);
        }
    }
}

void yk_names_find(const struct yk_peers *peers, const char *word, struct yk_names *found)
{
    struct yk_slice name = yk_slice_of(word);
    struct yk_id id;

    memset(found, 0, sizeof *found);
    found->match = YK_MATCH_NONE;
    if (yk_id_parse(&id, name) && yk_peers_find(peers, &id) != NULL) {
        found->match = YK_MATCH_ID;
        list_node(found, &id);
        return;
    }
    find_name(peers, name, true, found);
    if (found->count == 0) {
        find_name(peers, name, false, found);
    }
    if (found->count > 0) {
        found->match = found->count == 1 ? YK_MATCH_NAME : YK_MATCH_AMBIGUOUS;
    }
}

bool yk_names_nearest(const struct yk_peers *peers, const char *word, enum yk_role role,
                      struct yk_id *id, char *name)
{
    const struct yk_peer *peer = NULL;
    char spelled[YK_NAME_BYTES_MAX + 1];
    struct yk_peer_text text;
    bool any = false;

    while ((peer = yk_peers_next(peers, peer)) != NULL) {
        /* The best so far stands first, so that it wins where both are equally near. */
        const char *known[3];
        size_t count = 0;
        const char *nearest;

        if (peer->role != role) {
            continue;
        }
        yk_peers_text(peers, peer, &text);
        yk_plain(spelled, sizeof spelled, text.name);
        if (any) {
            known[count++] = name;
        }
        known[count++] = peer->entry.id.text;
        known[count++] = spelled;
        nearest = yk_nearest(word, known, count);
        if (nearest != NULL && nearest != name) {
            any = true;
            *id = peer->entry.id;
            strcpy(name, nearest);
        }
    }
    return any;
}

bool yk_names_possible(const char *word)
{
    struct yk_slice text = yk_slice_of(word);
    size_t points;

    return text.size > 0 && yk_utf8_valid(text, &points) && points <= YK_NAME_MAX;
}
