/* endpoint.h - where something of ours listens: "ADDR:PORT". */
#ifndef YK_BASE_ENDPOINT_H
#define YK_BASE_ENDPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/refusal.h"

struct yk_endpoint {
    uint8_t ip[4];
    uint16_t port; /* host order; 0: the kernel chooses */
};
#define YK_ENDPOINT_TEXT_MAX 22 /* "255.255.255.255:65535" */

/* Reads "127.0.0.1:9754"; ":9754" and "9754" are on the loopback address. `place` and `exit` are the
 * refusal's. */
bool yk_endpoint_parse(struct yk_endpoint *endpoint, const char *text, const char *place,
                       enum yk_exit exit, struct yk_refusal *why);
const char *yk_endpoint_text(char out[YK_ENDPOINT_TEXT_MAX], const struct yk_endpoint *endpoint);
/* Only this host can reach it. */
bool yk_endpoint_is_loopback(const struct yk_endpoint *endpoint);

#endif
