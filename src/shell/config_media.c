#include "shell/config_media.h"

#include <stdlib.h>
#include <string.h>

#include "base/members.h"
#include "core/json.h"

/* Where media stands in a frame: the frame is level 1, its body 2. */
#define MEDIA_LEVEL 3

/* The walk's place in the media, grown and cut back with the recursion. */
struct walk {
    char place[YK_PLACE_MAX];
    struct yk_refusal *why;
};

static bool check_value(struct walk *walk, json_t *value, unsigned level);

static bool check_members(struct walk *walk, json_t *object, unsigned level)
{
    const char *name;
    json_t *member;

    json_object_foreach(object, name, member)
    {
        size_t before = yk_place_enter(walk->place, name, strlen(name), 0);

        if (!check_value(walk, member, level + 1)) {
            return false;
        }
        walk->place[before] = 0;
    }
    return true;
}

static bool check_elements(struct walk *walk, json_t *array, unsigned level)
{
    size_t index;
    json_t *element;

    json_array_foreach(array, index, element)
    {
        size_t before = yk_place_enter(walk->place, NULL, 0, index);

        if (!check_value(walk, element, level + 1)) {
            return false;
        }
        walk->place[before] = 0;
    }
    return true;
}

/* `level` is that of `value`, should it be a container. Bounded by YK_DEPTH_MAX. */
static bool check_value(struct walk *walk, json_t *value, unsigned level)
{
    char shown[YK_SHOWN_MAX];

    if (json_is_real(value)) {
        yk_shown(shown, value);
        return yk_refuse(walk->why, YK_EXIT_CONFIG,
                         "%s: %s is no integer, and announcements carry no other numbers; write an "
                         "integer or a string",
                         walk->place, shown);
    }
    if (!json_is_object(value) && !json_is_array(value)) {
        return true;
    }
    if (level > YK_DEPTH_MAX) {
        return yk_refuse(walk->why, YK_EXIT_CONFIG,
                         "%s: nested %u levels deep, and media may have %u; make it flatter",
                         walk->place, level - MEDIA_LEVEL + 1, YK_DEPTH_MAX - MEDIA_LEVEL + 1);
    }
    return json_is_object(value) ? check_members(walk, value, level)
                                 : check_elements(walk, value, level);
}

static bool refuse_size(size_t size, struct yk_refusal *why)
{
    return yk_refuse(why, YK_EXIT_CONFIG,
                     "media: %zu bytes, and a frame has %d for everything; shorten it", size,
                     YK_FRAME_MAX);
}

/* The core's own spelling, so that what is announced is what the wire's rules say. */
static bool spell(struct yk_config *config, json_t *media, struct yk_refusal *why)
{
    char *text = json_dumps(media, JSON_COMPACT);
    struct yk_json *json = malloc(sizeof *json);
    bool ok = false;

    if (text == NULL || json == NULL) {
        yk_refuse(why, YK_EXIT_INTERNAL, "media: out of memory; free some and start again");
    } else if (strlen(text) > YK_FRAME_MAX) {
        refuse_size(strlen(text), why);
    } else if (!yk_json_index(json, yk_slice_of(text))) {
        yk_refuse(why, YK_EXIT_CONFIG, "media: cannot be put on the wire; simplify it");
    } else {
        config->media_size = yk_json_canonicalise(json, config->media, sizeof config->media);
        ok = config->media_size > 0 || refuse_size(strlen(text), why);
    }
    free(json);
    free(text);
    return ok;
}

bool yk_config_set_media(struct yk_config *config, json_t *media, struct yk_refusal *why)
{
    struct walk walk = {.place = "media", .why = why};
    char shown[YK_SHOWN_MAX];

    config->media_size = 0;
    if (media == NULL || json_is_null(media)) {
        media = json_null();
    } else if (config->site.role == YK_ROLE_CONSUMER) {
        yk_shown(shown, media);
        return yk_refuse(
            why, YK_EXIT_CONFIG,
            "media: %s on a consumer, which shows the media of its producer; remove it", shown);
    } else if (!json_is_object(media)) {
        yk_shown(shown, media);
        return yk_refuse(why, YK_EXIT_CONFIG, "media: %s is no object; write an object or null",
                         shown);
    } else if (!check_value(&walk, media, MEDIA_LEVEL) || !spell(config, media, why)) {
        return false;
    }
    return config->site.role == YK_ROLE_CONSUMER ||
           config->driver->check_media(config->driver_self, media, why);
}
