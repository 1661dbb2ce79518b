#include "cli/site.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "cli/access.h"
#include "cli/say.h"
#include "core/clocks.h"
#include "shell/key.h"

static uint64_t read_clock(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * YK_SECOND + (uint64_t)time.tv_nsec;
}

yk_time yk_site_now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

int64_t yk_site_wall(void)
{
    return (int64_t)read_clock(CLOCK_REALTIME);
}

bool yk_site_random(void *bytes, size_t size, struct yk_refusal *why)
{
    if (getrandom(bytes, size, 0) != (ssize_t)size) {
        return yk_refuse(why, YK_EXIT_INTERNAL,
                         "random numbers: the kernel gives none (%s); try again", strerror(errno));
    }
    return true;
}

static bool read_access(struct yk_site *site, const struct yk_options *options,
                        struct yk_refusal *why)
{
    struct yk_access access;
    bool good = yk_access_read(&access, options, why);

    site->network = access.network;
    site->interface_given = access.interface_given;
    site->open = access.open;
    if (!access.open) {
        yk_key_guard(&site->auth, yk_access_warn);
    }
    site->auth = access.auth;
    memcpy(site->status_socket, access.status_socket, sizeof site->status_socket);
    yk_auth_fini(&access.auth);
    return good;
}

static bool make_tables(struct yk_site *site, struct yk_refusal *why)
{
    struct yk_wall wall = {.unix_ns = yk_site_wall(), .at = yk_site_now()};
    uint64_t seed;

    if (!yk_site_random(&seed, sizeof seed, why)) {
        return false;
    }
    site->receiver_memory = calloc(1, yk_receiver_memory(YK_TRACKED_DEFAULT));
    site->knowledge_memory = calloc(1, yk_knowledge_memory(YK_TRACKED_DEFAULT));
    if (site->receiver_memory == NULL || site->knowledge_memory == NULL) {
        return yk_refuse(why, YK_EXIT_INTERNAL, "memory: none left; free some and try again");
    }
    yk_receiver_init(&site->receiver, site->receiver_memory, YK_TRACKED_DEFAULT, &site->auth, wall,
                     seed);
    yk_knowledge_init(&site->knowledge, site->knowledge_memory, YK_TRACKED_DEFAULT, seed);
    return true;
}

struct yk_site *yk_site_open(const struct yk_options *options, struct yk_refusal *why)
{
    struct yk_site *site = calloc(1, sizeof *site);

    if (site == NULL) {
        yk_refuse(why, YK_EXIT_INTERNAL, "memory: none left; free some and try again");
        return NULL;
    }
    site->socket.fd = -1;
    if (!read_access(site, options, why) || !make_tables(site, why)) {
        yk_site_close(site);
        return NULL;
    }
    return site;
}

void yk_site_close(struct yk_site *site)
{
    if (site->socket.fd >= 0) {
        yk_socket_close(&site->socket);
    }
    yk_auth_fini(&site->auth);
    free(site->receiver_memory);
    free(site->knowledge_memory);
    free(site);
}

bool yk_site_join(struct yk_site *site, struct yk_refusal *why)
{
    struct in_addr address;
    int ifindex;

    if (!yk_interface_find(site->network.interface, &ifindex, &address, why) ||
        !yk_socket_open(&site->socket, &site->network, why)) {
        return false;
    }
    if (!yk_socket_join(&site->socket, ifindex, address)) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "%s: cannot join the group: %s; name the interface of the control network "
                         "with --interface (\"ip -br address\" lists them)",
                         yk_site_place(site), strerror(errno));
    }
    site->joined = yk_site_now();
    return true;
}

static void wait_readable(const struct yk_site *site, yk_time until)
{
    struct pollfd fd = {.fd = site->socket.fd, .events = POLLIN};
    yk_time now = yk_site_now();
    yk_time left = until > now ? until - now : 0;
    struct timespec timeout = {.tv_sec = (time_t)(left / YK_SECOND),
                               .tv_nsec = (long)(left % YK_SECOND)};

    /* A signal or an error is no datagram; the caller looks at the time and comes again. */
    ppoll(&fd, 1, &timeout, NULL);
}

