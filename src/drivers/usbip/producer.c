/* The producer: looks at its devices, asks the binder for the next step, does it in the pool, and
 * announces what is bound. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/atomic.h"
#include "base/interface.h"
#include "base/members.h"
#include "drivers/usbip/binder_journal.h"
#include "drivers/usbip/binder_sysfs.h"
#include "drivers/usbip/missing.h"
#include "drivers/usbip/producer_words.h"
#include "drivers/usbip/seen.h"
#include "drivers/usbip/side.h"

#define LONGEST_HOST "255.255.255.255"
#define CLOSE_LIMIT_MS 3000
#define SETTLE_MS 100 /* a reset takes two or three of them */

struct producer {
    struct yk_usbip_settings settings;
    const char *node_id, *control_interface;
    const struct yk_usbip_places *places;
    struct yk_driver_env env;
    uint64_t generation;
    char longest[YK_FRAME_MAX]; /* media */
    char media[YK_FRAME_MAX];   /* announced last; "": none */
    char boot_id[YK_USBIP_BOOT_ID_MAX + 1];
    struct yk_refusal trouble; /* with the journal; text "": none */
    bool loaded;               /* the journal was read */
    struct yk_usbip_binder binder;
    struct yk_usbip_view view;
    struct yk_usbip_store store;
    struct {
        uv_work_t work;
        bool busy;
        enum yk_usbip_step step;
        struct yk_usbip_item *item;
        int error;
    } act;
    struct yk_process *daemon;          /* NULL: none of ours */
    char daemon_end[YK_USBIP_SAID_MAX]; /* how the last one ended; "": it did not */
    bool answered;                      /* the call of this generation has its report */
    enum yk_report status;              /* reported last, with that text */
    char text[YK_USBIP_SAID_MAX];
    uv_timer_t again; /* while a device is being reset */
    uv_timer_t limit; /* of closing */
    unsigned handles; /* not closed yet */
    bool out_of_time;
    void (*closed)(void *host); /* set while closing */
};

static void drive(struct producer *self);

/* ---- media */

/* The address that consumers reach; "" while there is none. */
static void find_host(const struct producer *self, char host[INET_ADDRSTRLEN])
{
    struct yk_refusal why;
    struct in_addr address, group;
    int ifindex;

    snprintf(host, INET_ADDRSTRLEN, "%s", self->settings.host);
    if (host[0] != 0) {
        return;
    }
    memcpy(&group, self->env.site.control_group, sizeof group);
    if (yk_interface_find(self->control_interface, &ifindex, &address, &why) &&
        (ifindex != 0 || yk_interface_towards(group, &ifindex, &address)) && address.s_addr != 0) {
        inet_ntop(AF_INET, &address, host, INET_ADDRSTRLEN);
    }
}

static struct yk_usbip_facts facts_of(const struct producer *self, const char *host)
{
    return (struct yk_usbip_facts){.settings = &self->settings,
                                   .binder = &self->binder,
                                   .view = &self->view,
                                   .host = host,
                                   .interface = self->control_interface,
                                   .trouble = self->trouble.text,
                                   .loaded = self->loaded,
                                   .daemon = self->daemon,
                                   .daemon_end = self->daemon_end};
}

static void announce(struct producer *self, const struct yk_usbip_facts *facts)
{
    char media[YK_FRAME_MAX] = "";

    if (self->binder.on && facts->host[0] != 0) {
        yk_usbip_say_media(media, facts, false);
    }
    if (strcmp(media, self->media) != 0) {
        memcpy(self->media, media, sizeof media);
        self->env.announce(self->env.host, media);
    }
}

/* ---- saying it */

static bool is_working(const struct producer *self)
{
    return self->act.busy || self->store.busy;
}

static void report(struct producer *self, enum yk_report status, const char text[YK_USBIP_SAID_MAX])
{
    self->answered = true;
    self->status = status;
    memcpy(self->text, text, YK_USBIP_SAID_MAX);
    self->env.report(self->env.host, self->generation, status, self->text);
}

