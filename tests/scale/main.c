/* scale - what a site of thousands of hosts puts on the air, with ceilings.
 *
 *   scale [--long] [--seed N]
 *
 * Short: the model against 200 real cores, and 1,000 hosts. Long: 5,000 and 10,000 too, and boards and
 * ports of other speeds. Prints what was measured, and ends with the totals. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "scale/scenario.h"

#define REAL 64      /* 51 consumers and 13 producers */
#define COMPARED 200 /* hosts of which all are the real core, or FEW */
#define FEW 16

#define GIGABIT UINT64_C(1000000000)
#define PORT_BUFFER (512 * 1024)
#define SOCKET_BUFFER (2 * 212992) /* what a process without privilege has, as the kernel counts */
#define BOARD (25 * YK_MS / 1000)  /* for one frame: a small board, estimated (docs/scale.md) */

static unsigned passed, failed;

static struct site_options site_of(uint32_t hosts, uint32_t real, uint64_t seed)
{
    return (struct site_options){.seed = seed,
                                 .hosts = hosts,
                                 .real = real,
                                 .start_spread = YK_START_SPREAD,
                                 .port_bits = GIGABIT,
                                 .port_buffer = PORT_BUFFER,
                                 .socket_buffer = SOCKET_BUFFER,
                                 .frame_ns = BOARD};
}

static void print(const char *name, const struct finding *f)
{
    printf("     %s: rest=%.0f/s,%.1fMbit/s peak=%.0f/s,%.1fMbit/s ann=%.0f evt=%.0f ack=%.0f "
           "int=%.0f "
           "behind=%.0f half=%.2fs last=%.2fs lost-port=%.0f lost-socket=%.0f queue=%.0f,%.0f\n",
           name, f->frames_rate, f->bits_rate / 1e6, f->peak, f->peak_bits / 1e6, f->announcements,
           f->events, f->acks, f->intents, f->behind, f->settled_half, f->settled_most,
           f->lost_in_port, f->lost_in_socket, f->longest_queue, f->queue_at_end);
}

static bool holds(const char *name, const char *what, double value, double least, double most)
{
    if (value >= least && value <= most) {
        return true;
    }
    printf("FAIL %s: %s is %.2f, not within %.2f and %.2f\n", name, what, value, least, most);
    return false;
}

static void conclude(const char *name, bool good)
{
    *(good ? &passed : &failed) += 1;
    if (good) {
        printf("ok   %s\n", name);
    }
    fflush(stdout);
}

/* ---- the model held against the core */

typedef void scenario(const struct site_options *options, struct finding *finding);

/* `value` of the model is that of the core but for a share of it and something for luck. */
static bool agrees(const char *name, const char *what, double model, double core, double share,
                   double luck)
{
    return holds(name, what, model, core * (1 - share) - luck, core * (1 + share) + luck);
}

static void compare(const char *name, scenario *run, uint64_t frame_ns, uint64_t seed)
{
    struct site_options options = site_of(COMPARED, COMPARED, seed);
    struct finding core, model;
    bool good;

    options.frame_ns = frame_ns;
    run(&options, &core);
    options.real = FEW;
    run(&options, &model);
    print("core ", &core);
    print("model", &model);
    good = agrees(name, "announcements", model.announcements, core.announcements, 0.05, 0);
    good &= agrees(name, "events", model.events, core.events, 0.05, 10);
    good &= agrees(name, "peak", model.peak, core.peak, 0.35, 0);
    /* How many speak before the first is heard is luck, most of all where hosts hear late. */
    good &= holds(name, "re-issues", model.intents, core.intents / 2 - 10, core.intents * 2 + 10);
    good &= holds(name, "acknowledgments", model.acks, core.acks / 2 - 10, core.acks * 2 + 10);
    good &= agrees(name, "half of the pictures", model.settled_half, core.settled_half, 0.2, 0.15);
    good &= agrees(name, "the last picture", model.settled_most, core.settled_most, 0.2, 0.5);
    good &= agrees(name, "frames lost in a socket", model.lost_in_socket, core.lost_in_socket, 0.25,
                   80);
    good &= holds(name, "hosts that do not show what they should",
                  core.unsettled + model.unsettled + model.model_unsettled, 0, 0);
    conclude(name, good);
}

/* ---- ceilings */

