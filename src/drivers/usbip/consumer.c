/* The consumer: looks, asks the reconciler for the next action, and does it. Never blocks the loop:
 * the tool is a process, the journal is written in the pool. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/members.h"
#include "drivers/usbip/lock.h"
#include "drivers/usbip/missing.h"
#include "drivers/usbip/reconcile.h"
#include "drivers/usbip/side.h"
#include "drivers/usbip/store.h"

#define LOCK_AGAIN_MS 100
#define ACTIONS_MAX 64 /* without a pause; what is left is done a moment later */
#define CLOSE_LIMIT_MS 3000
#define PORT_TEXT_MAX 8
#define NS_PER_S INT64_C(1000000000)

struct consumer {
    char journal_file[YK_USBIP_PATH_MAX];
    const char *node_id;
    const struct yk_usbip_places *places;
    struct yk_driver_env env;
    uint64_t generation;
    char boot_id[YK_USBIP_BOOT_ID_MAX + 1];
    struct yk_refusal trouble; /* text "": the journal was read */
    struct yk_refusal refused; /* text "": the media can be served */
    struct yk_usbip_mind mind;
    struct yk_usbip_seen seen; /* of the last look */
    struct yk_usbip_store store;
    struct yk_usbip_tool *tool; /* NULL: none runs */
    enum yk_usbip_do tool_does;
    struct yk_usbip_target target; /* of the tool */
    int lock;                      /* -1: not ours */
    uv_timer_t timer;
    bool answered;         /* the call of this generation has its report */
    enum yk_report status; /* reported last, with that text */
    char text[YK_USBIP_TEXT_MAX];
    void (*closed)(void *host); /* set while closing */
    uint64_t close_by;          /* uv_hrtime */
};

static void drive(struct consumer *self);

static void *parse(json_t *config, const struct yk_driver_site *site, struct yk_refusal *why)
{
    static const char *const known[] = {"type", "journal_file"};
    struct consumer *self = calloc(1, sizeof *self);

    if (self == NULL) {
        yk_refuse(why, YK_EXIT_INTERNAL, "driver: out of memory; free some");
        return NULL;
    }
    self->node_id = site->node_id;
    self->places = &yk_usbip_places;
    self->lock = -1;
    if (!yk_members_check(config, "driver", known, sizeof known / sizeof known[0], why) ||
        !yk_usbip_journal_path(self->journal_file, sizeof self->journal_file, config, site, why)) {
        free(self);
        return NULL;
    }
    return self;
}

static bool check_media(void *context, json_t *media, struct yk_refusal *why)
{
    (void)context;
    return yk_usbip_media_check(media, why);
}

static void survey(void *context, void (*note)(const char *line))
{
    struct consumer *self = context;

    yk_usbip_say_missing(self->places, YK_ROLE_CONSUMER, note);
}

static void use_places(void *context, const struct yk_usbip_places *places)
{
    struct consumer *self = context;

    self->places = places;
}

/* ---- saying it */

static void report(struct consumer *self, enum yk_report status, const char text[YK_USBIP_TEXT_MAX])
{
    self->answered = true;
    self->status = status;
    memcpy(self->text, text, sizeof self->text);
    self->env.report(self->env.host, self->generation, status, self->text);
}

/* Says what is new. That it works on a release is not said: it answers when that is certain. */
static void tell(struct consumer *self, bool again)
{
    char text[YK_USBIP_TEXT_MAX];
    enum yk_report status;

    if (self->closed != NULL) {
        return;
    }
    status = yk_usbip_verdict(&self->mind, &self->seen, text);
    if (self->trouble.text[0] != 0 || (self->refused.text[0] != 0 && status == YK_REPORT_IDLE)) {
        const struct yk_refusal *why = self->trouble.text[0] != 0 ? &self->trouble : &self->refused;

        status = YK_REPORT_ERROR;
        snprintf(text, sizeof text, "%.*s", (int)sizeof text - 1, why->text);
    }
    if (!again && self->mind.wanted.count == 0 && status == YK_REPORT_PENDING) {
        return;
    }
    if (again || !self->answered || status != self->status || strcmp(text, self->text) != 0) {
        report(self, status, text);
    }
}

static void log_line(void *owner, const char *line)
{
    struct consumer *self = owner;

    self->env.log(self->env.host, YK_LOG_WARNING, "%s", line);
}

/* ---- doing it */

static void let_lock_go(struct consumer *self)
{
    if (self->lock >= 0) {
        close(self->lock);
        self->lock = -1;
    }
}

static void tool_ended(void *owner, const struct yk_usbip_end *end)
{
    struct consumer *self = owner;
    struct yk_usbip_outcome outcome;

    self->tool = NULL;
    if (self->tool_does == YK_USBIP_LIST) {
        yk_usbip_listed(&self->mind, end->output);
    } else {
        yk_usbip_outcome_read(&outcome, end, &self->target);
        yk_usbip_attached(&self->mind, &outcome);
    }
    if (end->way == YK_USBIP_STUCK) {
        let_lock_go(self); /* the tool keeps it */
    }
    drive(self);
}