/* Says what is new; `again`: whatever it is. */
static void tell(struct producer *self, bool again)
{
    char host[INET_ADDRSTRLEN], text[YK_USBIP_SAID_MAX];
    enum yk_report status = YK_REPORT_PENDING;
    struct yk_usbip_facts facts;
    bool waits = is_working(self) || yk_usbip_binder_is_unsettled(&self->binder);

    if (self->answered && yk_usbip_binder_is_unsettled(&self->binder)) {
        if (again) {
            report(self, self->status, self->text);
        }
        return;
    }
    find_host(self, host);
    facts = facts_of(self, host);
    announce(self, &facts);
    if (!self->binder.on) {
        if (!yk_usbip_say_release(&facts, &status, text)) {
            if (!again) {
                return;
            }
            status = YK_REPORT_PENDING;
            yk_usbip_append(text, "", "giving the devices back");
        }
    } else {
        yk_usbip_say_problem(&facts, text, &waits);
        if (waits) {
            text[0] = 0;
            yk_usbip_append(text, "",
                            self->act.busy || self->store.busy ? "binding the devices"
                                                               : "usbipd is being asked");
        } else if (text[0] != 0) {
            status = YK_REPORT_ERROR;
        } else {
            status = YK_REPORT_ACTIVE;
            yk_usbip_say_evidence(&facts, text);
        }
    }
    if (again || !self->answered || status != self->status || strcmp(text, self->text) != 0) {
        report(self, status, text);
    }
}

/* ---- doing it */

static void act(uv_work_t *work)
{
    struct producer *self = work->data;

    self->act.error = yk_usbip_binder_act(self->act.step, self->act.item->busid, self->places);
}

static void say_step(const struct producer *self)
{
    static const char *const words[] = {[YK_USBIP_BIND] = "bound", [YK_USBIP_UNBIND] = "unbound"};
    const char *word = self->act.step < sizeof words / sizeof *words ? words[self->act.step] : NULL;

    if (self->act.error != 0) {
        char text[YK_USBIP_SAID_MAX];

        if (yk_usbip_item_problem(&self->binder, self->act.item, text, sizeof text)) {
            self->env.log(self->env.host, YK_LOG_WARNING, "%s", text);
        }
    } else if (word != NULL) {
        self->env.log(self->env.host, YK_LOG_INFO, "%s: %s", self->act.item->busid, word);
    }
}

static void acted(uv_work_t *work, int status)
{
    struct producer *self = work->data;

    (void)status;
    self->act.busy = false;
    yk_usbip_binder_done(&self->binder, self->act.item, self->act.step, self->act.error);
    say_step(self);
    drive(self);
}

static void saved(void *owner, const char *cause)
{
    struct producer *self = owner;

    if (cause[0] != 0) {
        self->binder.dirty = self->binder.unwritable = true;
        yk_refuse(&self->trouble, YK_EXIT_CONFIG,
                  "journal_file %.100s: %.60s; nothing is bound until it can be written",
                  self->settings.journal_file, cause);
    }
    drive(self);
}

static void start_step(struct producer *self, enum yk_usbip_step step, struct yk_usbip_item *item)
{
    if (step == YK_USBIP_KEEP) {
        self->binder.dirty = false; /* what changes from now on makes it so again */
        yk_usbip_store_save(&self->store, self->env.loop,
                            yk_usbip_binder_encode(&self->binder, self->node_id, self->boot_id));
        return;
    }
    self->act.busy = true;
    self->act.step = step;
    self->act.item = item;
    self->act.work.data = self;
    uv_queue_work(self->env.loop, &self->act.work, act, acted); /* fails only without a function */
}

static void look(struct producer *self)
{
    yk_usbip_binder_look(&self->binder, self->places);
    yk_usbip_binder_see(&self->binder, self->env.is_paired(self->env.host), uv_hrtime());
}

