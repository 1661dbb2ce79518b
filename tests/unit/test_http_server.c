/* The server as its users have it: the module, loaded, with documents and a stream made for the test. */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/module.h"
#include "http/http.h"
#include "lib/suite.h"

#define LIMIT_MS 20000 /* for what has to happen, on a busy machine */
#define LARGE (16 * 1024 * 1024)
#define TEXT_MAX 4096 /* of an answer that is looked at */

static const struct yk_http_table *table;
static struct yk_http *http;
static struct yk_endpoint endpoint;
static struct yk_refusal why;
static unsigned makings, news_count;
static bool fails;

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Busy, as real work is. */
static void work(unsigned ms)
{
    uint64_t end = now_ms() + ms;

    while (now_ms() < end) {}
}

/* ---- content */

static bool make_short(void *owner, FILE *out, struct yk_http_making *making)
{
    (void)owner;
    makings++;
    fprintf(out, "making %u", makings);
    making->done = true;
    return !fails;
}

/* Ten parts of several milliseconds each. */
static bool make_slow(void *owner, FILE *out, struct yk_http_making *making)
{
    (void)owner;
    makings += making->part == 0 ? 1 : 0;
    work(5);
    fprintf(out, "%u,", making->part);
    making->done = ++making->part == 10;
    return !(fails && making->part == 5);
}

static bool make_large(void *owner, FILE *out, struct yk_http_making *making)
{
    static char block[1024 * 1024];

    (void)owner;
    makings += making->part == 0 ? 1 : 0;
    fwrite(block, 1, sizeof block, out);
    making->done = ++making->part == LARGE / sizeof block;
    return true;
}

static void begin_stream(void *owner, struct yk_http_cursor *cursor, const char *after)
{
    (void)owner;
    *cursor = (struct yk_http_cursor){.event = after != NULL ? (uint64_t)atoi(after) : news_count};
}

static size_t read_stream(void *owner, struct yk_http_cursor *cursor, char *out)
{
    (void)owner;
    return cursor->event == news_count
               ? 0
               : (size_t)sprintf(out, "data: %u\n\n", (unsigned)++cursor->event);
}

static const char page[] = "a page";
static const struct yk_http_file files[] = {{"/", "text/plain", page, page + sizeof page - 1}};
static const struct yk_http_document documents[] = {{"/short", "text/plain", make_short},
                                                    {"/slow", "text/plain", make_slow},
                                                    {"/large", "text/plain", make_large}};
static const struct yk_http_content content = {.files = files,
                                               .file_count = 1,
                                               .documents = documents,
                                               .document_count = 3,
                                               .stream_path = "/news",
                                               .stream_begin = begin_stream,
                                               .stream_read = read_stream};

/* ---- the rig */

static void start(void)
{
    char path[1024];
    ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);

    ck_assert_int_gt(size, 0);
    path[size] = 0;
    *strrchr(path, '/') = 0; /* the program's folder, and the one around it */
    snprintf(strrchr(path, '/'), 32, "/yoke-http.so");
    table = yk_module_load(path, sizeof *table, &why);
    ck_assert_msg(table != NULL, "%s", why.text);
    ck_assert(yk_endpoint_parse(&endpoint, "0", "test", YK_EXIT_USAGE, &why));
    http = table->open(&content, &endpoint, "test", &why);
    ck_assert_msg(http != NULL, "%s", why.text);
    endpoint = table->endpoint(http);
    ck_assert_uint_ne(endpoint.port, 0);
}

/* One turn, when the server wants one within the time. */
static void turn(int ms)
{
    struct pollfd wanted = {.fd = table->descriptor(http), .events = POLLIN};

    if (poll(&wanted, 1, ms) > 0) {
        table->run(http);
    }
}

static int ask(const char *path)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(endpoint.port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), small = 4096;
    char request[256];
    int size = snprintf(request, sizeof request, "GET %s HTTP/1.0\r\n\r\n", path);

    memcpy(&address.sin_addr, endpoint.ip, 4);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    ck_assert_int_eq(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    ck_assert_int_eq(send(fd, request, (size_t)size, 0), size);
    return fd;
}

/* What comes until the connection ends or, where it is not NULL, until `last` has come; without the
 * headers' bytes. */
static const char *answer_until(int fd, const char *last)
{
    static char text[TEXT_MAX];
    uint64_t end = now_ms() + LIMIT_MS;
    size_t used = 0;
    ssize_t size = -1;

    text[0] = 0;
    while (size != 0 && (last == NULL || strstr(text, last) == NULL)) {
        ck_assert_msg(now_ms() < end, "only this came: %s", text);
        size = recv(fd, text + used, sizeof text - 1 - used, MSG_DONTWAIT);
        ck_assert(size >= 0 || errno == EAGAIN || errno == ECONNRESET);
        if (size < 0 && errno == ECONNRESET) {
            break;
        }
        used += size > 0 ? (size_t)size : 0;
        text[used] = 0;
        if (size < 0) {
            turn(20);
        }
    }
    return text;
}

