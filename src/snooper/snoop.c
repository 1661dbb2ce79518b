#include "snooper/snoop.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "cli/say.h"

#define NOTICE_PAUSE (2 * YK_SECOND) /* between two lines about losses */

static bool make_observer(struct yk_snoop *snoop, struct yk_moment start, struct yk_refusal *why)
{
    struct yk_observer_options options = {.auth = &snoop->access.auth,
                                          .tracked = YK_TRACKED_DEFAULT,
                                          .wall = {.unix_ns = start.unix_ns, .at = start.now}};

    if (getrandom(&options.hash_seed, sizeof options.hash_seed, 0) !=
        (ssize_t)sizeof options.hash_seed) {
        return yk_refuse(why, YK_EXIT_INTERNAL,
                         "random numbers: the kernel gives none (%s); try again", strerror(errno));
    }
    snoop->memory = calloc(1, yk_observer_memory(options.tracked));
    snoop->observer = calloc(1, sizeof *snoop->observer);
    if (snoop->memory == NULL || snoop->observer == NULL) {
        return yk_refuse(why, YK_EXIT_INTERNAL, "memory: none left; free some and try again");
    }
    yk_observer_init(snoop->observer, snoop->memory, &options);
    return true;
}

bool yk_snoop_open(struct yk_snoop *snoop, const struct yk_snoop_options *options,
                   const struct yk_face *const *faces, size_t count, struct yk_moment start,
                   struct yk_refusal *why)
{
    memset(snoop, 0, sizeof *snoop);
    snoop->options = options;
    if (!yk_access_read(&snoop->access, &options->common, why) ||
        !make_observer(snoop, start, why)) {
        return false;
    }
    for (size_t i = 0; i < count && snoop->face_count < YK_FACES_MAX; i++) {
        struct yk_open_face *place = &snoop->faces[snoop->face_count];

        if (!faces[i]->is_wanted(options)) {
            continue;
        }
        if (!faces[i]->open(snoop, &place->self, why)) {
            return false;
        }
        place->face = faces[i];
        snoop->face_count++;
    }
    return true;
}

enum yk_exit yk_snoop_close(struct yk_snoop *snoop, struct yk_moment at)
{
    enum yk_exit status = YK_EXIT_OK;

    for (size_t i = 0; i < snoop->face_count; i++) {
        const struct yk_open_face *place = &snoop->faces[i];
        enum yk_exit its =
            place->face->close != NULL ? place->face->close(place->self, snoop, at) : YK_EXIT_OK;

        status = status == YK_EXIT_OK ? its : status;
    }
    yk_auth_fini(&snoop->access.auth);
    free(snoop->observer);
    free(snoop->memory);
    return status;
}

static void tell_changes(struct yk_snoop *snoop, struct yk_moment at)
{
    const struct yk_observer *observer = snoop->observer;

    for (size_t i = 0; i < snoop->face_count; i++) {
        const struct yk_open_face *place = &snoop->faces[i];

        for (size_t j = 0; place->face->changed != NULL && j < observer->change_count; j++) {
            place->face->changed(place->self, snoop, at, &observer->changes[j]);
        }
    }
}

/* The key is judged by what was heard so far: at once, and taken back at once. */
static void say_key(struct yk_snoop *snoop)
{
    unsigned long long failing = yk_observer_failing(snoop->observer);

    if (failing > 0 && !snoop->failing_said) {
        snoop->failing_said = true;
        if (snoop->access.open) {
            yk_say("every frame fails: no key? the site signs its frames; give --psk-file or "
                   "--config");
        } else {
            yk_say("every frame fails: wrong key? ours is %s; give the site's own key file",
                   snoop->access.auth.key.fingerprint);
        }
    } else if (failing == 0 && snoop->failing_said) {
        snoop->failing_said = false;
        yk_say("a frame verifies: the key is right, and the others are somebody else's");
    }
}

