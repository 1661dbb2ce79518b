/* yoke-snoop: the program behind `yoke snoop`. It listens and shows; nothing in it can transmit. */
#include <stdio.h>

#include "base/descriptors.h"
#include "cli/say.h"
#include "snooper/face_json.h"
#include "snooper/face_lines.h"
#include "snooper/live.h"
#include "snooper/silence.h"
#include "snooper/topology.h"

/* What can be done with what is heard. */
static const struct yk_face *const faces[] = {
    &yk_face_lines,
    &yk_face_json,
    &yk_face_topology,
};
#define FACE_COUNT (sizeof faces / sizeof faces[0])

static bool listen_and_show(struct yk_snoop *snoop, const struct yk_snoop_options *options,
                            struct yk_refusal *why)
{
    return yk_silence_seal(false, why) &&
           yk_snoop_open(snoop, options, faces, FACE_COUNT, yk_live_now(), why) &&
           yk_live_run(snoop, why);
}

static int run(const struct yk_options *common)
{
    const struct yk_snoop_options *options = (const struct yk_snoop_options *)(const void *)common;
    struct yk_snoop snoop = {.face_count = 0};
    struct yk_refusal why = {.exit = YK_EXIT_OK};
    enum yk_exit status;

    if (!yk_snoop_options_check(options, &why)) {
        yk_say("%s", why.text);
        return (int)why.exit;
    }
    /* That standard output failed is said behind us, for every verb. */
    if (!listen_and_show(&snoop, options, &why) && !ferror(stdout)) {
        yk_say("%s", why.text);
    }
    status = yk_snoop_close(&snoop, yk_live_now());
    return (int)(why.exit != YK_EXIT_OK ? why.exit : status);
}

static const char about[] =
    "Listens to the control network and shows every frame and what it changes: nodes that come\n"
    "and go, and each pairing from the request to the picture. Frames that do not verify are\n"
    "shown, marked with the reason, and change nothing. Nothing is ever transmitted.\n";

static const char exit_statuses[] = "  0   stopped, or the time of --for is over\n"
                                    "  64  the command line is wrong\n"
                                    "  70  internal fault, or standard output cannot be written\n"
                                    "  77  the key file is not safe from others\n"
                                    "  78  configuration, key or network is wrong\n";

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
