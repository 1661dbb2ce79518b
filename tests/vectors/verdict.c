/* verdict - what one receiver says to datagrams given as lines of hex: "accept" or the drop's name.
 *
 *   verdict [--psk KEY | --psk-file FILE] [--wall SECONDS] [--canon] [--path auto|fast|general]
 *   verdict --runs [--canon | --encode] [--path ...]
 *
 * With --canon the canonical bytes in hex follow an accept; with --encode the frame as yoke itself
 * would write it, nothing but a blank if it would not fit. With --runs a line "= WALL KEY" (the key
 * in hex, or nothing) starts a fresh receiver and is answered by nothing. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/refusal.h"
#include "core/admission.h"

#define DEFAULT_WALL 1796018523.0 /* the time at which all vectors happen */
#define KEY_MAX 4096

struct options {
    uint8_t key[KEY_MAX];
    size_t key_size;
    double wall; /* Unix seconds */
    bool canon;
    bool encode;
    bool runs;
    enum yk_path path;
};

static struct yk_receiver receiver;
static struct yk_auth auth;
static void *memory;

static _Noreturn void die(int status, const char *value, const char *cause, const char *next)
{
    fprintf(stderr, "verdict: \"%s\": %s; %s\n", value, cause, next);
    exit(status);
}

/* A fresh receiver: nothing heard yet. */
static void start(const struct options *options)
{
    size_t size = yk_receiver_memory(YK_TRACKED_DEFAULT);
    struct yk_wall wall = {(int64_t)(options->wall * 1e9), 0};

    free(memory);
    memory = calloc(1, size);
    if (memory == NULL) {
        die(YK_EXIT_INTERNAL, "receiver", "no memory for it", "free some");
    }
    yk_auth_init(&auth, (struct yk_slice){options->key, options->key_size},
                 (struct yk_slice){NULL, 0});
    yk_receiver_init(&receiver, memory, YK_TRACKED_DEFAULT, &auth, wall, 1);
    receiver.path = options->path;
}

static int hex_value(char c)
{
    return isdigit((unsigned char)c)    ? c - '0'
           : isxdigit((unsigned char)c) ? (c | 0x20) - 'a' + 10
                                        : -1;
}

/* The bytes of a line of hex, blanks between them allowed, written over its beginning. */
static size_t read_hex(char *line)
{
    uint8_t *out = (uint8_t *)line;
    size_t size = 0;

    for (const char *at = line; *at != '\0';) {
        int high = hex_value(at[0]);
        int low = high < 0 ? -1 : hex_value(at[1]);

        if (isspace((unsigned char)*at)) {
            at++;
            continue;
        }
        if (low < 0) {
            die(YK_EXIT_USAGE, at, "is not hex", "give one datagram a line, two digits a byte");
        }
        out[size++] = (uint8_t)(high << 4 | low);
        at += 2;
    }
    return size;
}

static double read_wall(const char *text, char **end)
{
    double wall = strtod(text, end);

    if (*end == text || !(wall > -9e9 && wall < 9e9)) {
        die(YK_EXIT_USAGE, text, "is no time of a receiver", "give Unix seconds");
    }
    return wall;
}

/* "= WALL KEY" */
static void start_run(struct options *options, char *line)
{
    char *key;

    options->wall = read_wall(line + 1, &key);
    options->key_size = read_hex(key);
    if (options->key_size > KEY_MAX) {
        die(YK_EXIT_USAGE, line, "the key is too long", "give at most 4096 bytes");
    }
    memcpy(options->key, key, options->key_size);
    start(options);
}

static void print_hex(struct yk_slice bytes)
{
    putchar(' ');
    for (size_t i = 0; i < bytes.size; i++) {
        printf("%02x", bytes.data[i]);
    }
}