static void on_again(uv_timer_t *timer)
{
    drive(timer->data);
}

/* Goes on until something is under way, or nothing is left to do. */
static void go_on(struct producer *self)
{
    struct yk_usbip_item *item = NULL;
    enum yk_usbip_step step;

    if (is_working(self)) {
        return;
    }
    look(self);
    if (yk_usbip_binder_is_unsettled(&self->binder)) {
        uv_timer_start(&self->again, on_again, SETTLE_MS, 0);
    }
    if (!self->loaded) {
        return;
    }
    step = yk_usbip_binder_next(&self->binder, &item);
    if (step != YK_USBIP_REST) {
        start_step(self, step, item);
    }
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct producer *self = handle->data;

    if (--self->handles == 0) {
        self->closed(self->env.host);
    }
}

static void close_when_done(struct producer *self)
{
    struct yk_usbip_facts facts = facts_of(self, "");
    enum yk_report status;
    char text[YK_USBIP_SAID_MAX];

    if (is_working(self) || self->view.tool != NULL || self->daemon != NULL ||
        uv_is_closing((uv_handle_t *)&self->limit)) {
        return;
    }
    if (self->out_of_time || yk_usbip_say_release(&facts, &status, text)) {
        self->handles = 2;
        uv_close((uv_handle_t *)&self->limit, on_timer_closed);
        uv_close((uv_handle_t *)&self->again, on_timer_closed);
    }
}

static void drive(struct producer *self)
{
    go_on(self);
    if (self->binder.on && self->closed == NULL) {
        yk_usbip_view_update(&self->view, self->env.loop, uv_hrtime());
    }
    if (self->closed == NULL) {
        tell(self, false);
    } else {
        close_when_done(self);
    }
}

static void view_seen(void *owner)
{
    drive(owner);
}

/* ---- usbipd of our own */

static void daemon_event(void *owner, enum yk_process_event event, const char *text)
{
    struct producer *self = owner;

    if (event == YK_PROCESS_ENDED) {
        self->env.log(self->env.host, self->binder.on ? YK_LOG_WARNING : YK_LOG_INFO, "%s", text);
        self->daemon = NULL;
        snprintf(self->daemon_end, sizeof self->daemon_end, "%s", text);
    } else if (event == YK_PROCESS_OVERDUE && self->closed != NULL) {
        yk_process_abandon(self->daemon);
        return;
    }
    self->view.answered = false; /* it shows what another one did not, or nothing any more */
    drive(self);
}

static void settle_daemon(struct producer *self)
{
    char port[8];
    const char *argv[] = {self->places->daemon, "--tcp-port", port, NULL};
    struct yk_refusal why;

    if (!self->settings.usbipd || self->daemon != NULL) {
        return;
    }
    snprintf(port, sizeof port, "%u", self->settings.port);
    self->daemon = yk_process_start(self->env.loop, argv, self, daemon_event, &why);
    if (self->daemon == NULL) {
        snprintf(self->daemon_end, sizeof self->daemon_end, "%.*s", YK_USBIP_SAID_MAX - 1,
                 why.text);
    }
}

static void end_daemon(struct producer *self)
{
    if (self->daemon != NULL) {
        yk_process_stop(self->daemon);
    }
}

/* ---- what the host asks */

/* Until the journal is read, nobody knows what is ours. */
static void load(struct producer *self)
{
    char cause[YK_USBIP_CAUSE_MAX];

    self->trouble.text[0] = 0;
    if (self->loaded) {
        return;
    }
    if (!yk_usbip_boot_id(self->boot_id, self->places, cause)) {
        yk_refuse(&self->trouble, YK_EXIT_CONFIG, "%s", cause);
        return;
    }
    if (!yk_usbip_binder_load(&self->binder, self->settings.journal_file, self->node_id,
                              self->boot_id, &self->trouble)) {
        return;
    }
    self->trouble.text[0] = 0;
    self->loaded = true;
    self->binder.reclaim = self->settings.reclaim;
    for (size_t i = 0; i < self->settings.count; i++) {
        const struct yk_usbip_export *one = &self->settings.exports[i];

        yk_usbip_binder_want(&self->binder, one->busid, &one->identity); /* there is room */
    }
}

