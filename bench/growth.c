/* growth - one round of what a frame and a peer cost when so many nodes are tracked.
 *
 *     growth NODES
 *
 * Prints "frame NANOSECONDS", "peer BYTES" (private memory that hearing them has touched, for each) and
 * "touch NANOSECONDS": what the caches take for one cache line at random out of that memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

#define ROUNDS 3 /* of announcements; the first is not measured */
#define LINE 64  /* bytes of a cache line */
#define TOUCHES 200000

static struct yk_auth auth;

/* Private memory of this process, in bytes. */
static size_t private_memory(void)
{
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    char line[256];
    size_t kib = 0, value;

    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "Private_Clean: %zu", &value) == 1 ||
            sscanf(line, "Private_Dirty: %zu", &value) == 1) {
            kib += value;
        }
    }
    if (file == NULL) {
        perror("/proc/self/smaps_rollup");
        exit(1);
    }
    fclose(file);
    return kib * 1024;
}

/* Producers and consumers by turns, each consumer paired: what announcements have, mostly. */
static size_t announce(uint32_t number, uint64_t seq, uint8_t out[YK_FRAME_MAX])
{
    struct yk_frame frame = {.type = YK_TYPE_ANN, .seq = seq, .ts_ms = (int64_t)(seq / YK_MS)};
    struct yk_ann *ann = &frame.as.ann;
    char id[32], name[32];

    snprintf(id, sizeof id, "room-%05u", (unsigned)number);
    snprintf(name, sizeof name, "Raum %u – links", (unsigned)number);
    yk_id_parse(&frame.origin, yk_slice_of(id));
    *ann = (struct yk_ann){.role = number % 2 ? YK_ROLE_CONSUMER : YK_ROLE_PRODUCER,
                           .kind = YK_KIND_HDMI,
                           .state = YK_STATE_ACTIVE,
                           .name = yk_slice_of(name),
                           .has_evidence = true,
                           .evidence = yk_slice_of("member of 239.10.0.5 on eth1")};
    if (ann->role == YK_ROLE_CONSUMER) {
        ann->pairing.version.n = 7;
        yk_id_parse(&ann->pairing.version.author, yk_slice_of("op-5b1f0e6c9a7d43b2"));
        yk_id_parse(&ann->pairing.producer, yk_slice_of("room-00000"));
    } else {
        ann->media = yk_slice_of("{\"group\":\"239.10.0.5\",\"port\":5004}");
    }
    return yk_frame_encode(&frame, &auth, out);
}

/* Each waits for the one before, as what a frame leads to is found step by step. */
static double touch(size_t size)
{
    size_t lines = size / LINE + 1;
    uint8_t *memory = malloc(lines * LINE);
    uint64_t random = 88172645463325252U, start = 0;

    if (memory == NULL) {
        perror("memory");
        exit(1);
    }
    memset(memory, 0, lines * LINE);
    for (int pass = 0; pass < 2; pass++) { /* the first warms what can be warm */
        start = cpu_ns();
        for (int i = 0; i < TOUCHES; i++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random += memory[random % lines * LINE]++ & 1;
        }
    }
    start = cpu_ns() - start;
    free(memory);
    return (double)start / TOUCHES;
}

int main(int argc, char **argv)
{
    static uint8_t room[BATCH][YK_FRAME_MAX];
    struct yk_slice batch[BATCH];
    long nodes = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
    uint32_t tracked = nodes < YK_TRACKED_MIN ? YK_TRACKED_MIN : (uint32_t)nodes;
    uint64_t seq = WALL_NS, sum = 0, measured = 0;
    struct yk_node *node;
    size_t before;

    if (nodes < 1 || nodes > YK_TRACKED_MAX) {
        fprintf(stderr, "usage: growth NODES (1 ... %d)\n", YK_TRACKED_MAX);
        return 64;
    }
    yk_auth_init(&auth, yk_slice_of("a key of the bench"), (struct yk_slice){NULL, 0});
    node = node_start(&auth, tracked);
    memset(room, 1, sizeof room);
    before = private_memory();
    for (int round = 0; round < ROUNDS; round++) {
        for (long first = 0; first < nodes; first += BATCH) {
            size_t count = nodes - first < BATCH ? (size_t)(nodes - first) : BATCH;
            uint64_t ns;

            for (size_t i = 0; i < count; i++) {
                seq++;
                batch[i] = (struct yk_slice){room[i],
                                             announce((uint32_t)first + (uint32_t)i, seq, room[i])};
            }
            ns = node_feed(node, batch, (seq - WALL_NS) / 100, count);
            sum += round > 0 ? ns : 0;
            measured += round > 0 ? count : 0;
        }
    }
    node_expect(node, YK_DROP_NONE, (uint64_t)nodes * ROUNDS, "growth");
    print_figure("frame", (double)sum / (double)measured);
    before = private_memory() - before;
    print_figure("peer", (double)before / (double)nodes);
    print_figure("touch", touch(before));
    node_end(node, tracked);
    return 0;
}
