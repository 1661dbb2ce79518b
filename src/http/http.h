/* http.h - the HTTP server as its users see it: what they show, and the table of functions of the
 * module yoke-http.so. It knows nothing of the protocol. Read-only, GET and HEAD; no threads: it works
 * when it is run, and wants to be run when its one descriptor can be read. */
#ifndef YK_HTTP_HTTP_H
#define YK_HTTP_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/endpoint.h"
#include "base/refusal.h"

#define YK_HTTP_MODULE "http"
/* Bounds; docs/http-api.md tells readers of them. */
#define YK_HTTP_CONNECTIONS_MAX 128
#define YK_HTTP_PER_ADDRESS_MAX \
    64 /* on loopback, where all are of one host, there is no such bound */
#define YK_HTTP_STREAMS_MAX 32
#define YK_HTTP_MESSAGE_MAX (32 * 1024)          /* of a stream, bytes */
#define YK_HTTP_REQUEST_BYTES (16 * 1024)        /* a request and its headers */
#define YK_HTTP_ANSWERS_BYTES (64 * 1024 * 1024) /* documents that readers have not taken yet */

/* Bytes that are always the same; they outlive the server. */
struct yk_http_file {
    const char *path, *type;
    const char *bytes, *end;
};

/* How far the making of a document is; zeroed before its first part. */
struct yk_http_making {
    unsigned part; /* these two are the maker's own */
    size_t next;
    void *memory; /* the maker's own, from malloc: the server frees it */
    bool done;    /* set by the maker with the last part */
};

/* Made when it is asked for; asked for again soon, the same bytes may serve. */
struct yk_http_document {
    const char *path, *type;
    /* Writes the next part, in a few milliseconds at most: other work has its turn between two. False:
     * it cannot be made now. */
    bool (*make)(void *owner, FILE *out, struct yk_http_making *making);
};

/* Where a stream stands; its content's own. */
struct yk_http_cursor {
    uint64_t event, beat;
    bool lost;
};

struct yk_http_content {
    void *owner;
    const struct yk_http_file *files;
    size_t file_count;
    const struct yk_http_document *documents;
    size_t document_count;
    const char *stream_path; /* of server-sent events; NULL: none */
    /* A reader comes; `after` is the last event it knows, NULL: none. */
    void (*stream_begin)(void *owner, struct yk_http_cursor *cursor, const char *after);
    /* The next messages for it, whole ones, into YK_HTTP_MESSAGE_MAX bytes; their size, 0: nothing is
     * new. */
    size_t (*stream_read)(void *owner, struct yk_http_cursor *cursor, char *out);
};

struct yk_http_counts {
    uint64_t connections_total, requests_total, refused_total, cut_total;
    unsigned connections, streams;
};

struct yk_http;

/* The module's table. */
struct yk_http_table {
    /* Listens. `content` is copied, what it points to borrowed; `place` names the address in the
     * refusal ("--http"). */
    struct yk_http *(*open)(const struct yk_http_content *content,
                            const struct yk_endpoint *endpoint, const char *place,
                            struct yk_refusal *why);
    /* Where it listens: the port that the kernel chose. */
    struct yk_endpoint (*endpoint)(const struct yk_http *http);
    /* The same one as long as it is open. */
    int (*descriptor)(const struct yk_http *http);
    /* The descriptor can be read: does what is due, and takes a share of the time only. */
    void (*run)(struct yk_http *http);
    /* Streams have something to read. */
    void (*wake)(struct yk_http *http);
    struct yk_http_counts (*counts)(const struct yk_http *http);
    void (*close)(struct yk_http *http);
};

#endif
