/* bare - the least that a program can do which does a part of yoke's work: the limit beside the figures.
 *
 *     bare listen ADDRESS KEY      hears the control group, verifies each frame, keeps the newest of each origin
 *     bare save PORT KEY FILE      answers signed requests on the loopback, each saved durably before
 *     bare ask PORT KEY            one such request; ends when its answer has come
 *
 * Best library HMAC, blocking calls, no clock, no log, no checks but of what is needed to go on. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#define GROUP "239.121.111.107"
#define PORT 9753
#define FRAME_MAX 1200
#define SLOTS 16384 /* power of two, over the 10,000 nodes that are measured */
#define ID_MAX 64
#define HEX 64
#define REQUEST 300 /* bytes before the signature: about what an intent has */
#define ANSWER_S 5

static SHA256_CTX inner, outer; /* the key's states */

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "bare: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void read_key(const char *path)
{
    uint8_t key[64] = {0}, block[64];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, key, sizeof key);

    if (size <= 0) {
        die(path);
    }
    close(fd);
    if (key[size - 1] == '\n') {
        key[size - 1] = 0;
    }
    for (size_t i = 0; i < sizeof block; i++) {
        block[i] = key[i] ^ 0x36;
    }
    SHA256_Init(&inner);
    SHA256_Update(&inner, block, sizeof block);
    for (size_t i = 0; i < sizeof block; i++) {
        block[i] = key[i] ^ 0x5c;
    }
    SHA256_Init(&outer);
    SHA256_Update(&outer, block, sizeof block);
}

/* HMAC over two parts, in hex. */
static void sign(const void *a, size_t a_size, const void *b, size_t b_size, char hex[HEX])
{
    static const char digits[] = "0123456789abcdef";
    SHA256_CTX context = inner;
    uint8_t digest[32];

    SHA256_Update(&context, a, a_size);
    SHA256_Update(&context, b, b_size);
    SHA256_Final(digest, &context);
    context = outer;
    SHA256_Update(&context, digest, sizeof digest);
    SHA256_Final(digest, &context);
    for (size_t i = 0; i < sizeof digest; i++) {
        hex[2 * i] = digits[digest[i] >> 4];
        hex[2 * i + 1] = digits[digest[i] & 15];
    }
}

/* ---- listen */

struct slot {
    char id[ID_MAX];
    size_t size;
    uint8_t frame[FRAME_MAX];
};

static int open_group(const char *address)
{
    struct sockaddr_in group = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    struct ip_mreq request;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), one = 1, room = 4 << 20;

    inet_pton(AF_INET, GROUP, &group.sin_addr);
    request.imr_multiaddr = group.sin_addr;
    inet_pton(AF_INET, address, &request.imr_interface);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room);
    if (bind(fd, (struct sockaddr *)&group, sizeof group) != 0 ||
        setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &request, sizeof request) != 0) {
        die("control group");
    }
    return fd;
}

static struct slot *slot_of(struct slot *slots, const char *id, size_t size)
{
    uint32_t hash = 2166136261U;

    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ (uint8_t)id[i]) * 16777619U;
    }
    for (;; hash++) {
        struct slot *slot = &slots[hash % SLOTS];

        if (slot->id[0] == '\0' || (memcmp(slot->id, id, size) == 0 && slot->id[size] == '\0')) {
            return slot;
        }
    }
}

static void listen_on(int fd)
{
    struct slot *slots = calloc(SLOTS, sizeof *slots);
    uint8_t frame[FRAME_MAX];

    if (slots == NULL) {
        die("memory");
    }
    for (;;) {
        ssize_t size = recv(fd, frame, sizeof frame, 0);
        const char *id = size < 0 ? NULL : memmem(frame, (size_t)size, "\"origin\":\"", 10);
        uint8_t *sig = size < 0 ? NULL : memmem(frame, (size_t)size, ",\"sig\":\"", 8);
        const char *id_end;
        char hex[HEX];
        struct slot *slot;

        if (id == NULL || sig == NULL) {
            continue;
        }
        sign(frame, (size_t)(sig - frame), sig + 9 + HEX, (size_t)(frame + size - sig) - 9 - HEX,
             hex);
        if (memcmp(hex, sig + 8, HEX) != 0) {
            continue;
        }
        id += 10;
        id_end = memchr(id, '"', ID_MAX - 1);
        if (id_end != NULL) {
            slot = slot_of(slots, id, (size_t)(id_end - id));
            memcpy(slot->id, id, (size_t)(id_end - id));
            memcpy(slot->frame, frame, (size_t)size);
            slot->size = (size_t)size;
        }
    }
}

/* ---- save and ask */

static int open_loopback(int port, int serve)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct timeval limit = {.tv_sec = ANSWER_S};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (serve ? bind(fd, (struct sockaddr *)&address, sizeof address) != 0
              : setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) != 0 ||
                    connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        die("loopback");
    }
    return fd;
}

static void sign_message(char message[REQUEST + HEX])
{
    sign(message, REQUEST, NULL, 0, message + REQUEST);
}

static int is_signed(const char message[REQUEST + HEX])
{
    char hex[HEX];

    sign(message, REQUEST, NULL, 0, hex);
    return memcmp(hex, message + REQUEST, HEX) == 0;
}

/* Temporary file, fsync, rename, fsync of the directory. */
static void save_durably(int directory, const char *name, const void *data, size_t size)
{
    int fd = openat(directory, ".bare.tmp", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (fd < 0 || write(fd, data, size) != (ssize_t)size || fsync(fd) != 0 || close(fd) != 0 ||
        renameat(directory, ".bare.tmp", directory, name) != 0 || fsync(directory) != 0) {
        die(name);
    }
}

static void serve(int fd, char *path)
{
    char other[4096], message[REQUEST + HEX];
    int directory;

    snprintf(other, sizeof other, "%s", path);
    directory = open(dirname(other), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) {
        die(path);
    }
    for (;;) {
        struct sockaddr_in from;
        socklen_t from_size = sizeof from;
        ssize_t size =
            recvfrom(fd, message, sizeof message, 0, (struct sockaddr *)&from, &from_size);

        if (size != sizeof message || !is_signed(message)) {
            continue;
        }
        save_durably(directory, basename(path), message, 120);
        message[0] = 'A';
        sign_message(message);
        sendto(fd, message, sizeof message, 0, (struct sockaddr *)&from, from_size);
    }
}

static int ask(int fd)
{
    char message[REQUEST + HEX];

    memset(message, 'Q', REQUEST);
    if (getrandom(message + 8, 16, 0) != 16) {
        die("random numbers");
    }
    sign_message(message);
    if (send(fd, message, sizeof message, 0) != sizeof message ||
        recv(fd, message, sizeof message, 0) != sizeof message) {
        die("answer");
    }
    return is_signed(message) && message[0] == 'A' ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: bare listen|save|ask ...; see the head of bare.c\n");
        return 64;
    }
    read_key(argv[3]);
    if (strcmp(argv[1], "listen") == 0) {
        listen_on(open_group(argv[2]));
    } else if (strcmp(argv[1], "save") == 0 && argc == 5) {
        serve(open_loopback(atoi(argv[2]), 1), argv[4]);
    }
    return ask(open_loopback(atoi(argv[2]), 0));
}