static void answer(const struct options *options, struct yk_slice raw)
{
    struct yk_frame frame;
    enum yk_drop drop = yk_receiver_admit(&receiver, raw, 0, &frame);
    uint8_t encoded[YK_FRAME_MAX];

    fputs(drop == YK_DROP_NONE ? "accept" : yk_drop_word(drop), stdout);
    if (drop == YK_DROP_NONE && options->canon) {
        print_hex(receiver.decoder.spelled);
    }
    if (drop == YK_DROP_NONE && options->encode) {
        print_hex((struct yk_slice){encoded, yk_frame_encode(&frame, &auth, encoded)});
    }
    putchar('\n');
    fflush(stdout);
}

static void read_key_file(struct options *options, const char *path)
{
    FILE *file = fopen(path, "rb");

    if (file == NULL) {
        die(YK_EXIT_CONFIG, path, strerror(errno), "give a key file that can be read");
    }
    options->key_size = fread(options->key, 1, KEY_MAX, file);
    if (ferror(file) || getc(file) != EOF) {
        die(YK_EXIT_CONFIG, path, "cannot be read, or is over 4096 bytes", "give another key file");
    }
    fclose(file);
    if (options->key_size > 0 && options->key[options->key_size - 1] == '\n') {
        options->key_size--;
    }
}

static void read_key(struct options *options, const char *key)
{
    options->key_size = strlen(key);
    if (options->key_size > KEY_MAX) {
        die(YK_EXIT_USAGE, "--psk", "the key is too long", "give at most 4096 bytes");
    }
    memcpy(options->key, key, options->key_size);
}

static enum yk_path read_path(const char *name)
{
    static const char *const names[] = {
        [YK_PATH_AUTO] = "auto", [YK_PATH_FAST] = "fast", [YK_PATH_GENERAL] = "general"};

    for (int i = YK_PATH_AUTO; i <= YK_PATH_GENERAL; i++) {
        if (strcmp(names[i], name) == 0) {
            return (enum yk_path)i;
        }
    }
    die(YK_EXIT_USAGE, name, "is no path", "give auto, fast or general");
}

static void read_options(struct options *options, int argc, char **argv)
{
    static const struct option known[] = {
        {"psk", required_argument, NULL, 'k'},  {"psk-file", required_argument, NULL, 'f'},
        {"wall", required_argument, NULL, 'w'}, {"canon", no_argument, NULL, 'c'},
        {"path", required_argument, NULL, 'p'}, {"encode", no_argument, NULL, 'e'},
        {"runs", no_argument, NULL, 'r'},       {NULL, 0, NULL, 0},
    };
    char *end = NULL;
    int option;

    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        switch (option) {
        case 'k':
            read_key(options, optarg);
            break;
        case 'f':
            read_key_file(options, optarg);
            break;
        case 'w':
            options->wall = read_wall(optarg, &end);
            break;
        case 'c':
            options->canon = true;
            break;
        case 'e':
            options->encode = true;
            break;
        case 'p':
            options->path = read_path(optarg);
            break;
        case 'r':
            options->runs = true;
            break;
        default:
            exit(YK_EXIT_USAGE); /* getopt has said why */
        }
    }
    if (optind < argc || (end != NULL && *end != '\0')) {
        die(YK_EXIT_USAGE, optind < argc ? argv[optind] : end, "is not understood",
            "datagrams go to standard input");
    }
}

int main(int argc, char **argv)
{
    struct options options = {.wall = DEFAULT_WALL, .path = YK_PATH_AUTO};
    char *line = NULL;
    size_t capacity = 0;
    ssize_t size;

    read_options(&options, argc, argv);
    start(&options);
    while ((size = getline(&line, &capacity, stdin)) >= 0) {
        line[strcspn(line, "\n")] = '\0';
        if (options.runs && line[0] == '=') {
            start_run(&options, line);
        } else {
            size_t raw_size = read_hex(line);

            answer(&options, (struct yk_slice){(const uint8_t *)line, raw_size});
        }
    }
    free(line);
    free(memory);
    return YK_EXIT_OK;
}