struct ceilings {
    double peak;     /* frames a second, in any tenth of a second */
    double settled;  /* seconds */
    double reissues; /* for a consumer that is behind */
    double lost_in_port;
};

static void hold(const char *name, scenario *run, const struct site_options *options,
                 const struct ceilings *most)
{
    struct finding found;
    bool good;

    run(options, &found);
    print(name, &found);
    good = holds(name, "frames a second", found.peak, 0, most->peak);
    good &= holds(name, "re-issues", found.intents, found.behind, most->reissues * found.behind);
    good &= holds(name, "seconds until the last real host shows what it should", found.real_most, 0,
                  most->settled);
    good &= holds(name, "seconds until the last host does", found.settled_most, 0, most->settled);
    good &= holds(name, "hosts that do not", found.unsettled + found.model_unsettled, 0, 0);
    good &= holds(name, "frames lost in a port", found.lost_in_port, 0, most->lost_in_port);
    /* At rest there are announcements, one in two seconds of each, and no queue grows. */
    good &= holds(name, "frames a second at the end", found.frames_rate, 0.45 * options->hosts,
                  0.55 * options->hosts);
    good &= holds(name, "frames that wait at the end", found.queue_at_end, 0, 32);
    conclude(name, good);
}

static void run_short(uint64_t seed)
{
    struct site_options site = site_of(1000, REAL, seed);

    compare("the model starts as the core does", scenario_power_up, BOARD, seed);
    compare("the model re-issues as the core does", scenario_return, BOARD, seed);
    compare("so it does where hosts lose what they hear", scenario_return, 40 * BOARD, seed);
    compare("the model comes back as the core does", scenario_switch, BOARD, seed);
    hold("1,000 hosts start", scenario_power_up, &site,
         &(struct ceilings){.peak = 20000, .settled = 3});
    hold("200 of 1,000 hosts return", scenario_return, &site,
         &(struct ceilings){.peak = 10000, .settled = 6, .reissues = 2});
}

static void run_long(uint64_t seed)
{
    const struct ceilings start = {.peak = 30000, .settled = 3};
    const struct ceilings back = {.peak = 20000, .settled = 7, .reissues = 2};
    struct site_options site = site_of(5000, REAL, seed);
    struct site_options large = site_of(10000, REAL, seed);

    compare("the model starts as the core does, with losses", scenario_power_up, 40 * BOARD, seed);
    hold("5,000 hosts start", scenario_power_up, &site, &start);
    hold("1,000 of 5,000 hosts return", scenario_return, &site, &back);
    hold("the switch of 5,000 hosts returns", scenario_switch, &site, &start);
    site.port_bits = GIGABIT / 10;
    hold("5,000 hosts start on ports of 100 Mbit/s", scenario_power_up, &site, &start);
    site.port_bits = GIGABIT;
    site.frame_ns = 2 * BOARD;
    hold("5,000 boards of half the speed start", scenario_power_up, &site,
         &(struct ceilings){.peak = 35000, .settled = 4});
    hold("1,000 of 5,000 boards of half the speed return", scenario_return, &site, &back);
    hold("10,000 hosts rest", scenario_rest, &large,
         &(struct ceilings){.peak = 7000, .settled = 1});
    hold("10,000 hosts start", scenario_power_up, &large,
         &(struct ceilings){.peak = 50000, .settled = 5});
    hold("2,000 of 10,000 hosts return", scenario_return, &large,
         &(struct ceilings){.peak = 40000, .settled = 12, .reissues = 3});
}

static void usage(FILE *to, int status)
{
    fputs("usage: scale [--long] [--seed N]\n", to);
    exit(status);
}

int main(int argc, char **argv)
{
    static const struct option known[] = {
        {"long", no_argument, NULL, 'l'},
        {"seed", required_argument, NULL, 's'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    uint64_t seed = 1;
    bool all = false;
    int option;

    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (option == 'l') {
            all = true;
        } else if (option == 's') {
            seed = strtoull(optarg, NULL, 10);
        } else {
            usage(option == 'h' ? stdout : stderr, option == 'h' ? 0 : 64);
        }
    }
    if (optind < argc) {
        usage(stderr, 64);
    }
    printf("scale: seed=%" PRIu64 "\n", seed);
    run_short(seed);
    if (all) {
        run_long(seed);
    }
    printf("%u passed, %u failed, 0 skipped\n", passed, failed);
    return failed > 0;
}