void yk_snoop_hear(struct yk_snoop *snoop, const struct yk_datagram *datagram, struct yk_moment at)
{
    struct yk_heard_frame heard;

    snoop->heard++;
    yk_observer_hear(snoop->observer, datagram->bytes, datagram->from, at.now, &heard);
    for (size_t i = 0; i < snoop->face_count; i++) {
        const struct yk_open_face *place = &snoop->faces[i];

        if (place->face->heard != NULL) {
            place->face->heard(place->self, snoop, at, &heard);
        }
    }
    tell_changes(snoop, at);
    say_key(snoop);
}

/* What is missing from the picture. */
static void say_losses(struct yk_snoop *snoop, yk_time now)
{
    uint64_t not_kept = yk_observer_not_kept(snoop->observer);

    if (now < snoop->notices_due) {
        return;
    }
    if (snoop->kernel_drops != snoop->said_drops) {
        yk_say("%llu datagrams were lost before we could read them (receive buffer %d bytes): "
               "raise net.core.rmem_max, or show less (-q)",
               (unsigned long long)snoop->kernel_drops, snoop->receive_buffer);
        snoop->said_drops = snoop->kernel_drops;
        snoop->notices_due = now + NOTICE_PAUSE;
    }
    if (not_kept != snoop->said_not_kept) {
        yk_say("%llu nodes and operations could not be kept: %u of each are, the newest",
               (unsigned long long)not_kept, snoop->observer->observed.capacity);
        snoop->said_not_kept = not_kept;
        snoop->notices_due = now + NOTICE_PAUSE;
    }
}

void yk_snoop_pass(struct yk_snoop *snoop, struct yk_moment at)
{
    while (yk_observer_deadline(snoop->observer) <= at.now) {
        yk_time due = yk_observer_deadline(snoop->observer);
        struct yk_moment moment = at;

        if (due > snoop->observer->now) {
            moment = (struct yk_moment){due, at.unix_ns - (int64_t)(at.now - due)};
        }
        yk_observer_tick(snoop->observer, moment.now);
        tell_changes(snoop, moment);
    }
    snoop->passed = at;
    say_losses(snoop, at.now);
    for (size_t i = 0; i < snoop->face_count && !snoop->over; i++) {
        const struct yk_open_face *place = &snoop->faces[i];

        snoop->over =
            place->face->flush != NULL && !place->face->flush(place->self, snoop, &snoop->why);
    }
}

yk_time yk_snoop_deadline(const struct yk_snoop *snoop)
{
    yk_time due = yk_observer_deadline(snoop->observer);

    for (size_t i = 0; i < snoop->face_count; i++) {
        const struct yk_open_face *place = &snoop->faces[i];

        if (place->face->deadline != NULL) {
            yk_time its = place->face->deadline(place->self);

            due = its < due ? its : due;
        }
    }
    return due;
}

bool yk_snoop_flush_output(struct yk_refusal *why)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        return yk_refuse(why, YK_EXIT_INTERNAL,
                         "standard output: cannot be written (%s); whoever read it is gone, or its "
                         "disk is full",
                         strerror(errno));
    }
    return true;
}

void yk_snoop_sum(const struct yk_snoop *snoop, char *out)
{
    const uint64_t *drops = snoop->observer->receiver.drops;
    unsigned long long dropped = snoop->heard - drops[YK_DROP_NONE];
    size_t used = (size_t)snprintf(out, YK_REFUSAL_MAX, "%llu frames: %llu accepted, %llu dropped",
                                   (unsigned long long)snoop->heard,
                                   (unsigned long long)drops[YK_DROP_NONE], dropped);
    const char *between = " (";

    for (int drop = YK_DROP_NONE + 1; drop < YK_DROP_END; drop++) {
        if (drops[drop] > 0) {
            used +=
                (size_t)snprintf(out + used, YK_REFUSAL_MAX - used, "%s%llu %s", between,
                                 (unsigned long long)drops[drop], yk_drop_word((enum yk_drop)drop));
            between = ", ";
        }
    }
    snprintf(out + used, YK_REFUSAL_MAX - used,
             "%s; %llu lost before we could read them; %llu nodes and operations not kept",
             dropped > 0 ? ")" : "", (unsigned long long)snoop->kernel_drops,
             (unsigned long long)yk_observer_not_kept(snoop->observer));
}
