#include "common.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

struct yk_effects effects;

uint64_t cpu_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * YK_SECOND + (uint64_t)now.tv_nsec;
}

struct yk_node *node_start(const struct yk_auth *auth, uint32_t tracked)
{
    struct yk_node_options options = {.name = yk_slice_of("bench"),
                                      .role = YK_ROLE_CONSUMER,
                                      .kind = YK_KIND_HDMI,
                                      .auth = auth,
                                      .tracked = tracked,
                                      .seed = 1,
                                      .stop_limit = YK_SECOND};
    struct yk_input input = {.kind = YK_INPUT_START, .now = YK_SECOND};
    void *memory = mmap(NULL, yk_node_memory(tracked), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct yk_node *node;

    if (memory == MAP_FAILED) {
        perror("mmap");
        exit(1);
    }
    yk_id_parse(&options.id, yk_slice_of("bench"));
    node = yk_node_init(memory, &options);
    input.as.start.wall_ns = WALL_NS;
    yk_node_step(node, &input, &effects);
    input = (struct yk_input){.kind = YK_INPUT_PERSISTED, .now = YK_SECOND};
    input.as.persisted.request = 1;
    input.as.persisted.ok = true;
    yk_node_step(node, &input, &effects);
    return node;
}

void node_end(struct yk_node *node, uint32_t tracked)
{
    munmap(node, yk_node_memory(tracked));
}

uint64_t node_feed(struct yk_node *node, const struct yk_slice *datagrams, size_t first,
                   size_t count)
{
    struct yk_input input = {.kind = YK_INPUT_DATAGRAM};
    uint64_t start = cpu_ns();

    input.as.datagram.from = (struct yk_address){{10, 0, 0, 9}, 9753};
    for (size_t i = 0; i < count; i++) {
        input.now = YK_SECOND + (first + i) * YK_MS;
        input.as.datagram.bytes = datagrams[i];
        yk_node_step(node, &input, &effects);
    }
    return cpu_ns() - start;
}

void node_expect(const struct yk_node *node, enum yk_drop verdict, uint64_t count,
                 const char *figure)
{
    struct yk_node_view view;

    yk_node_view(node, &view);
    if (view.drops[verdict] != count) {
        fprintf(stderr, "%s: %" PRIu64 " frames of %" PRIu64 " fared as they should\n", figure,
                view.drops[verdict], count);
        exit(1);
    }
}

void print_figure(const char *name, double value)
{
    printf("%s %.3f\n", name, value);
}