static const char *body_of(const char *text)
{
    const char *end = strstr(text, "\r\n\r\n");

    return end != NULL ? end + 4 : "";
}

static unsigned status_of(const char *text)
{
    unsigned status = 0;

    ck_assert_msg(sscanf(text, "HTTP/1.%*u %u", &status) == 1, "%s", text);
    return status;
}

/* The body of a whole exchange. */
static const char *get(const char *path, unsigned status)
{
    int fd = ask(path);
    const char *text = answer_until(fd, NULL);

    close(fd);
    ck_assert_msg(status_of(text) == status, "%s: %s", path, text);
    return body_of(text);
}

static void serve(unsigned ms)
{
    for (uint64_t end = now_ms() + ms; now_ms() < end;) {
        turn(5);
    }
}

static void wait_connections(unsigned count)
{
    uint64_t end = now_ms() + LIMIT_MS;

    while (table->counts(http).connections != count) {
        ck_assert_msg(now_ms() < end, "%u connections", table->counts(http).connections);
        turn(20);
    }
}

/* ---- rules */

START_TEST(a_document_serves_again_for_a_moment)
{
    uint64_t begun;

    start();
    do { /* a slow machine may need longer than the moment for two answers */
        serve(150);
        makings = 0;
        begun = now_ms();
        ck_assert_str_eq(get("/short", 200), "making 1");
        get("/short", 200);
    } while (makings != 1 && now_ms() - begun > 100);
    ck_assert_uint_eq(makings, 1);
    serve(150);
    ck_assert_str_eq(get("/short", 200), "making 2");
    ck_assert_str_eq(get("/", 200), "a page");
    ck_assert_str_eq(get("/short/", 404), "404: there is nothing of that name\n");
    table->close(http);
}
END_TEST

START_TEST(a_document_in_parts_is_made_once_for_all_who_wait)
{
    int fds[20];

    start();
    for (size_t i = 0; i < 20; i++) {
        fds[i] = ask("/slow");
    }
    for (size_t i = 0; i < 20; i++) {
        ck_assert_str_eq(body_of(answer_until(fds[i], NULL)), "0,1,2,3,4,5,6,7,8,9,");
        close(fds[i]);
    }
    ck_assert_uint_eq(makings, 1);
    table->close(http);
}
END_TEST

START_TEST(what_takes_long_to_make_serves_again_for_longer)
{
    uint64_t made, end;

    start();
    get("/slow", 200); /* 50 ms at least: serves for ten times as long */
    made = now_ms();
    for (end = made + LIMIT_MS; makings == 1 && now_ms() < end;) {
        serve(20);
        get("/slow", 200);
    }
    ck_assert_uint_eq(makings, 2);
    ck_assert_uint_ge(now_ms() - made, 450);
    table->close(http);
}
END_TEST

START_TEST(other_answers_come_while_one_is_made)
{
    uint64_t begun;
    int slow;

    start();
    begun = now_ms();
    slow = ask("/slow");
    turn(1000);
    ck_assert_str_eq(get("/", 200), "a page");
    ck_assert_uint_eq(recv(slow, &(char){0}, 1, MSG_DONTWAIT) < 0 ? 1 : 0, 1);
    answer_until(slow, NULL);
    ck_assert_uint_ge(now_ms() - begun, 50);
    close(slow);
    table->close(http);
}
END_TEST

START_TEST(a_document_that_cannot_be_made_is_said_and_tried_again)
{
    int fds[3];

    start();
    fails = true;
    get("/short", 503);
    for (size_t i = 0; i < 3; i++) {
        fds[i] = ask("/slow");
    }
    for (size_t i = 0; i < 3; i++) {
        ck_assert_uint_eq(status_of(answer_until(fds[i], NULL)), 503);
        close(fds[i]);
    }
    fails = false;
    ck_assert_str_eq(get("/slow", 200), "0,1,2,3,4,5,6,7,8,9,");
    get("/short", 200);
    table->close(http);
}
END_TEST

