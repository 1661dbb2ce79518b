#include "shell/status.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "files.h"
#include "lib/suite.h"

static uv_loop_t loop;
static struct yk_status *server;
static struct yk_refusal why;
static size_t padding;
static unsigned described, closes;

static json_t *describe(void *owner)
{
    char *text = malloc(padding + 1);
    json_t *object;

    ck_assert_ptr_eq(owner, &loop);
    ck_assert_ptr_nonnull(text);
    memset(text, 'x', padding);
    text[padding] = 0;
    object = json_pack("{s:i,s:s,s:i,s:s}", "v", 1, "type", "status", "count", (int)++described,
                       "padding", text);
    free(text);
    return object;
}

static void closed(void *owner)
{
    ck_assert_ptr_eq(owner, &loop);
    closes++;
}

static void open_server(void)
{
    signal(SIGPIPE, SIG_IGN); /* as the agent does */
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    server = yk_status_open(&loop, files_path("sock"), &loop, describe, &why);
    ck_assert_msg(server != NULL, "%s", why.text);
}

static void close_server(void)
{
    yk_status_close(server, closed);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_uint_eq(closes, 1);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}

static int connect_client(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

    snprintf(address.sun_path, sizeof address.sun_path, "%s", files_path("sock"));
    ck_assert_int_eq(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

/* Everything the server says to a client, the loop being run meanwhile; -1: it says nothing. */
static ssize_t read_client(int fd)
{
    static char buffer[65536];
    ssize_t total = 0;

    for (int i = 0; i < 100000; i++) {
        ssize_t got = read(fd, buffer, sizeof buffer);

        if (got == 0) {
            return total;
        }
        if (got > 0) {
            total += got;
        }
        uv_run(&loop, UV_RUN_NOWAIT);
    }
    return -1;
}

struct asking {
    uv_work_t work;
    json_t *answer;
    int timeout_ms;
    char path[512];
};

static void ask(uv_work_t *work)
{
    struct asking *asking = work->data;

    asking->answer = yk_status_ask(asking->path, asking->timeout_ms);
}

static void asked(uv_work_t *work, int status)
{
    (void)work;
    (void)status;
    uv_stop(&loop);
}

/* Asks from another thread while the server's loop runs. */
static json_t *ask_server(int timeout_ms)
{
    static struct asking asking;

    asking.work.data = &asking;
    asking.timeout_ms = timeout_ms;
    snprintf(asking.path, sizeof asking.path, "%s", files_path("sock"));
    ck_assert_int_eq(uv_queue_work(&loop, &asking.work, ask, asked), 0);
    uv_run(&loop, UV_RUN_DEFAULT);
    return asking.answer;
}

START_TEST(each_connection_gets_one_new_object)
{
    open_server();
    for (int i = 1; i <= 3; i++) {
        json_t *answer = ask_server(5000);

        ck_assert_ptr_nonnull(answer);
        ck_assert_int_eq(json_integer_value(json_object_get(answer, "count")), i);
        json_decref(answer);
    }
    close_server();
}
END_TEST

START_TEST(an_answer_larger_than_any_buffer_arrives_whole)
{
    json_t *answer;

    padding = 1024 * 1024;
    open_server();
    answer = ask_server(10000);
    ck_assert_ptr_nonnull(answer);
    ck_assert_uint_eq(json_string_length(json_object_get(answer, "padding")), padding);
    json_decref(answer);
    close_server();
}
END_TEST

START_TEST(the_socket_is_for_owner_and_group_and_goes_with_the_server)
{
    struct stat facts;

    open_server();
    ck_assert_int_eq(stat(files_path("sock"), &facts), 0);
    ck_assert_uint_eq(facts.st_mode & 07777, 0660);
    close_server();
    ck_assert_uint_eq(files_count(), 0);
}
END_TEST

START_TEST(more_clients_than_the_bound_are_turned_away)
{
    int clients[YK_STATUS_CLIENTS_MAX], more;

    padding = 1024 * 1024; /* more than the kernel buffers: they stay */
    open_server();
    for (size_t i = 0; i < YK_STATUS_CLIENTS_MAX; i++) {
        clients[i] = connect_client();
        for (int turn = 0; turn < 10; turn++) {
            uv_run(&loop, UV_RUN_NOWAIT);
        }
    }
    ck_assert_uint_eq(described, YK_STATUS_CLIENTS_MAX);
    more = connect_client();
    ck_assert_int_eq(read_client(more), 0);
    ck_assert_uint_eq(described, YK_STATUS_CLIENTS_MAX);
    ck_assert_int_gt(read_client(clients[0]), (ssize_t)padding);
    ck_assert_int_gt(read_client(connect_client()), (ssize_t)padding);
    close_server();
}
END_TEST

START_TEST(a_client_that_leaves_early_harms_nobody)
{
    padding = 1024 * 1024;
    open_server();
    for (int i = 0; i < 3 * YK_STATUS_CLIENTS_MAX; i++) {
        close(connect_client());
        for (int turn = 0; turn < 10; turn++) {
            uv_run(&loop, UV_RUN_NOWAIT);
        }
    }
    ck_assert_int_gt(read_client(connect_client()), (ssize_t)padding);
    close_server();
}
END_TEST

START_TEST(closing_does_not_wait_for_slow_clients)
{
    padding = 1024 * 1024;
    open_server();
    connect_client();
    for (int turn = 0; turn < 10; turn++) {
        uv_run(&loop, UV_RUN_NOWAIT);
    }
    ck_assert_uint_eq(described, 1);
    close_server();
}
END_TEST

START_TEST(a_stale_socket_file_is_replaced)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    snprintf(address.sun_path, sizeof address.sun_path, "%s", files_path("sock"));
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    close(fd);
    open_server();
    close_server();
}
END_TEST

START_TEST(a_live_socket_or_another_file_is_left_alone)
{
    open_server();
    ck_assert_ptr_null(yk_status_open(&loop, files_path("sock"), &loop, describe, &why));
    ck_assert_ptr_nonnull(strstr(why.text, "another program"));
    ck_assert_int_eq(why.exit, YK_EXIT_CANNOT_MAKE);
    files_text("file", "x");
    ck_assert_ptr_null(yk_status_open(&loop, files_path("file"), &loop, describe, &why));
    ck_assert_ptr_nonnull(strstr(why.text, files_path("file")));
    ck_assert_ptr_null(yk_status_open(&loop, files_path("no/sock"), &loop, describe, &why));
    ck_assert_int_eq(access(files_path("file"), F_OK), 0);
    ck_assert_int_eq(access(files_path("sock"), F_OK), 0);
    close_server();
}
END_TEST

START_TEST(asking_nobody_gives_nothing)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    ck_assert_ptr_null(yk_status_ask(files_path("absent"), 1000));
    snprintf(address.sun_path, sizeof address.sun_path, "%s", files_path("silent"));
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    ck_assert_int_eq(listen(fd, 1), 0);
    ck_assert_ptr_null(yk_status_ask(files_path("silent"), 50));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        each_connection_gets_one_new_object,
        an_answer_larger_than_any_buffer_arrives_whole,
        the_socket_is_for_owner_and_group_and_goes_with_the_server,
        more_clients_than_the_bound_are_turned_away,
        a_client_that_leaves_early_harms_nobody,
        closing_does_not_wait_for_slow_clients,
        a_stale_socket_file_is_replaced,
        a_live_socket_or_another_file_is_left_alone,
        asking_nobody_gives_nothing,
        NULL,
    };

    return suite_main("status", tests);
}
