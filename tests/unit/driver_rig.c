#include "driver_rig.h"

#include <check.h>
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct yk_driver_site rig_consumer = {.role = YK_ROLE_CONSUMER,
                                            .kind = YK_KIND_HDMI,
                                            .node_id = "dec-1",
                                            .control_group = {239, 121, 111, 107}};
const struct yk_driver_site rig_producer = {.role = YK_ROLE_PRODUCER,
                                            .kind = YK_KIND_HDMI,
                                            .node_id = "enc-1",
                                            .control_group = {239, 121, 111, 107}};

static void take_report(void *host, uint64_t generation, enum yk_report status, const char *detail)
{
    struct driver_rig *rig = host;

    ck_assert_uint_eq(generation, rig->generation);
    rig->reports++;
    rig->status = status;
    rig->was_active |= status == YK_REPORT_ACTIVE;
    snprintf(rig->detail, sizeof rig->detail, "%s", detail);
}

__attribute__((format(printf, 3, 4))) static void take_log(void *host, enum yk_log_level level,
                                                           const char *format, ...)
{
    struct driver_rig *rig = host;
    size_t used = strlen(rig->log);
    va_list arguments;

    (void)level;
    va_start(arguments, format);
    vsnprintf(rig->log + used, sizeof rig->log - used, format, arguments);
    va_end(arguments);
}

static void take_closed(void *host)
{
    struct driver_rig *rig = host;

    rig->closed = true;
}

void rig_open(struct driver_rig *rig, const struct yk_driver_ops *ops, const char *config,
              const struct yk_driver_site *site)
{
    struct yk_driver_env env = {
        .site = *site, .loop = &rig->loop, .host = rig, .report = take_report, .log = take_log};
    struct yk_refusal why = {.text = ""};
    json_t *parsed = json_loads(config, 0, NULL);

    memset(rig, 0, sizeof *rig);
    ck_assert_int_eq(uv_loop_init(&rig->loop), 0);
    rig->ops = ops;
    rig->self = ops->parse(parsed, site, &why);
    json_decref(parsed);
    ck_assert_msg(rig->self != NULL, "%s", why.text);
    ck_assert_msg(ops->open(rig->self, &env, &why), "%s", why.text);
}

void rig_close(struct driver_rig *rig)
{
    rig->ops->close(rig->self, take_closed);
    uv_run(&rig->loop, UV_RUN_DEFAULT); /* ends when no handle is left */
    ck_assert(rig->closed);
    ck_assert_int_eq(uv_loop_close(&rig->loop), 0);
    rig->ops->free(rig->self);
}

void rig_attach(struct driver_rig *rig, const char *media)
{
    /* A copy of exactly that size, so that reading beyond it is found. */
    struct yk_slice text = yk_slice_of(media);
    uint8_t *bytes = malloc(text.size + 1);

    ck_assert_ptr_nonnull(bytes);
    memcpy(bytes, text.data, text.size);
    rig->ops->attach(rig->self, ++rig->generation, (struct yk_slice){bytes, text.size});
    free(bytes);
}

void rig_detach(struct driver_rig *rig, enum yk_detach_reason reason)
{
    rig->ops->detach(rig->self, ++rig->generation, reason);
}

static void set_flag(uv_timer_t *timer)
{
    *(bool *)timer->data = true;
}

bool rig_wait_report(struct driver_rig *rig, unsigned ms)
{
    unsigned before = rig->reports;
    bool late = false;
    uv_timer_t limit;

    uv_timer_init(&rig->loop, &limit);
    limit.data = &late;
    uv_timer_start(&limit, set_flag, ms, 0);
    while (!late && rig->reports == before) {
        uv_run(&rig->loop, UV_RUN_ONCE);
    }
    uv_close((uv_handle_t *)&limit, NULL);
    uv_run(&rig->loop, UV_RUN_NOWAIT); /* the timer's end; it lives on our stack */
    return rig->reports != before;
}

void rig_wait(struct driver_rig *rig, enum yk_report status)
{
    while (rig->reports == 0 || rig->status != status) {
        ck_assert_msg(rig_wait_report(rig, RIG_WAIT_MS), "no report; last was %d: %s", rig->status,
                      rig->detail);
    }
}

enum yk_report rig_poll(struct driver_rig *rig)
{
    unsigned before = rig->reports;

    rig->ops->poll(rig->self);
    ck_assert_uint_eq(rig->reports, before + 1);
    return rig->status;
}

const char *rig_refusal(const struct yk_driver_ops *ops, const char *config)
{
    static struct yk_refusal why;
    json_t *parsed = json_loads(config, 0, NULL);

    ck_assert_ptr_nonnull(parsed);
    ck_assert_ptr_null(ops->parse(parsed, &rig_consumer, &why));
    json_decref(parsed);
    ck_assert_int_eq(why.exit, YK_EXIT_CONFIG);
    return why.text;
}

unsigned rig_descriptors(void)
{
    DIR *directory = opendir("/proc/self/fd");
    unsigned count = 0;

    ck_assert_ptr_nonnull(directory);
    while (readdir(directory) != NULL) {
        count++;
    }
    closedir(directory);
    return count;
}