/* Readers who take nothing hold what was made for them, each another making. */
START_TEST(answers_that_nobody_takes_are_bounded)
{
    int fds[YK_HTTP_ANSWERS_BYTES / LARGE + 2]; /* one more than are held, and who is refused */
    uint64_t end = now_ms() + LIMIT_MS;
    unsigned status = 200;
    size_t count = 0;

    start();
    while (status == 200) {
        unsigned before = makings;

        ck_assert(now_ms() < end);
        ck_assert_uint_lt(count, sizeof fds / sizeof fds[0]);
        fds[count] = ask("/large");
        status = status_of(answer_until(fds[count], "\r\n\r\n"));
        if (status == 200 && makings == before) { /* on a slow machine one making serves for long */
            close(fds[count]);
        } else {
            count++;
        }
        serve(150);
    }
    ck_assert_uint_eq(status, 503);
    ck_assert_uint_eq(makings, YK_HTTP_ANSWERS_BYTES / LARGE + 1);
    while (count > 0) {
        close(fds[--count]);
    }
    wait_connections(0);
    fds[0] = ask("/large");
    ck_assert_uint_eq(status_of(answer_until(fds[0], "\r\n\r\n")), 200);
    close(fds[0]);
    table->close(http);
}
END_TEST

START_TEST(a_stream_says_what_comes_and_nothing_twice)
{
    int fd;

    start();
    news_count = 5;
    fd = ask("/news?after=3");
    ck_assert_str_eq(body_of(answer_until(fd, "data: 5\n\n")), "data: 4\n\ndata: 5\n\n");
    news_count = 7;
    table->wake(http);
    ck_assert_str_eq(answer_until(fd, "data: 7\n\n"), "data: 6\n\ndata: 7\n\n");
    ck_assert_uint_eq(table->counts(http).streams, 1);
    close(fd);
    for (uint64_t end = now_ms() + LIMIT_MS; table->counts(http).streams > 0;) {
        ck_assert(now_ms() < end);
        news_count++;
        table->wake(http);
        turn(20);
    }
    table->close(http);
}
END_TEST

START_TEST(streams_are_bounded)
{
    int fds[YK_HTTP_STREAMS_MAX];

    start();
    for (size_t i = 0; i < YK_HTTP_STREAMS_MAX; i++) {
        fds[i] = ask("/news");
        ck_assert_uint_eq(status_of(answer_until(fds[i], "\r\n\r\n")), 200);
    }
    get("/news", 503);
    get("/", 200);
    for (size_t i = 0; i < YK_HTTP_STREAMS_MAX; i++) {
        close(fds[i]);
    }
    table->close(http);
}
END_TEST

START_TEST(it_closes_whatever_is_going_on)
{
    int fds[40];

    start();
    for (size_t i = 0; i < 40; i++) {
        static const char *const paths[] = {"/news", "/slow", "/large", "/"};

        fds[i] = ask(paths[i % 4]);
    }
    turn(1000);
    turn(1000);
    turn(1000);
    ck_assert_uint_gt(table->counts(http).connections, 10);
    table->close(http);
    for (size_t i = 0; i < 40; i++) {
        close(fds[i]);
    }
}
END_TEST

/* Whoever shares the loop has three quarters of it, however much is asked for. */
START_TEST(it_takes_a_quarter_of_the_time)
{
    uint64_t begun, spent = 0, elapsed;
    int fds[32];

    start();
    for (size_t i = 0; i < 32; i++) {
        fds[i] = ask(i % 2 == 0 ? "/slow" : "/large");
    }
    begun = now_ms();
    while ((elapsed = now_ms() - begun) < 3000) {
        struct pollfd wanted = {.fd = table->descriptor(http), .events = POLLIN};
        uint64_t before;
        char some[65536];

        for (size_t i = 0; i < 32; i++) { /* they take all there is, and ask again */
            ssize_t size = recv(fds[i], some, sizeof some, MSG_DONTWAIT);

            if (size == 0) {
                close(fds[i]);
                fds[i] = ask(i % 2 == 0 ? "/slow" : "/large");
            }
        }
        if (poll(&wanted, 1, 1) > 0) {
            before = now_ms();
            table->run(http);
            spent += now_ms() - before;
        }
    }
    ck_assert_msg(spent * 3 < elapsed, "%lu of %lu ms", (unsigned long)spent,
                  (unsigned long)elapsed);
    ck_assert_uint_gt(table->counts(http).requests_total, 32);
    for (size_t i = 0; i < 32; i++) {
        close(fds[i]);
    }
    table->close(http);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_document_serves_again_for_a_moment,
        a_document_in_parts_is_made_once_for_all_who_wait,
        what_takes_long_to_make_serves_again_for_longer,
        other_answers_come_while_one_is_made,
        a_document_that_cannot_be_made_is_said_and_tried_again,
        answers_that_nobody_takes_are_bounded,
        a_stream_says_what_comes_and_nothing_twice,
        streams_are_bounded,
        it_closes_whatever_is_going_on,
        it_takes_a_quarter_of_the_time,
        NULL,
    };

    return suite_main("http server", tests);
}
