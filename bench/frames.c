/* frames - one round of the figures of one frame, in this process: nanoseconds of CPU for a frame.
 *
 *     frames CORPUS     (a directory made by bench/corpus)
 *
 * Prints lines of "name value"; bench/run takes the medians of many rounds. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>

#include "common.h"

#define FRAMES_MAX 20000
#define ORIGINS \
    4096 /* the first so many frames only fill the tables; whole batches, two rounds of CHURN */
#define SLOW 2000 /* frames for what takes microseconds each */

struct corpus {
    uint8_t *bytes;
    size_t count;
    struct yk_slice frames[FRAMES_MAX];
};

static struct corpus churn, hot, forged;
static struct yk_auth auth;
static uint8_t key[128];
static size_t key_size;

/* ---- allocations, of us and of every library */

static uint64_t allocations;

#ifndef __SANITIZE_ADDRESS__ /* which has its own */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    allocations++;
    return __libc_realloc(old, size);
}
#endif

/* ---- input */

static FILE *open_file(const char *directory, const char *name)
{
    char path[4096];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", directory, name);
    file = fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "frames: %s: %s; make it with bench/corpus\n", path, strerror(errno));
        exit(1);
    }
    return file;
}

static void load(struct corpus *corpus, const char *directory, const char *name)
{
    FILE *file = open_file(directory, name);
    uint8_t head[2], *at;

    corpus->bytes = at = malloc((size_t)FRAMES_MAX * YK_FRAME_MAX);
    while (corpus->count < FRAMES_MAX && fread(head, 1, sizeof head, file) == sizeof head) {
        size_t size = (size_t)head[0] << 8 | head[1];

        if (size > YK_FRAME_MAX || fread(at, 1, size, file) != size) {
            fprintf(stderr, "frames: %s is cut off\n", name);
            exit(1);
        }
        corpus->frames[corpus->count++] = (struct yk_slice){at, size};
        at += size;
    }
    fclose(file);
}

/* ---- a batch, laid out as the socket's and fresh in the cache as from the kernel */

static struct yk_slice batch[BATCH];

static size_t fetch(const struct corpus *corpus, size_t from, size_t to)
{
    static uint8_t room[BATCH][YK_FRAME_MAX + 1];
    size_t count = to - from < BATCH ? to - from : BATCH;

    for (size_t i = 0; i < count; i++) {
        struct yk_slice frame = corpus->frames[from + i];

        memcpy(room[i], frame.data, frame.size);
        batch[i] = (struct yk_slice){room[i], frame.size};
    }
    return count;
}

/* ---- yoke: datagram in to state applied */

static void run_node(const char *name, const struct corpus *corpus, enum yk_drop verdict)
{
    struct yk_node *node = node_start(&auth, YK_TRACKED_DEFAULT);
    uint64_t before = 0, sum = 0;
    char allocated[64];

    for (size_t first = 0; first < corpus->count; first += BATCH) {
        size_t count = fetch(corpus, first, corpus->count);
        uint64_t ns = node_feed(node, batch, first, count);

        if (first >= ORIGINS) {
            sum += ns;
        } else {
            before = allocations;
        }
    }
    print_figure(name, (double)sum / (double)(corpus->count - ORIGINS));
    snprintf(allocated, sizeof allocated, "%s_allocations", name);
    print_figure(allocated, (double)(allocations - before));
    node_expect(node, verdict, corpus->count, name);
    node_end(node, YK_TRACKED_DEFAULT);
}

/* ---- the limit: the best HMAC that the library gives, and nothing else */

static void start_hmac(SHA256_CTX *inner, SHA256_CTX *outer)
{
    uint8_t block[64];

    for (int pass = 0; pass < 2; pass++) {
        SHA256_CTX *context = pass == 0 ? inner : outer;

        for (size_t i = 0; i < sizeof block; i++) {
            block[i] = (i < key_size ? key[i] : 0) ^ (pass == 0 ? 0x36 : 0x5c);
        }
        SHA256_Init(context);
        SHA256_Update(context, block, sizeof block);
    }
}

/* The parts are found beforehand: nothing but hashing is measured. */
static void run_hmac(const char *name, const struct corpus *corpus)
{
    const uint8_t *sigs[BATCH];
    SHA256_CTX inner, outer, context;
    uint8_t digest[32];
    uint64_t sum = 0;

    start_hmac(&inner, &outer);
    for (size_t first = ORIGINS; first < corpus->count; first += BATCH) {
        size_t count = fetch(corpus, first, corpus->count);
        uint64_t start;

        for (size_t i = 0; i < count; i++) {
            sigs[i] = memmem(batch[i].data, batch[i].size, ",\"sig\":\"", 8);
        }
        start = cpu_ns();
        for (size_t i = 0; i < count; i++) {
            const uint8_t *rest = sigs[i] + 73; /* behind the signature */

            context = inner;
            SHA256_Update(&context, batch[i].data, (size_t)(sigs[i] - batch[i].data));
            SHA256_Update(&context, rest, (size_t)(batch[i].data + batch[i].size - rest));
            SHA256_Final(digest, &context);
            context = outer;
            SHA256_Update(&context, digest, 32);
            SHA256_Final(digest, &context);
        }
        sum += cpu_ns() - start;
    }
    print_figure(name, (double)sum / (double)(corpus->count - ORIGINS));
}

/* ---- a neighbour: what one writes with jansson and HMAC() */

static void run_jansson(const struct corpus *corpus)
{
    size_t good = 0;
    uint64_t start = cpu_ns();

    for (size_t i = ORIGINS; i < ORIGINS + SLOW; i++) {
        struct yk_slice frame = corpus->frames[i];
        json_t *value =
            json_loadb((const char *)frame.data, frame.size, JSON_REJECT_DUPLICATES, NULL);
        json_t *sig = json_incref(json_object_get(value, "sig"));
        char *text, hex[65];
        unsigned char digest[32];

        json_object_del(value, "sig");
        text = json_dumps(value, JSON_SORT_KEYS | JSON_COMPACT | JSON_REAL_PRECISION(15));
        HMAC(EVP_sha256(), key, (int)key_size, (const unsigned char *)text, strlen(text), digest,
             NULL);
        for (int at = 0; at < 32; at++) {
            snprintf(hex + 2 * at, 3, "%02x", digest[at]);
        }
        good += strcmp(hex, json_string_value(sig)) == 0;
        free(text);
        json_decref(sig);
        json_decref(value);
    }
    print_figure("jansson", (double)(cpu_ns() - start) / SLOW);
    if (good != SLOW) {
        fprintf(stderr, "jansson verified %zu frames of %d\n", good, SLOW);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    FILE *file;

    if (argc != 2) {
        fprintf(stderr, "usage: frames CORPUS\n");
        return 64;
    }
    load(&churn, argv[1], "churn.frames");
    load(&hot, argv[1], "hot.frames");
    load(&forged, argv[1], "forged.frames");
    file = open_file(argv[1], "KEY");
    key_size = fread(key, 1, sizeof key, file);
    fclose(file);
    yk_auth_init(&auth, (struct yk_slice){key, key_size}, (struct yk_slice){NULL, 0});
    run_hmac("hmac", &churn);
    run_node("churn", &churn, YK_DROP_NONE);
    run_node("forged", &forged, YK_DROP_AUTH);
    run_hmac("hmac_hot", &hot);
    run_node("hot", &hot, YK_DROP_NONE);
    run_jansson(&churn);
    yk_auth_fini(&auth);
    free(churn.bytes);
    free(hot.bytes);
    free(forged.bytes);
    return 0;
}
