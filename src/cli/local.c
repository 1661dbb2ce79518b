#include "cli/local.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/node_parse.h"
#include "cli/say.h"
#include "shell/status.h"

/* One node as an agent knows it. */
struct report {
    struct yk_node_parsed node;
    size_t order; /* keeps equal ages in the order they came in */
};

/* All that agents report, to be learned in the order of time. */
struct reports {
    struct report *list;
    size_t count;
    size_t capacity;
};

static bool is_ours(const struct yk_site *site, const json_t *status)
{
    char group[16];
    const uint8_t *bytes = site->network.group;
    const char *theirs = json_string_value(json_object_get(status, "group"));

    snprintf(group, sizeof group, "%u.%u.%u.%u", bytes[0], bytes[1], bytes[2], bytes[3]);
    return theirs != NULL && strcmp(theirs, group) == 0 &&
           json_integer_value(json_object_get(status, "port")) == site->network.port;
}

static bool has_our_key(struct yk_site *site, const json_t *status)
{
    const char *key = json_string_value(json_object_get(status, "key"));

    key = key != NULL ? key : "";
    if (strcmp(key, site->auth.key.fingerprint) == 0) {
        return true;
    }
    site->stranger = true;
    snprintf(site->stranger_key, sizeof site->stranger_key, "%s", key);
    return false;
}

static void add_report(struct reports *reports, const json_t *object)
{
    struct report *report;

    if (reports->count == reports->capacity) {
        size_t capacity = 2 * reports->capacity + 64;
        struct report *list = realloc(reports->list, capacity * sizeof *list);

        if (list == NULL) {
            return;
        }
        reports->list = list;
        reports->capacity = capacity;
    }
    report = &reports->list[reports->count];
    if (yk_node_parse(&report->node, object)) {
        report->order = reports->count++;
    }
}

/* That the site is open was said when it was opened. */
static bool is_said(const struct yk_site *site, const char *warning)
{
    return site->open && strncmp(warning, "OPEN", 4) == 0;
}

static void add_warnings(struct yk_local *local, const struct yk_site *site, const json_t *status)
{
    const json_t *id = json_object_get(status, "id");
    const json_t *warnings = json_object_get(status, "warnings");
    size_t count = json_array_size(warnings);

    for (size_t i = 0; i < count && local->warning_count < YK_LOCAL_WARNINGS_MAX; i++) {
        const char *text = json_string_value(json_array_get(warnings, i));
        char *line;

        if (text != NULL && !is_said(site, text) &&
            asprintf(&line, "agent %s: %s", json_is_string(id) ? json_string_value(id) : "?",
                     text) >= 0) {
            local->warnings[local->warning_count++] = line;
        }
    }
}

static void adopt_interface(struct yk_site *site, const json_t *status)
{
    const char *interface = json_string_value(json_object_get(status, "interface"));
    struct yk_refusal why;

    if (!site->interface_given && interface != NULL) {
        yk_network_set_interface(&site->network, interface, "interface", &why);
    }
}

static void learn_intents(struct yk_site *site, const json_t *status, yk_time now)
{
    const json_t *intents = json_object_get(status, "intents");

    for (size_t i = 0; i < json_array_size(intents); i++) {
        struct yk_frame frame;

        if (yk_intent_parse(&frame, json_array_get(intents, i))) {
            yk_knowledge_learn(&site->knowledge, &frame, (struct yk_address){0}, "", now);
        }
    }
}

static void take_text(char *out, size_t capacity, const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    snprintf(out, capacity, "%s", text != NULL ? text : "");
}

static yk_time take_time(const json_t *object, const char *name)
{
    json_int_t ms = json_integer_value(json_object_get(object, name));

    return ms > 0 ? (yk_time)ms * YK_MS : 0;
}

static void take_querier(struct yk_querier_seen *seen, const json_t *querier)
{
    const json_t *heard = json_object_get(querier, "heard");

    seen->known = json_is_object(querier);
    seen->heard = json_is_object(heard);
    take_text(seen->interface, sizeof seen->interface, querier, "interface");
    take_text(seen->unheard, sizeof seen->unheard, querier, "unheard");
    take_text(seen->address, sizeof seen->address, heard, "address");
    seen->listened = take_time(querier, "listened_ms");
    seen->version = (int)json_integer_value(json_object_get(heard, "version"));
    seen->age = take_time(heard, "age_ms");
}

/* No more than were asked. */
static void add_agent(struct yk_local *local, const json_t *status)
{
    struct yk_local_agent *agent = &local->list[local->agents++];
    const char *id = json_string_value(json_object_get(status, "id"));
    const json_t *retry = json_object_get(status, "retry_ms");

    yk_id_parse(&agent->id, yk_slice_of(id != NULL ? id : ""));
    take_text(agent->version, sizeof agent->version, status, "version");
    take_text(agent->commit, sizeof agent->commit, status, "commit");
    take_querier(&agent->querier, json_object_get(status, "querier"));
    agent->retry_ms = json_is_integer(retry) ? json_integer_value(retry) : -1;
}