static void begin(struct producer *self, uint64_t generation, bool on)
{
    self->generation = generation;
    self->answered = false;
    load(self);
    if (on) {
        settle_daemon(self);
    } else {
        end_daemon(self);
        yk_usbip_view_stop(&self->view);
    }
    yk_usbip_binder_begin(&self->binder, on);
    drive(self);
}

static void attach(void *context, uint64_t generation, struct yk_slice media)
{
    (void)media; /* it is ours */
    begin(context, generation, true);
}

static void detach(void *context, uint64_t generation, enum yk_detach_reason reason)
{
    (void)reason;
    begin(context, generation, false);
}

static void poll_driver(void *context)
{
    struct producer *self = context;

    go_on(self);
    if (self->binder.on) {
        yk_usbip_view_update(&self->view, self->env.loop, uv_hrtime());
    }
    tell(self, true);
}

static bool open_driver(void *context, const struct yk_driver_env *env, struct yk_refusal *why)
{
    struct producer *self = context;

    (void)why;
    self->env = *env;
    uv_timer_init(env->loop, &self->limit); /* cannot fail */
    uv_timer_init(env->loop, &self->again);
    self->limit.data = self->again.data = self;
    yk_usbip_store_init(&self->store, self->settings.journal_file, self, saved);
    yk_usbip_view_init(&self->view, self->places, self->settings.port, &self->binder, self,
                       view_seen);
    yk_atomic_sweep(self->settings.journal_file);
    load(self);
    return true;
}

static void on_limit(uv_timer_t *timer)
{
    struct producer *self = timer->data;

    self->out_of_time = true;
    close_when_done(self);
}

static void close_driver(void *context, void (*closed)(void *host))
{
    struct producer *self = context;

    self->closed = closed;
    uv_timer_start(&self->limit, on_limit, CLOSE_LIMIT_MS, 0);
    begin(self, self->generation, false);
}

static void *parse(json_t *config, const struct yk_driver_site *site, struct yk_refusal *why)
{
    struct producer *self = calloc(1, sizeof *self);

    if (self == NULL) {
        yk_refuse(why, YK_EXIT_INTERNAL, "driver: out of memory; free some");
        return NULL;
    }
    self->node_id = site->node_id;
    self->control_interface = site->control_interface;
    self->places = &yk_usbip_places;
    if (!yk_usbip_settings_parse(&self->settings, config, site, why)) {
        free(self);
        return NULL;
    }
    return self;
}

static bool check_media(void *context, json_t *media, struct yk_refusal *why)
{
    struct producer *self = context;

    return yk_usbip_settings_media(&self->settings, media, why);
}

static const char *longest_media(void *context)
{
    struct producer *self = context;
    struct yk_usbip_facts facts =
        facts_of(self, self->settings.host[0] != 0 ? self->settings.host : LONGEST_HOST);

    yk_usbip_say_media(self->longest, &facts, true);
    return self->longest;
}

static void survey(void *context, void (*note)(const char *line))
{
    struct producer *self = context;

    yk_usbip_say_missing(self->places, YK_ROLE_PRODUCER, note);
}

static void use_places(void *context, const struct yk_usbip_places *places)
{
    struct producer *self = context;

    self->places = places;
}

static void free_driver(void *context)
{
    free(context);
}

const struct yk_usbip_side yk_usbip_producer = {
    .ops =
        {
            .name = "usbip",
            .parse = parse,
            .check_media = check_media,
            .longest_media = longest_media,
            .survey = survey,
            .open = open_driver,
            .attach = attach,
            .detach = detach,
            .poll = poll_driver,
            .close = close_driver,
            .free = free_driver,
        },
    .use_places = use_places,
};
