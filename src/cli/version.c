/* version: of yoke, and of the libraries it runs with. */
#include <jansson.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <uv.h>

#include "cli/verbs.h"
#include "cli/writer.h"

static int run_version(const struct yk_options *options)
{
    const struct yk_part parts[] = {
        {"yoke", YK_VERSION},
        {"libuv", uv_version_string()},
        {"jansson", jansson_version_str()},
        {"libcrypto", OpenSSL_version(OPENSSL_VERSION_STRING)},
    };

    yk_writer(options->json)->version(stdout, parts, sizeof parts / sizeof parts[0]);
    return YK_EXIT_OK;
}

const struct yk_verb yk_verb_version = {
    .name = "version",
    .words = "",
    .word_count = 0,
    .takes = YK_TAKES_JSON,
    .summary = "versions of yoke and its libraries",
    .about = "Prints the version of yoke, and of the libraries it runs with.\n",
    .exit_statuses = "  0   done\n"
                     "  64  the command line is wrong\n"
                     "  70  standard output cannot be written\n",
    .run = run_version,
};
