/* flood - more datagrams a second than a site will ever see, to the control group.
 *
 *   flood --address IP --rate N [--seconds S] [--origins N] [--batch N] [--psk-file FILE] KIND...
 *
 * KIND: "junk" (no frames at all), "nodes" (announcements that say the same each time), "changes"
 * (announcements of another state each time) or "forged" (announcements under another key); several take
 * turns. Frames come from as many origins, with rising sequence numbers, signed one by one; forged ones
 * are made once. So many leave at a time (64), as far apart as the rate says. On SIGTERM or after S seconds it prints what left:
 * "SENT datagrams in SECONDS s". */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "base/refusal.h"
#include "core/frame.h"

#define GROUP "239.121.111.107"
#define PORT 9753
#define BATCH 64 /* in one system call at most, all of one kind */
#define KINDS_MAX 8
#define KEY_MAX 4096

enum kind { JUNK, NODES, CHANGES, FORGED };

struct flood {
    struct in_addr address;
    double rate, seconds; /* seconds 0: until told to stop */
    unsigned long origins, batch;
    enum kind kinds[KINDS_MAX];
    size_t kind_count;
    struct yk_auth auth;
    int fd;
    unsigned long turn;  /* batches so far */
    unsigned long frame; /* frames so far */
    uint64_t sent;
    uint8_t bytes[BATCH][YK_FRAME_MAX + 100];
    uint8_t forged[BATCH][YK_FRAME_MAX];
    size_t forged_size[BATCH];
    struct iovec places[BATCH];
    struct mmsghdr messages[BATCH];
};

static volatile sig_atomic_t stopped;

static void stop(int number)
{
    (void)number;
    stopped = 1;
}

static _Noreturn void die(int status, const char *what, const char *cause)
{
    fprintf(stderr, "flood: %s: %s; see the head of flood.c\n", what, cause);
    exit(status);
}

