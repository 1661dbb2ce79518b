#include "shell/reload.h"

#include <stdlib.h>
#include <string.h>

#include "base/members.h"
#include "shell/key.h"
#include "shell/log.h"

/* Members at the top that are followed at once. */
static const char *const live[] = {"psk_file", "psk_file_next", "log_level", "on_change"};

void yk_reload_init(struct yk_reload *reload, const char *path, const struct yk_config *config,
                    bool level_is_held)
{
    reload->path = path;
    reload->level_is_held = level_is_held;
    reload->in_force = json_deep_copy(config->document);
}

void yk_reload_fini(struct yk_reload *reload)
{
    json_decref(reload->in_force);
}

static bool is_live(const char *name)
{
    for (size_t i = 0; i < sizeof live / sizeof *live; i++) {
        if (strcmp(name, live[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void say_left(const char *place)
{
    yk_log(YK_LOG_WARNING,
           "%s: changed in the configuration, which takes a restart; left as it was", place);
}

/* Says of a member whether the new one is another; objects are looked into, one level down. */
static void compare(const char *place, const char *name, const json_t *old, const json_t *new)
{
    char full[YK_PLACE_MAX];
    const char *inner;
    json_t *member;

    yk_place(full, place, name);
    if (json_equal(old, new)) {
        return;
    }
    if (place[0] != 0 || !json_is_object(old) || !json_is_object(new)) {
        say_left(full);
        return;
    }
    json_object_foreach((json_t *)new, inner, member)
    {
        compare(name, inner, json_object_get(old, inner), member);
    }
    json_object_foreach((json_t *)old, inner, member)
    {
        if (json_object_get(new, inner) == NULL) {
            compare(name, inner, member, NULL);
        }
    }
}

/* Names what is left, and takes over what is followed. */
static void take_document(struct yk_reload *reload, json_t *fresh)
{
    const char *name;
    json_t *member;

    json_object_foreach(fresh, name, member)
    {
        if (!is_live(name)) {
            compare("", name, json_object_get(reload->in_force, name), member);
        }
    }
    json_object_foreach(reload->in_force, name, member)
    {
        if (!is_live(name) && json_object_get(fresh, name) == NULL) {
            compare("", name, member, NULL);
        }
    }
    for (size_t i = 0; i < sizeof live / sizeof *live; i++) {
        member = json_object_get(fresh, live[i]);
        if (member != NULL) {
            json_object_set(reload->in_force, live[i], member);
        } else {
            json_object_del(reload->in_force, live[i]);
        }
    }
}

static void warn(const char *line)
{
    yk_log(YK_LOG_WARNING, "%s", line);
}

static const char *name_of(const struct yk_key *key, const char *otherwise)
{
    return key->set ? key->fingerprint : otherwise;
}

static bool take(struct yk_reload *reload, struct yk_config *config, struct yk_auth *auth,
                 struct yk_refusal *why)
{
    struct yk_auth fresh;

    if (!yk_key_load(&fresh, config->psk_file, config->psk_file_next, warn, why)) {
        return false;
    }
    yk_key_guard(auth, warn);
    *auth = fresh;
    yk_auth_fini(&fresh);
    if (!reload->level_is_held) {
        yk_log_set_level(config->log_level);
    }
    take_document(reload, config->document);
    yk_log(YK_LOG_INFO, "configuration read anew: key %s, second key %s%s",
           name_of(&auth->key, "OPEN"), name_of(&auth->next, "none"),
           auth->key.set ? "" : "; anybody on this network can switch");
    return true;
}

bool yk_reload(struct yk_reload *reload, struct yk_auth *auth)
{
    struct yk_config *config = calloc(1, sizeof *config);
    struct yk_refusal why;
    bool good =
        config != NULL && reload->path != NULL && yk_config_load(config, reload->path, &why);

    if (good) {
        good = take(reload, config, auth, &why);
        yk_config_fini(config);
    } else if (config == NULL) {
        yk_refuse(&why, YK_EXIT_INTERNAL, "memory: none left; free some and reload again");
    } else if (reload->path == NULL) {
        yk_refuse(&why, YK_EXIT_INTERNAL, "no configuration file; restart to change it");
    }
    if (!good) {
        yk_log(YK_LOG_ERROR, "reload: %s; nothing was changed", why.text);
    }
    free(config);
    return good;
}
