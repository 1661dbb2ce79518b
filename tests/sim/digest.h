/* digest.h - all that a datagram may change of a node, as its public view shows it, in one number. */
#ifndef YK_SIM_DIGEST_H
#define YK_SIM_DIGEST_H

#include <stdint.h>

struct agent;

uint64_t digest_of(const struct agent *agent);

#endif
