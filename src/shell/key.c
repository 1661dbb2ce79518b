#include "shell/key.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/atomic.h"
#include "base/file.h"
#include "shell/guard.h"

#define UNSAFE_BITS 077          /* who may read a key can pair */
#define NEW_KEY_BYTES 32         /* written as twice as many hex digits */
#define EDGE_BYTES "\r\n\t \v\f" /* rarely meant at the ends of a key */

/* Where keys are read to: one place, so that it can be locked; empty but for the reading. */
static struct {
    uint8_t key[YK_KEY_MAX], next[YK_KEY_MAX];
} desk;

static void warn_about_edges(const char *path, const uint8_t *key, size_t size, char *warning)
{
    const char *end =
        strchr(EDGE_BYTES, key[size - 1]) != NULL && key[size - 1] != 0 ? "ends" : NULL;

    if (end == NULL && key[0] != 0 && strchr(EDGE_BYTES, key[0]) != NULL) {
        end = "begins";
    }
    if (end != NULL) {
        snprintf(
            warning, YK_REFUSAL_MAX,
            "key %s: %s with a blank, CR or second LF, which belongs to the key; write it anew "
            "without (\"yoke keygen\") unless all nodes have it so",
            path, end);
    }
}

bool yk_key_read(const char *path, uint8_t key[YK_KEY_MAX], size_t *size, char *warning,
                 struct yk_refusal *why)
{
    struct stat facts;
    char cause[YK_CAUSE_MAX];

    warning[0] = 0;
    if (!yk_file_read(path, true, key, YK_KEY_MAX, size, &facts, cause)) {
        return yk_refuse(why, YK_EXIT_CONFIG, "key %s: %s; %s", path, cause,
                         errno == EACCES ? YK_FILE_BE_OWNER
                                         : "copy the site's key there, or make one with \"yoke "
                                           "keygen\"");
    }
    if (!yk_file_is_safe(path, &facts, UNSAFE_BITS, cause)) {
        explicit_bzero(key, *size);
        return yk_refuse(why, YK_EXIT_UNSAFE, "key %s: %s", path, cause);
    }
    if (*size > 0 && key[*size - 1] == '\n') {
        --*size;
    }
    if (*size == 0) {
        return yk_refuse(
            why, YK_EXIT_CONFIG,
            "key %s: empty; copy the site's key there, or make one with \"yoke keygen\"", path);
    }
    warn_about_edges(path, key, *size, warning);
    return true;
}

/* Reads a key if there is one; `size` is 0 otherwise. */
static bool read_if_given(const char *path, uint8_t key[YK_KEY_MAX], size_t *size,
                          void (*warn)(const char *line), struct yk_refusal *why)
{
    char warning[YK_REFUSAL_MAX];

    *size = 0;
    if (path[0] == 0) {
        return true;
    }
    if (!yk_key_read(path, key, size, warning, why)) {
        *size = 0;
        return false;
    }
    if (warning[0] != 0) {
        warn(warning);
    }
    return true;
}

void yk_key_guard(const struct yk_auth *auth, void (*warn)(const char *line))
{
    static bool said;
    char line[YK_REFUSAL_MAX];

    yk_guard_process();
    if ((!yk_guard_memory(auth, sizeof *auth) || !yk_guard_memory(&desk, sizeof desk)) && !said) {
        said = true;
        snprintf(line, sizeof line,
                 "the key cannot be kept out of swap: %s; raise the limit of locked memory "
                 "(ulimit -l, LimitMEMLOCK=)",
                 strerror(errno));
        warn(line);
    }
}

bool yk_key_load(struct yk_auth *auth, const char *psk_file, const char *psk_file_next,
                 void (*warn)(const char *line), struct yk_refusal *why)
{
    size_t key_size, next_size = 0;
    bool ok;

    if (psk_file[0] != 0) {
        yk_key_guard(auth, warn);
    }
    ok = read_if_given(psk_file, desk.key, &key_size, warn, why) &&
         read_if_given(psk_file_next, desk.next, &next_size, warn, why);
    if (ok) {
        yk_auth_init(auth, (struct yk_slice){desk.key, key_size},
                     (struct yk_slice){desk.next, next_size});
    }
    explicit_bzero(&desk, sizeof desk);
    return ok;
}

/* Hex digits and LF; 0, or the errno. */
static int make_key(char text[2 * NEW_KEY_BYTES + 1])
{
    static const char digits[] = "0123456789abcdef";
    uint8_t random[NEW_KEY_BYTES];

    if (getrandom(random, sizeof random, 0) != sizeof random) {
        return EIO;
    }
    for (size_t i = 0; i < sizeof random; i++) {
        text[2 * i] = digits[random[i] >> 4];
        text[2 * i + 1] = digits[random[i] & 15];
    }
    text[2 * NEW_KEY_BYTES] = '\n';
    explicit_bzero(random, sizeof random);
    return 0;
}

bool yk_key_generate(const char *path, char fingerprint[YK_FINGERPRINT_SIZE],
                     struct yk_refusal *why)
{
    char text[2 * NEW_KEY_BYTES + 1];
    const char *step = "drawing a key";
    struct yk_auth auth;
    int error;

    yk_guard_process();
    error = make_key(text);

    if (error == 0) {
        error = yk_atomic_write(path, text, sizeof text, YK_ATOMIC_CREATE, &step);
    }
    if (error == 0) {
        yk_auth_init(&auth, (struct yk_slice){(const uint8_t *)text, 2 * NEW_KEY_BYTES},
                     (struct yk_slice){NULL, 0});
        memcpy(fingerprint, auth.key.fingerprint, YK_FINGERPRINT_SIZE);
        yk_auth_fini(&auth);
    }
    explicit_bzero(text, sizeof text);
    if (error == EEXIST) {
        return yk_refuse(why, YK_EXIT_CANNOT_MAKE,
                         "key %s: is there already; name another file, or move it away first",
                         path);
    }
    return error == 0 || yk_refuse(why, YK_EXIT_CANNOT_MAKE,
                                   "key %s: cannot be made: %s: %s; its directory must exist, "
                                   "be writable and have room",
                                   path, step, strerror(error));
}