/* The options stand before the command, or they are not understood; a port that is wrong would be
 * ignored, so it was checked. */
static void start_tool(struct consumer *self, const struct yk_usbip_action *action)
{
    char port[YK_USBIP_PORT_TEXT_MAX];
    const struct yk_usbip_target *target = action->target;
    const char *attach[] = {self->places->tool, "--tcp-port", port,          "attach", "-r",
                            target->host,       "-b",         target->busid, NULL};
    const char *list[] = {self->places->tool, "--tcp-port", port, "list", "-r", target->host, NULL};
    bool is_list = action->what == YK_USBIP_LIST;
    struct yk_refusal why;

    self->target = *target;
    self->tool_does = action->what;
    yk_usbip_port_text(port, target);
    self->tool = yk_usbip_tool_start(self->env.loop, is_list ? list : attach,
                                     is_list ? YK_USBIP_LIST_LIMIT_MS : YK_USBIP_ATTACH_LIMIT_MS,
                                     self->lock, self, tool_ended, &why);
    if (self->tool == NULL && is_list) {
        yk_usbip_listed(&self->mind, (struct yk_slice){NULL, 0});
    } else if (self->tool == NULL) {
        struct yk_usbip_outcome outcome = {.transient = false};

        snprintf(outcome.text, sizeof outcome.text, "%.*s", (int)sizeof outcome.text - 1, why.text);
        yk_usbip_attached(&self->mind, &outcome);
    }
}

/* The kernel's own door: it needs no tool, which refuses all ports when one of them is in a bad way,
 * and takes only numbers of 8 bits. */
static void detach_port(struct consumer *self, unsigned port)
{
    char path[PATH_MAX], text[PORT_TEXT_MAX];
    int fd, size;

    snprintf(path, sizeof path, "%s/detach", self->places->vhci);
    size = snprintf(text, sizeof text, "%u", port);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, text, (size_t)size) != size) {
        self->env.log(self->env.host, YK_LOG_WARNING, "%s: port %u: %s", path, port,
                      strerror(errno));
    }
    if (fd >= 0) {
        close(fd);
    }
}

static void unlink_record(struct consumer *self, const struct yk_usbip_action *action)
{
    char path[PATH_MAX];
    struct stat facts;
    struct yk_usbip_stamp stamp;

    snprintf(path, sizeof path, "%s/port%u", self->places->records, action->port);
    if (lstat(path, &facts) != 0) {
        return;
    }
    stamp.inode = facts.st_ino;
    stamp.mtime_ns = facts.st_mtim.tv_sec * NS_PER_S + facts.st_mtim.tv_nsec;
    if (yk_usbip_stamp_equal(&stamp, &action->stamp)) {
        unlink(path);
    }
}

static void on_timer(uv_timer_t *timer)
{
    drive(timer->data);
}

static void wait_ms(struct consumer *self, uint64_t ms)
{
    uv_timer_start(&self->timer, on_timer, ms, 0);
}

static void save(struct consumer *self)
{
    yk_usbip_store_save(&self->store, self->env.loop,
                        yk_usbip_journal_encode(&self->mind.journal, self->node_id, self->boot_id));
}

static bool take_lock(struct consumer *self)
{
    self->lock = yk_usbip_lock_take(self->places->lock);
    if (self->lock < 0 && errno != EWOULDBLOCK) {
        yk_usbip_no_lock(&self->mind, self->places->lock, strerror(errno));
    }
    return self->lock >= 0;
}

/* True when there may be more to do at once. */
static bool perform(struct consumer *self, const struct yk_usbip_action *action)
{
    uint64_t now = uv_hrtime();

    switch (action->what) {
    case YK_USBIP_WAIT:
        if (action->until != YK_TIME_NEVER) {
            wait_ms(self, action->until > now ? (action->until - now + YK_MS - 1) / YK_MS : 0);
        }
        return false;
    case YK_USBIP_SAVE:
        save(self);
        return false;
    case YK_USBIP_LOCK:
        if (!take_lock(self)) {
            wait_ms(self, LOCK_AGAIN_MS);
            return false;
        }
        return true;
    case YK_USBIP_ATTACH:
    case YK_USBIP_LIST:
        start_tool(self, action);
        return self->tool == NULL;
    case YK_USBIP_DETACH:
        detach_port(self, action->port);
        return true;
    case YK_USBIP_UNLINK:
        unlink_record(self, action);
        return true;
    }
    return false;
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct consumer *self = handle->data;

    self->closed(self->env.host);
}

