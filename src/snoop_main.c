/* yoke-snoop: the program behind `yoke snoop`. It listens and shows; nothing in it can transmit. */
#include <stdio.h>

#include "base/descriptors.h"
#include "cli/say.h"
#include "snooper/face_check.h"
#include "snooper/face_http.h"
#include "snooper/face_json.h"
#include "snooper/face_lines.h"
#include "snooper/face_media.h"
#include "snooper/face_record.h"
#include "snooper/face_top.h"
#include "snooper/live.h"
#include "snooper/playback.h"
#include "snooper/silence.h"
#include "snooper/stream_socket.h"
#include "snooper/topology.h"

/* What can be done with what is heard. The screen is last: what the others say is said before it. */
static const struct yk_face *const faces[] = {
    &yk_face_http,  &yk_face_lines, &yk_face_json,   &yk_face_topology,
    &yk_face_check, &yk_face_media, &yk_face_record, &yk_face_top,
};
#define FACE_COUNT (sizeof faces / sizeof faces[0])

/* From the network, or from a capture; `at` becomes the last moment. */
static bool hear_and_show(struct yk_snoop *snoop, const struct yk_snoop_options *options,
                          struct yk_moment *at, struct yk_refusal *why)
{
    bool is_capture = options->read != NULL;
    bool good;

    *at = is_capture ? yk_playback_start() : yk_live_now();
    if (options->media) {
        yk_stream_reserve();
    }
    if (!yk_silence_seal(options->http, why) ||
        !yk_snoop_open(snoop, options, faces, FACE_COUNT, *at, why)) {
        return false;
    }
    if (is_capture) {
        return yk_playback_run(snoop, options->read, at, why);
    }
    good = yk_live_run(snoop, why);
    *at = yk_live_now();
    return good;
}

static int run(const struct yk_options *common)
{
    const struct yk_snoop_options *options = (const struct yk_snoop_options *)(const void *)common;
    struct yk_snoop snoop = {.face_count = 0};
    struct yk_refusal why = {.exit = YK_EXIT_OK};
    struct yk_moment at;
    enum yk_exit status;

    if (!yk_snoop_options_check(options, &why)) {
        yk_say("%s", why.text);
        return (int)why.exit;
    }
    if (options->rules) {
        yk_check_list(common->json);
        return YK_EXIT_OK;
    }
    /* That standard output failed is said behind us, for every verb. */
    if (!hear_and_show(&snoop, options, &at, &why) && !ferror(stdout)) {
        yk_say("%s", why.text);
    }
    yk_playback_stay(&snoop, at);
    status = yk_snoop_close(&snoop, at);
    return (int)(why.exit != YK_EXIT_OK ? why.exit : status);
}

static const char about[] =
    "Listens to the control network and shows every frame and what it changes: nodes that come\n"
    "and go, and each pairing from the request to the picture. Frames that do not verify are\n"
    "shown, marked with the reason, and change nothing. Nothing is ever transmitted.\n"
    "\n"
    "With --check what was heard is held against the rules of the protocol: a line a violation,\n"
    "and a sum. Who comes late or loses frames cannot prove what was not said: a few rules say\n"
    "\"heard\", and mean it.\n"
    "\n"
    "With --top the terminal shows what is, not what comes: each producer and below it who shows\n"
    "it, with state, age of the last announcement, frames a second and the reason where one is "
    "not\n"
    "well; drops, operations without an answer, the last events. Arrows, PgUp, PgDn, Home and End\n"
    "scroll, q quits. Where there is no terminal, or a dumb one, a picture is printed every 2 s.\n"
    "With --read it shows how things stood at the end of the capture.\n"
    "\n"
    "With --media the multicast groups that igmp and jap producers announce are joined, on the\n"
    "interface of the control network, and measured: a line when a stream begins, falls silent "
    "for\n"
    "more than 0.5 s (a gap) and comes again, and one every 2 s with its rates (-q: none of\n"
    "these). Counted are UDP datagrams to the group and port, in bits of UDP payload; where the\n"
    "media names no port (jap), any UDP to the group, which needs the capability CAP_NET_RAW. The\n"
    "payload itself is never read. PRODUCER is an id or a human name; at most 64 groups are "
    "joined\n"
    "at a time, each by a socket of its own. Producers that come, change and go are followed; one\n"
    "that only falls silent on the control network is still measured.\n";

static const char exit_statuses[] =
    "  0   stopped, or the time of --for is over\n"
    "  1   --check: a rule was broken\n"
    "  64  the command line is wrong\n"
    "  70  internal fault, or standard output cannot be written\n"
    "  73  the file of --record cannot be made or written\n"
    "  77  the key file is not safe from others\n"
    "  78  configuration, key, network, the file of --read or the address of --http is wrong\n";

int main(int argc, char **argv)
{
    struct yk_snoop_options options = {.quiet = false};
    struct yk_verb verb = {.name = "snoop",
                           .words = "",
                           .takes = YK_TAKES_SITE | YK_TAKES_JSON,
                           .about = about,
                           .exit_statuses = exit_statuses,
                           .own = yk_snoop_option_rows,
                           .own_count = yk_snoop_option_count,
                           .run = run};

    yk_descriptors_fill();
    return yk_verb_run(&verb, &options.common, argc - 1, argv + 1);
}
