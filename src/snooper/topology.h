/* topology.h - who is paired with whom, as a graph: producers, and the consumers that show them. */
#ifndef YK_SNOOPER_TOPOLOGY_H
#define YK_SNOOPER_TOPOLOGY_H

#include <stdio.h>

#include "snooper/snoop.h"

/* The peers in order: each producer and behind it its consumers, then the consumers of producers
 * that are not heard, then the unpaired ones; within each by id. */
struct yk_topology {
    const struct yk_snoop *snoop;
    const struct yk_peer **peers;
    size_t count;
    yk_time now;
};

/* False when there is no memory; else yk_topology_fini is due. The observer must not change in
 * between. */
bool yk_topology_init(struct yk_topology *topology, const struct yk_snoop *snoop, yk_time now);
void yk_topology_fini(struct yk_topology *topology);

/* The producer that a peer stands with: itself, or the one it shows; "none" when it is unpaired. */
const struct yk_id *yk_topology_group(const struct yk_peer *peer);
/* Is that peer the first of consumers whose producer is not in the list? */
bool yk_topology_is_orphan(const struct yk_topology *topology, size_t i);

void yk_topology_text(const struct yk_topology *topology, FILE *out);
/* One JSON object on one line. */
void yk_topology_json(const struct yk_topology *topology, FILE *out);
/* For graphviz. */
void yk_topology_dot(const struct yk_topology *topology, FILE *out);

extern const struct yk_face yk_face_topology;

#endif
