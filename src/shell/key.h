/* key.h - the site key's file (spec, Authentication; completions section 6). */
#ifndef YK_SHELL_KEY_H
#define YK_SHELL_KEY_H

#include "base/refusal.h"
#include "core/auth.h"

#define YK_KEY_MAX 4096 /* bytes of a key file */

/* Reads a key file: its bytes less one final LF. Refuses what is absent, empty, no regular file
 * (78) or unsafe (77). `warning` (YK_REFUSAL_MAX bytes) gets a line when a CR or blank at an end is
 * kept, else "". The caller wipes `key`. */
bool yk_key_read(const char *path, uint8_t key[YK_KEY_MAX], size_t *size, char *warning,
                 struct yk_refusal *why);

/* Both key files of a site into `auth`, where they are guarded; "" is none (open mode, no second
 * key). A failure leaves `auth` as it was. Warnings go to `warn` a line each. */
bool yk_key_load(struct yk_auth *auth, const char *psk_file, const char *psk_file_next,
                 void (*warn)(const char *line), struct yk_refusal *why);

/* Guards memory that a loaded `auth` is to be copied to. */
void yk_key_guard(const struct yk_auth *auth, void (*warn)(const char *line));

/* Makes a new random key file, mode 0600: 64 hex digits and LF. Refuses to replace one (73).
 * `fingerprint` gets the key's. */
bool yk_key_generate(const char *path, char fingerprint[YK_FINGERPRINT_SIZE],
                     struct yk_refusal *why);

#endif
