/* keygen: a new site key. */
#include <stdio.h>

#include "cli/say.h"
#include "cli/verbs.h"
#include "shell/key.h"

static int run_keygen(const struct yk_options *options)
{
    char fingerprint[YK_FINGERPRINT_SIZE];
    struct yk_refusal why;

    if (options->words[0][0] == '\0') {
        yk_say("FILE: the name is empty; give the file that is to be made");
        return YK_EXIT_USAGE;
    }
    if (!yk_key_generate(options->words[0], fingerprint, &why)) {
        yk_say("%s", why.text);
        return why.exit;
    }
    printf("%s\n", fingerprint);
    return YK_EXIT_OK;
}

const struct yk_verb yk_verb_keygen = {
    .name = "keygen",
    .words = "FILE",
    .word_count = 1,
    .takes = 0,
    .summary = "make a new site key",
    .about = "Writes a new random site key to FILE, which must not be there yet, readable by its\n"
             "owner alone, and prints the key's fingerprint, which is no secret. Every node of a\n"
             "site has the same key: copy the file to each as its psk_file.\n",
    .exit_statuses = "  0   done\n"
                     "  64  the command line is wrong\n"
                     "  70  internal fault, or standard output cannot be written\n"
                     "  73  the file is there already, or cannot be made\n",
    .run = run_keygen,
};