static void close_when_done(struct consumer *self)
{
    char text[YK_USBIP_TEXT_MAX];

    if (self->tool != NULL || self->store.busy || uv_is_closing((uv_handle_t *)&self->timer) != 0) {
        return;
    }
    if (self->trouble.text[0] != 0 || uv_hrtime() >= self->close_by ||
        yk_usbip_verdict(&self->mind, &self->seen, text) != YK_REPORT_PENDING) {
        let_lock_go(self);
        uv_close((uv_handle_t *)&self->timer, on_timer_closed);
    } else if (uv_is_active((uv_handle_t *)&self->timer) == 0) {
        wait_ms(self, LOCK_AGAIN_MS);
    }
}

/* Is there anything to look after? A host on which nothing is wanted is left in peace. */
static bool is_at_rest(const struct consumer *self)
{
    return self->mind.wanted.count == 0 && self->mind.journal.count == 0 && !self->mind.dirty;
}

static void go_on(struct consumer *self)
{
    for (unsigned i = 0; self->tool == NULL && !self->store.busy && !is_at_rest(self); i++) {
        struct yk_usbip_action action;

        if (i == ACTIONS_MAX) {
            wait_ms(self, YK_USBIP_LOOK / YK_MS);
            return;
        }
        yk_usbip_look(&self->seen, self->places);
        action = yk_usbip_next(&self->mind, &self->seen, self->lock >= 0, uv_hrtime());
        if (!action.keep_lock) {
            let_lock_go(self);
        }
        if (!perform(self, &action)) {
            return;
        }
    }
    if (is_at_rest(self)) {
        let_lock_go(self);
    }
}

static void drive(struct consumer *self)
{
    uv_timer_stop(&self->timer);
    if (self->trouble.text[0] == 0) {
        go_on(self);
    }
    tell(self, false);
    if (self->closed != NULL) {
        close_when_done(self);
    }
}

static void saved(void *owner, const char *cause)
{
    struct consumer *self = owner;

    yk_usbip_saved(&self->mind, self->journal_file, cause, uv_hrtime());
    drive(self);
}

/* ---- what the host asks */

/* Until the journal is read, nobody knows what is ours. */
static void load(struct consumer *self)
{
    struct yk_usbip_journal *journal = malloc(sizeof *journal);
    char cause[YK_USBIP_CAUSE_MAX];

    self->trouble.text[0] = 0;
    if (journal == NULL) {
        yk_refuse(&self->trouble, YK_EXIT_INTERNAL, "out of memory; free some");
    } else if (!yk_usbip_boot_id(self->boot_id, self->places, cause)) {
        yk_refuse(&self->trouble, YK_EXIT_CONFIG, "%s", cause);
    } else if (yk_usbip_journal_load(journal, self->journal_file, self->node_id, self->boot_id,
                                     &self->trouble)) {
        yk_usbip_mind_init(&self->mind, journal, (unsigned)uv_hrtime(), self, log_line);
    }
    free(journal);
}

static bool open_driver(void *context, const struct yk_driver_env *env, struct yk_refusal *why)
{
    struct consumer *self = context;

    (void)why;
    self->env = *env;
    uv_timer_init(env->loop, &self->timer); /* cannot fail */
    self->timer.data = self;
    yk_usbip_store_init(&self->store, self->journal_file, self, saved);
    yk_atomic_sweep(self->journal_file);
    load(self);
    return true;
}

static void want(struct consumer *self, uint64_t generation, const struct yk_usbip_media *media)
{
    self->generation = generation;
    self->answered = false;
    if (self->trouble.text[0] != 0) {
        load(self);
    }
    yk_usbip_want(&self->mind, media, uv_hrtime());
    if (self->tool != NULL && !yk_usbip_media_has(media, &self->target)) {
        yk_usbip_tool_stop(self->tool);
    }
    drive(self);
}

static void attach(void *context, uint64_t generation, struct yk_slice json)
{
    struct consumer *self = context;
    struct yk_usbip_media media;

    self->refused.text[0] = 0;
    (void)yk_usbip_media_read(&media, json, &self->refused); /* refused ones are none */
    want(self, generation, &media);
}

static void detach(void *context, uint64_t generation, enum yk_detach_reason reason)
{
    static const struct yk_usbip_media nothing;
    struct consumer *self = context;

    (void)reason; /* whichever: what is ours goes, and what follows waits for that */
    self->refused.text[0] = 0;
    want(self, generation, &nothing);
}

static void poll_driver(void *context)
{
    struct consumer *self = context;

    self->answered = true; /* said below, once */
    if (self->trouble.text[0] == 0) {
        go_on(self);
    }
    tell(self, true);
}

static void close_driver(void *context, void (*closed)(void *host))
{
    struct consumer *self = context;

    self->closed = closed;
    self->close_by = uv_hrtime() + CLOSE_LIMIT_MS * YK_MS;
    detach(self, self->generation, YK_DETACH_STOP);
}

const struct yk_usbip_side yk_usbip_consumer = {
    .ops =
        {
            .parse = parse,
            .check_media = check_media,
            .survey = survey,
            .open = open_driver,
            .attach = attach,
            .detach = detach,
            .poll = poll_driver,
            .close = close_driver,
            .free = free,
        },
    .use_places = use_places,
};