static void take_status(struct yk_local *local, struct yk_site *site, struct reports *reports,
                        const json_t *status, yk_time now)
{
    const json_t *nodes = json_object_get(status, "nodes");
    const json_t *up = json_object_get(status, "up_ms");

    add_agent(local, status);
    if (json_is_integer(up) && json_integer_value(up) > 0 &&
        (yk_time)json_integer_value(up) * YK_MS > local->up_longest) {
        local->up_longest = (yk_time)json_integer_value(up) * YK_MS;
    }
    adopt_interface(site, status);
    add_warnings(local, site, status);
    add_report(reports, json_object_get(status, "self"));
    for (size_t i = 0; i < json_array_size(nodes); i++) {
        add_report(reports, json_array_get(nodes, i));
    }
    learn_intents(site, status, now);
}

static int oldest_first(const void *a, const void *b)
{
    const struct report *left = a, *right = b;

    if (left->node.age != right->node.age) {
        return left->node.age > right->node.age ? -1 : 1;
    }
    return left->order < right->order ? -1 : 1;
}

static void learn_reports(struct yk_site *site, struct reports *reports, yk_time now)
{
    qsort(reports->list, reports->count, sizeof *reports->list, oldest_first);
    for (size_t i = 0; i < reports->count; i++) {
        struct yk_node_parsed *node = &reports->list[i].node;
        struct yk_frame bye = {.type = YK_TYPE_BYE, .origin = node->frame.origin};

        yk_knowledge_learn(&site->knowledge, &node->frame, node->address, node->key,
                           node->age < now ? now - node->age : 0);
        if (node->has_clock) {
            yk_knowledge_clock(&site->knowledge, &node->frame.origin, node->clock_ahead_ms);
        }
        if (node->also_at.ip[0] != 0) {
            yk_knowledge_two(&site->knowledge, &node->frame.origin, node->address.ip,
                             node->also_at.ip, now);
        }
        if (!node->live && node->age < YK_PEER_TIMEOUT) {
            yk_knowledge_learn(&site->knowledge, &bye, node->address, node->key, now);
        }
        free(node->media);
    }
    yk_knowledge_expire(&site->knowledge, now);
}

/* The answers in hand; their texts are borrowed by the reports. */
struct answers {
    json_t *list[YK_LOCAL_AGENTS_MAX];
    size_t count;
    unsigned asked;
};

/* Again while the agent answers others. */
static json_t *ask_in_turn(const char *path, yk_time until)
{
    const struct timespec pause = {.tv_nsec = YK_LOCAL_PAUSE};
    json_t *status = yk_status_ask(path, YK_LOCAL_ANSWER_MS);

    while (status == NULL && errno == EBUSY && yk_site_now() < until) {
        nanosleep(&pause, NULL);
        status = yk_status_ask(path, YK_LOCAL_ANSWER_MS);
    }
    return status;
}

static void ask(struct answers *answers, const char *path, yk_time until)
{
    yk_time now = yk_site_now();
    json_t *status;

    if (answers->asked == YK_LOCAL_AGENTS_MAX || now >= until) {
        return;
    }
    answers->asked++;
    /* One that hangs takes the time of a few others, not of all. */
    status = ask_in_turn(path, now + YK_LOCAL_ANSWER_MS * YK_MS);
    if (status != NULL) {
        answers->list[answers->count++] = status;
    }
}

static bool is_socket_name(const char *name)
{
    size_t size = strlen(name);

    return size > 5 && strcmp(name + size - 5, ".sock") == 0;
}

static void ask_all(struct answers *answers, const struct yk_site *site, yk_time until)
{
    DIR *directory = opendir(YK_STATUS_DIRECTORY);
    struct dirent *entry;

    if (site->status_socket[0] != '\0') {
        ask(answers, site->status_socket, until);
    }
    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        char path[YK_PATH_MAX];

        snprintf(path, sizeof path, YK_STATUS_DIRECTORY "/%s", entry->d_name);
        if (is_socket_name(entry->d_name) && strcmp(path, site->status_socket) != 0) {
            ask(answers, path, until);
        }
    }
    if (directory != NULL) {
        closedir(directory);
    }
}

void yk_local_learn(struct yk_local *local, struct yk_site *site)
{
    struct answers answers = {.count = 0};
    struct reports reports = {.list = NULL};
    yk_time now;

    memset(local, 0, sizeof *local);
    ask_all(&answers, site, yk_site_now() + YK_LOCAL_BUDGET);
    now = yk_site_now();
    for (size_t i = 0; i < answers.count; i++) {
        if (is_ours(site, answers.list[i]) && has_our_key(site, answers.list[i])) {
            take_status(local, site, &reports, answers.list[i], now);
        }
    }
    if (reports.count > 0) {
        learn_reports(site, &reports, now);
    }
    free(reports.list);
    for (size_t i = 0; i < answers.count; i++) {
        json_decref(answers.list[i]);
    }
    site->knowledge.complete = local->agents > 0 && local->up_longest >= YK_KNOWLEDGE_LISTEN;
}

void yk_local_print_versions(const struct yk_local *local, FILE *out)
{
    for (unsigned i = 0; i < local->agents; i++) {
        const struct yk_local_agent *agent = &local->list[i];

        yk_print(out, "agent %s on this host: yoke %s, commit %s", agent->id.text, agent->version,
                 agent->commit);
    }
}

void yk_local_say_warnings(const struct yk_local *local)
{
    for (size_t i = 0; i < local->warning_count; i++) {
        yk_say("%s", local->warnings[i]);
    }
}

void yk_local_fini(struct yk_local *local)
{
    for (size_t i = 0; i < local->warning_count; i++) {
        free(local->warnings[i]);
    }
    local->warning_count = 0;
}
