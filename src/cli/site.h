/* site.h - where a tool stands: the control group and key it was told of, its socket, and what it
 * has learned there. */
#ifndef YK_CLI_SITE_H
#define YK_CLI_SITE_H

#include "cli/knowledge.h"
#include "cli/options.h"
#include "core/admission.h"
#include "shell/config.h"
#include "shell/socket.h"

struct yk_site {
    struct yk_network network;
    bool interface_given;
    bool open; /* no key: nothing is signed */
    struct yk_auth auth;
    char status_socket[YK_PATH_MAX]; /* of the configuration; "" is none */
    struct yk_id self; /* our own envelope origin: not heard; "none": we do not send */
    struct yk_socket socket;
    uint64_t accepted; /* frames of others, by ourselves */
    yk_time joined;    /* since when we listen; 0: we do not */
    struct yk_receiver receiver;
    struct yk_knowledge knowledge;
    void *receiver_memory, *knowledge_memory;
    /* Told of a datagram whose signature or number was refused; its envelope is that of `frame`, and
     * nothing in it is to be believed. NULL: nobody asks. `owner` is that of the listening. */
    void (*refused)(void *owner, enum yk_drop drop, const struct yk_frame *frame,
                    struct yk_address from);
    char stranger_key[YK_FINGERPRINT_SIZE]; /* a local agent of this group has this key; "": none */
    bool stranger;                          /* a local agent of this group has another key */
};

/* Monotonic nanoseconds; Unix nanoseconds. */
yk_time yk_site_now(void);
int64_t yk_site_wall(void);
/* Random bytes from the kernel, at most 256 of them. */
bool yk_site_random(void *bytes, size_t size, struct yk_refusal *why);

/* Reads configuration and key and says so on standard error when the site is open. No socket yet.
 * NULL and `why` when something is wrong; else to be closed. */
struct yk_site *yk_site_open(const struct yk_options *options, struct yk_refusal *why);
void yk_site_close(struct yk_site *site);

/* Opens the socket and joins the group. */
bool yk_site_join(struct yk_site *site, struct yk_refusal *why);

/* Waits until something is heard or `until` has come; hands every accepted frame that is not our own
 * to the knowledge and then to `heard` (may be NULL). */
void yk_site_listen(struct yk_site *site, yk_time until, void *owner,
                    void (*heard)(void *owner, const struct yk_frame *frame, yk_time now));

/* "239.121.111.107:9753 on eth0"; the text lives until the next call. */
const char *yk_site_place(const struct yk_site *site);

/* One line with the likely cause, and the next step, when nobody was heard. */
void yk_site_explain_silence(const struct yk_site *site);

#endif
