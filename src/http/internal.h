/* internal.h - the server's parts: server.c (time and descriptors), connection.c (who is there, and for
 * how long), answer.c (what is answered). */
#ifndef YK_HTTP_INTERNAL_H
#define YK_HTTP_INTERNAL_H

#include <microhttpd.h>

#include "http/http.h"

#define MS UINT64_C(1000000) /* nanoseconds */
#define SECOND UINT64_C(1000000000)
#define NEVER UINT64_MAX

#define REQUEST_LIMIT (10 * SECOND)  /* for a request to come whole, and until the next one comes */
#define CROWDED_LIMIT (2 * SECOND)   /* the same, when three quarters of the places are taken */
#define DOCUMENT_LIMIT (30 * SECOND) /* for an answer to be taken */
#define STREAM_LIMIT (10 * SECOND)   /* for a stream to take what there is */

#define DOCUMENTS_MAX 4

struct connection {
    struct yk_http *http;
    struct MHD_Connection *mhd; /* NULL: this place is free */
    uint64_t deadline;          /* then it is cut */
    bool cut;
    bool suspended;
    struct stream *stream; /* NULL: none */
    struct answer *waits;  /* for this to be made; NULL: for none */
};

struct stream {
    struct connection *connection;
    struct yk_http_cursor cursor;
    size_t taken, size; /* of `message` */
    char message[YK_HTTP_MESSAGE_MAX];
};

/* A document as it was made last, and as it is being made. */
struct answer {
    const struct yk_http_document *document;
    struct MHD_Response *response; /* NULL: none yet */
    uint64_t made, cost;
    FILE *out; /* NULL: it is not being made */
    char *text;
    size_t size;
    struct yk_http_making making;
    uint64_t spent;
    bool failed; /* to be made, last time */
};

struct yk_http {
    struct yk_http_content content;
    struct yk_endpoint endpoint;
    struct MHD_Daemon *daemon;
    int listener, mhd, timer, descriptor; /* the last watches the two before it */
    uint64_t paused_until;                /* 0: not paused */
    uint64_t due;                         /* connections_due after the last turn */
    bool woken;                           /* streams have something to read */
    bool closing;
    uint64_t answers_bytes; /* of documents that are still held */
    struct yk_http_counts counts;
    unsigned connections_max;
    struct answer answers[DOCUMENTS_MAX];
    struct connection connections[YK_HTTP_CONNECTIONS_MAX];
};

uint64_t http_now(void); /* monotonic nanoseconds */

/* libmicrohttpd's callbacks. */
void connection_notified(void *http, struct MHD_Connection *mhd, void **place,
                         enum MHD_ConnectionNotificationCode code);
void connection_request_over(void *http, struct MHD_Connection *mhd, void **request,
                             enum MHD_RequestTerminationCode code);
enum MHD_Result answer_request(void *http, struct MHD_Connection *mhd, const char *url,
                               const char *method, const char *version, const char *upload,
                               size_t *upload_size, void **request);

struct connection *connection_of(struct MHD_Connection *mhd);
/* Cuts those whose time is over. */
void connections_expire(struct yk_http *http, uint64_t now);
/* When the next one's is. */
uint64_t connections_due(const struct yk_http *http);
/* Lets the streams that wait read again. */
void connections_wake_streams(struct yk_http *http, uint64_t now);
/* Lets those go on that wait for this to be made; NULL: whatever for. */
void connections_wake_waiting(struct yk_http *http, const struct answer *answer);
/* Until it is woken. */
void connection_wait(struct connection *connection, struct answer *answer);
/* NULL when there is no memory. It belongs to the connection from then on. */
struct stream *stream_begin(struct connection *connection, const char *after);
/* libmicrohttpd's: the next bytes of a stream. */
ssize_t stream_read(void *stream, uint64_t at, char *out, size_t room);

/* Goes on with what is being made, for a while. */
void answers_go_on(struct yk_http *http);
bool answers_in_the_making(const struct yk_http *http);
void answers_free(struct yk_http *http);

#endif
