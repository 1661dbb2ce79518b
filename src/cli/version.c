/* version: of yoke, and of the libraries it runs with; with a key its fingerprint, to be compared. */
#include <dlfcn.h>
#include <jansson.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>

#include "base/build.h"
#include "cli/access.h"
#include "cli/say.h"
#include "cli/verbs.h"
#include "cli/writer.h"

/* Of the key that the command line names, "" when it names none. */
static bool read_fingerprint(const struct yk_options *options, char out[YK_FINGERPRINT_SIZE],
                             struct yk_refusal *why)
{
    struct yk_access access;
    bool good;

    out[0] = '\0';
    if (options->config == NULL && options->psk_file == NULL) {
        return true;
    }
    good = yk_access_read(&access, options, why);
    if (good) {
        memcpy(out, access.auth.key.fingerprint, YK_FINGERPRINT_SIZE);
    }
    yk_auth_fini(&access.auth);
    return good;
}

/* The agent's: the tools themselves do not load it, which would be a twentieth of what `yoke pair` takes. */
static const char *agents_libuv(void)
{
    void *library = dlopen("libuv.so.1", RTLD_NOW);
    const char *(*ask)(void) = NULL;

    if (library != NULL) {
        *(void **)&ask = dlsym(library, "uv_version_string");
    }
    return ask != NULL ? ask() : "missing";
}

static int run_version(const struct yk_options *options)
{
    char key[YK_FINGERPRINT_SIZE];
    const struct yk_part parts[] = {
        {"yoke", YK_VERSION},
        {"commit", yk_build_commit},
        {"libuv", agents_libuv()},
        {"jansson", jansson_version_str()},
        {"libcrypto", OpenSSL_version(OPENSSL_VERSION_STRING)},
        {"key", key},
    };
    struct yk_refusal why;

    if (!read_fingerprint(options, key, &why)) {
        yk_say("%s", why.text);
        return (int)why.exit;
    }
    yk_writer(options->json)->version(stdout, parts, sizeof parts / sizeof parts[0]);
    return YK_EXIT_OK;
}

const struct yk_verb yk_verb_version = {
    .name = "version",
    .words = "",
    .word_count = 0,
    .takes = YK_TAKES_JSON | YK_TAKES_SITE,
    .summary = "versions of yoke and its libraries, and the key's fingerprint",
    .about = "Prints the version of yoke, the commit it was built from, and the versions of the\n"
             "libraries it runs with; with --config or --psk-file the key's fingerprint too, so\n"
             "that two hosts can be compared by eye.\n",
    .exit_statuses = "  0   done\n"
                     "  64  the command line is wrong\n"
                     "  70  standard output cannot be written\n"
                     "  77  the key file is not safe from others\n"
                     "  78  configuration or key is wrong\n",
    .run = run_version,
};
