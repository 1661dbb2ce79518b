/* common.h - what the measuring programs share. */
#ifndef YK_BENCH_COMMON_H
#define YK_BENCH_COMMON_H

#include "core/node.h"

#define BATCH 64                             /* datagrams, as the socket reads them */
#define WALL_NS INT64_C(1790000000000000000) /* when the corpus begins; see bench/corpus */

/* CPU time of this thread: what others do on the machine counts as little as can be. */
uint64_t cpu_ns(void);

/* A consumer that has started; its steps fill `effects`. */
struct yk_node *node_start(const struct yk_auth *auth, uint32_t tracked);
void node_end(struct yk_node *node, uint32_t tracked);
extern struct yk_effects effects;

/* Steps the node through `count` datagrams, 1 ms apart from `first` on; gives the time it took. Apart, so
 * that a profiler can be told to look at nothing else. */
uint64_t node_feed(struct yk_node *node, const struct yk_slice *datagrams, size_t first,
                   size_t count);

/* Ends the program when the node has not given this verdict `count` times. */
void node_expect(const struct yk_node *node, enum yk_drop verdict, uint64_t count,
                 const char *figure);

/* A line "name value", for bench/run. */
void print_figure(const char *name, double value);

#endif
