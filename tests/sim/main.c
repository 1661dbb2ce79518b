/* sim - the real core as many nodes in one process, in virtual time, under faults drawn from a seed.
 *
 *   sim [--seed N] [--runs N] [--nodes N] [--hours N | --minutes N] [--shrink] [--trace]
 *
 * --trace prints all that happens, not only what came last before a failure.
 *
 * Exit status 0: every rule held in every run; 1: one did not; 64: usage. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "sim/run.h"
#include "sim/shrink.h"

#ifndef YK_COMMIT
#define YK_COMMIT "unknown" /* of a build for something else */
#endif

struct command {
    struct plan_options options;
    bool seed_given;
    unsigned runs;
    bool shrink, lines;
};

static uint64_t fresh_seed(void)
{
    uint32_t seed;

    if (getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed) {
        perror("sim: getrandom");
        exit(70);
    }
    return seed;
}

static uint64_t number(const char *text, uint64_t most)
{
    char *end;
    uint64_t value = strtoull(text, &end, 10);

    if (*text == '\0' || *end != '\0' || value > most) {
        fprintf(stderr, "sim: \"%s\": not a number up to %" PRIu64 "; see --help\n", text, most);
        exit(64);
    }
    return value;
}

static void usage(FILE *to)
{
    fputs("usage: sim [--seed N] [--runs N] [--nodes N] [--hours N | --minutes N] [--shrink] "
          "[--trace]\n",
          to);
}

static void parse(struct command *command, int argc, char **argv)
{
    static const struct option known[] = {
        {"seed", required_argument, NULL, 's'},
        {"runs", required_argument, NULL, 'r'},
        {"nodes", required_argument, NULL, 'n'},
        {"hours", required_argument, NULL, 'h'},
        {"minutes", required_argument, NULL, 'm'},
        {"shrink", no_argument, NULL, 'k'},
        {"trace", no_argument, NULL, 't'},
        {"help", no_argument, NULL, '?'},
        {NULL, 0, NULL, 0},
    };
    int option;

    *command = (struct command){.runs = 1};
    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        switch (option) {
        case 's':
            command->options.seed = number(optarg, UINT64_MAX);
            command->seed_given = true;
            break;
        case 'r':
            command->runs = (unsigned)number(optarg, UINT32_MAX);
            break;
        case 'n':
            command->options.nodes = (unsigned)number(optarg, PLAN_NODES_MAX);
            break;
        case 'h':
            command->options.minutes = 60 * number(optarg, 24 * 365);
            break;
        case 'm':
            command->options.minutes = number(optarg, 60 * 24 * 365);
            break;
        case 'k':
            command->shrink = true;
            break;
        case 't':
            command->lines = true;
            break;
        default:
            usage(optopt == 0 ? stdout : stderr);
            exit(optopt == 0 ? 0 : 64);
        }
    }
    if (optind < argc || command->options.nodes == 1) {
        usage(stderr);
        exit(64);
    }
    if (!command->seed_given) {
        command->options.seed = fresh_seed();
    }
}

static void print_replay(const struct command *command, const char *target)
{
    printf("make %s SEED=%" PRIu64, target, command->options.seed);
    if (command->options.nodes != 0) {
        printf(" NODES=%u", command->options.nodes);
    }
    if (command->options.minutes != 0) {
        printf(" MINUTES=%" PRIu64, command->options.minutes);
    }
}

static void print_verdict(const struct trace *trace)
{
    printf("\nsim: FAILED %s at %.6f s: %s\n", trace->rule, (double)trace->failed_at / 1e9,
           trace->text);
}

static void print_plan(const struct plan *plan)
{
    char text[240];

    printf("sim: %u nodes (%u consumers), %s, %zu items:\n", plan->nodes, plan->consumers,
           plan->keyed ? "keyed" : "open", plan->count);
    for (size_t i = 0; i < plan->count; i++) {
        plan_describe(&plan->items[i], text, sizeof text);
        puts(text);
    }
}

/* One history again, this time with its last lines. */
static void explain(const struct command *command, struct plan *plan, struct trace *trace)
{
    if (command->shrink) {
        shrink(plan, trace);
        print_plan(plan);
    }
    if (command->shrink || !command->lines) { /* else they were printed */
        (void)run_plan(plan, trace, command->lines ? RUN_ALL_LINES : RUN_LAST_LINES);
    }
    if (!command->lines) {
        trace_print(trace);
    }
    print_verdict(trace);
    fputs("sim: again: ", stdout);
    print_replay(command, "sim");
    fputs("; reduced to its core: ", stdout);
    print_replay(command, "sim-shrink");
    putchar('\n');
}

static double seconds_since(const struct timespec *start)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

static bool run_one(const struct command *command, struct trace *trace)
{
    struct plan plan;
    struct timespec start;
    bool good;

    clock_gettime(CLOCK_MONOTONIC, &start);
    plan_make(&plan, &command->options);
    good =
        run_plan(&plan, trace, command->lines && !command->shrink ? RUN_ALL_LINES : RUN_NO_LINES);
    if (good) {
        printf("sim: ok seed=%" PRIu64 " hash=%016" PRIx64
               " nodes=%u minutes=%.0f faults=%zu frames=%" PRIu64 " arrivals=%" PRIu64
               " steps=%" PRIu64 " busiest=%" PRIu64 "/min reissues=%" PRIu64 " real=%.2fs\n",
               command->options.seed, trace->hash, trace->nodes, (double)trace->virtual_ns / 60e9,
               trace->items, trace->frames, trace->arrivals, trace->steps, trace->busiest_minute,
               trace->most_reissues, seconds_since(&start));
    } else {
        explain(command, &plan, trace);
    }
    plan_free(&plan);
    return good;
}

int main(int argc, char **argv)
{
    struct command command;
    struct trace *trace = run_trace();

    parse(&command, argc, argv);
    /* A seed means a history only together with the simulator that draws it. */
    printf("sim: seed=%" PRIu64 " commit=%s replay: ", command.options.seed, YK_COMMIT);
    print_replay(&command, "sim");
    if (command.runs != 1) {
        printf(" RUNS=%u", command.runs);
    }
    putchar('\n');
    for (unsigned run = 0; run < command.runs; run++, command.options.seed++) {
        if (!run_one(&command, trace)) {
            return 1;
        }
    }
    return 0;
}