void yk_site_listen(struct yk_site *site, yk_time until, void *owner,
                    void (*heard)(void *owner, const struct yk_frame *frame, yk_time now))
{
    size_t count;
    yk_time now;

    wait_readable(site, until);
    count = yk_socket_read(&site->socket);
    now = yk_site_now();
    for (size_t i = 0; i < count; i++) {
        const struct yk_datagram *datagram = &site->socket.batch[i];
        struct yk_frame frame;
        enum yk_drop drop = yk_receiver_admit(&site->receiver, datagram->bytes, now, &frame);

        if (site->refused != NULL && (drop == YK_DROP_AUTH || drop == YK_DROP_STALE)) {
            site->refused(owner, drop, &frame, datagram->from);
        }
        if (drop != YK_DROP_NONE || yk_id_equal(&frame.origin, &site->self)) {
            continue;
        }
        site->accepted++;
        yk_knowledge_hear(&site->knowledge, &frame, datagram->from,
                          site->receiver.signer != NULL ? site->receiver.signer->fingerprint
                                                        : site->auth.key.fingerprint,
                          now);
        if (frame.type == YK_TYPE_ANN) {
            yk_knowledge_clock(&site->knowledge, &frame.origin,
                               yk_clock_ahead(frame.ts_ms, yk_site_wall()));
        }
        if (heard != NULL) {
            heard(owner, &frame, now);
        }
    }
}

const char *yk_site_place(const struct yk_site *site)
{
    return yk_access_place(&site->network);
}

/* Drops that name a cause, the surest first. */
static bool explain_drops(const struct yk_site *site)
{
    const uint64_t *drops = site->receiver.drops;
    unsigned long long auth = drops[YK_DROP_AUTH], stale = drops[YK_DROP_STALE];
    unsigned long long foreign = drops[YK_DROP_MALFORMED] + drops[YK_DROP_OVERSIZE];

    if (auth > 0 && site->open) {
        yk_say("likely cause: the site has a key (%llu signed frames came in and were dropped); "
               "give --psk-file or --config",
               auth);
    } else if (auth > 0) {
        yk_say("likely cause: another key (%llu frames came in that key %s does not verify); give "
               "the site's own key file",
               auth, site->auth.key.fingerprint);
    } else if (stale > 0) {
        yk_say("likely cause: this host's clock (%llu frames came in from over an hour ahead of "
               "it); set the clock",
               stale);
    } else if (drops[YK_DROP_VERSION] > 0) {
        yk_say("likely cause: the others speak another version of the protocol; look for an update "
               "of yoke");
    } else if (foreign > 0) {
        yk_say("likely cause: another program uses this group and port (%llu datagrams were not "
               "ours); check --group and --port",
               foreign);
    } else {
        return false;
    }
    return true;
}

void yk_site_explain_silence(const struct yk_site *site)
{
    yk_time listened = site->joined == 0 ? 0 : yk_site_now() - site->joined;
    char duration[32];

    if (explain_drops(site)) {
        return;
    }
    if (site->stranger && site->stranger_key[0] == '\0') {
        yk_say("likely cause: the key; an agent on this host is open, and we use key %s; leave out "
               "the key, or give that agent the site's",
               site->auth.key.fingerprint);
    } else if (site->stranger) {
        yk_say("likely cause: the key; an agent on this host uses key %s; give its file with "
               "--config, or the key with --psk-file",
               site->stranger_key);
    } else if (listened < YK_KNOWLEDGE_LISTEN) {
        yk_say("likely cause: too short a time (a node speaks every 2 s, and we listened for %s); "
               "give it 3 s or more",
               yk_duration(duration, listened));
    } else {
        yk_say("likely cause: another network (nothing at all came in at %s); check cable and "
               "--interface, and that agents run",
               yk_site_place(site));
    }
}