static double clock_s(clockid_t which)
{
    struct timespec now;

    clock_gettime(which, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* What no receiver may take: nothing, too much, noise, deep nesting, a frame cut short. */
static size_t write_junk(const struct flood *flood, size_t i, uint8_t *out)
{
    static const char begun[] = "{\"body\":{},\"origin\":\"junk\",\"seq\":1";
    size_t size = (flood->turn * 31 + i * 17) % YK_FRAME_MAX;

    switch (i % 5) {
    case 0:
        return 0;
    case 1:
        memset(out, ' ', YK_FRAME_MAX + 100);
        return YK_FRAME_MAX + 100;
    case 2:
        memset(out, '[', size);
        return size;
    case 3:
        memcpy(out, begun, sizeof begun - 1);
        return sizeof begun - 1;
    default:
        for (size_t j = 0; j < size; j++) {
            out[j] = (uint8_t)(flood->turn + i * j * 7);
        }
        return size;
    }
}

static size_t write_frame(struct flood *flood, enum kind kind, uint8_t *out)
{
    static const enum yk_state states[] = {YK_STATE_ACTIVE, YK_STATE_PENDING, YK_STATE_ERROR};
    unsigned long round = flood->frame / flood->origins;
    struct yk_frame frame = {.type = YK_TYPE_ANN,
                             .seq = (uint64_t)(clock_s(CLOCK_REALTIME) * 1e9) + flood->frame,
                             .ts_ms = (int64_t)(clock_s(CLOCK_REALTIME) * 1e3)};
    char id[YK_ID_MAX];

    snprintf(id, sizeof id, "enc-%05lu", flood->frame++ % flood->origins);
    if (!yk_id_parse(&frame.origin, yk_slice_of(id))) {
        die(YK_EXIT_INTERNAL, id, "is no node id");
    }
    frame.as.ann =
        (struct yk_ann){.role = YK_ROLE_PRODUCER,
                        .kind = YK_KIND_HDMI,
                        .name = yk_slice_of(id),
                        .state = kind == CHANGES ? states[round % 3] : YK_STATE_ACTIVE,
                        .media = yk_slice_of("{\"group\":\"239.10.0.5\",\"port\":5004}")};
    return yk_frame_encode(&frame, &flood->auth, out);
}

/* The signature is as long as a good one, and wrong. */
static void make_forged(struct flood *flood)
{
    for (size_t i = 0; i < BATCH; i++) {
        flood->forged_size[i] = write_frame(flood, NODES, flood->forged[i]);
        memset((char *)memmem(flood->forged[i], flood->forged_size[i], "\"sig\":\"", 7) + 7, 'a',
               64);
    }
}

static struct iovec write_one(struct flood *flood, enum kind kind, size_t i)
{
    uint8_t *bytes = flood->bytes[i];

    if (kind == FORGED) {
        return (struct iovec){flood->forged[i], flood->forged_size[i]};
    }
    return (struct iovec){bytes, kind == JUNK ? write_junk(flood, i, bytes)
                                              : write_frame(flood, kind, bytes)};
}

static void send_batch(struct flood *flood)
{
    enum kind kind = flood->kinds[flood->turn % flood->kind_count];
    int sent;

    for (size_t i = 0; i < flood->batch; i++) {
        flood->places[i] = write_one(flood, kind, i);
        flood->messages[i].msg_hdr = (struct msghdr){.msg_iov = &flood->places[i], .msg_iovlen = 1};
    }
    flood->turn++;
    sent = sendmmsg(flood->fd, flood->messages, (unsigned)flood->batch, 0);
    if (sent < 0 && errno != EINTR && errno != ENOBUFS) {
        die(YK_EXIT_INTERNAL, "sending", strerror(errno));
    }
    flood->sent += sent > 0 ? (uint64_t)sent : 0;
}

/* After a pause of ours no burst follows: what is late by more than a tenth of a second is given up. */
static void run(struct flood *flood)
{
    double start = clock_s(CLOCK_MONOTONIC), now = start, next = start;

    while (!stopped && (flood->seconds <= 0 || now - start < flood->seconds)) {
        if (next > now) {
            nanosleep(&(struct timespec){.tv_nsec = (long)((next - now) * 1e9)}, NULL);
        } else {
            next = (next < now - 0.1 ? now : next) + (double)flood->batch / flood->rate;
            send_batch(flood);
        }
        now = clock_s(CLOCK_MONOTONIC);
    }
    printf("%llu datagrams in %.1f s\n", (unsigned long long)flood->sent, now - start);
}

static void open_socket(struct flood *flood)
{
    struct sockaddr_in group = {.sin_family = AF_INET, .sin_port = htons(PORT)};

    inet_pton(AF_INET, GROUP, &group.sin_addr);
    flood->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (flood->fd < 0 ||
        setsockopt(flood->fd, IPPROTO_IP, IP_MULTICAST_IF, &flood->address,
                   sizeof flood->address) != 0 ||
        connect(flood->fd, (struct sockaddr *)&group, sizeof group) != 0) {
        die(YK_EXIT_CONFIG, "socket", strerror(errno));
    }
}

static void read_key(struct flood *flood, const char *path)
{
    uint8_t key[KEY_MAX];
    FILE *file = fopen(path, "rb");
    size_t size = file != NULL ? fread(key, 1, sizeof key, file) : 0;

    if (size == 0) {
        die(YK_EXIT_CONFIG, path, "no key in it");
    }
    fclose(file);
    size -= key[size - 1] == '\n';
    yk_auth_init(&flood->auth, (struct yk_slice){key, size}, (struct yk_slice){NULL, 0});
}

static void add_kind(struct flood *flood, const char *word)
{
    static const char *const words[] = {
        [JUNK] = "junk", [NODES] = "nodes", [CHANGES] = "changes", [FORGED] = "forged"};

    for (size_t kind = 0; kind < sizeof words / sizeof words[0]; kind++) {
        if (strcmp(word, words[kind]) == 0 && flood->kind_count < KINDS_MAX) {
            flood->kinds[flood->kind_count++] = (enum kind)kind;
            return;
        }
    }
    die(YK_EXIT_USAGE, word, "is no kind, or one too many");
}

static void read_options(struct flood *flood, int argc, char **argv)
{
    static const struct option options[] = {{"address", required_argument, NULL, 'a'},
                                            {"rate", required_argument, NULL, 'r'},
                                            {"seconds", required_argument, NULL, 's'},
                                            {"origins", required_argument, NULL, 'o'},
                                            {"psk-file", required_argument, NULL, 'k'},
                                            {"batch", required_argument, NULL, 'b'},
                                            {NULL, 0, NULL, 0}};
    int option;

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (option) {
        case 'a':
            if (inet_pton(AF_INET, optarg, &flood->address) != 1) {
                die(YK_EXIT_USAGE, optarg, "is no IPv4 address");
            }
            break;
        case 'r':
            flood->rate = strtod(optarg, NULL);
            break;
        case 's':
            flood->seconds = strtod(optarg, NULL);
            break;
        case 'o':
            flood->origins = strtoul(optarg, NULL, 10);
            break;
        case 'b':
            flood->batch = strtoul(optarg, NULL, 10);
            break;
        case 'k':
            read_key(flood, optarg);
            break;
        default:
            exit(YK_EXIT_USAGE);
        }
    }
    for (; optind < argc; optind++) {
        add_kind(flood, argv[optind]);
    }
    if (!(flood->rate >= 1) || flood->origins == 0 || flood->kind_count == 0 || flood->batch == 0 ||
        flood->batch > BATCH) {
        die(YK_EXIT_USAGE, "arguments",
            "a rate, origins, a kind and a batch of 1 to 64 are needed");
    }
}

int main(int argc, char **argv)
{
    static struct flood flood = {.origins = 10000, .batch = BATCH};

    yk_auth_init(&flood.auth, (struct yk_slice){NULL, 0}, (struct yk_slice){NULL, 0});
    read_options(&flood, argc, argv);
    if (flood.auth.key.set) {
        make_forged(&flood);
    }
    open_socket(&flood);
    signal(SIGTERM, stop);
    run(&flood);
    return YK_EXIT_OK;
}
