/* site.h - a site of thousands of hosts in virtual time, all on one control group. The first hosts are
 * the real core (real.c); of the rest only the traffic is modelled (model.c): what they send when,
 * and for the few things that depend on hearing, a dozen receivers stand for all of them. What is
 * sent goes through one switch port's rate and buffer, a socket buffer and a slow processor (air.c).
 * No threads, no wall clock, no luck but the seed's. */
#ifndef YK_SCALE_SITE_H
#define YK_SCALE_SITE_H

#include "core/node.h"
#include "scale/meter.h"
#include "sim/dice.h"
#include "sim/heap.h"

#define SITE_BEGIN (100 * YK_SECOND) /* of virtual time: 0 has a meaning of its own to the core */
#define SITE_EPOCH_NS INT64_C(1796018523000000000)

/* One host in five is a producer; one in fifty consumers shows one that is not there. */
#define PRODUCER_EVERY 5
#define ORPHAN_EVERY 50
/* Hosts go away a floor's corner at a time: of each 25 the first five. */
#define AWAY_BLOCK 5
#define AWAY_EVERY 5

/* How hosts behave outside the core, in both halves of the site. */
#define SAVE_LEAST (2 * YK_MS)
#define SAVE_MOST (30 * YK_MS)
#define RELEASE_LEAST (1 * YK_MS)
#define RELEASE_MOST (10 * YK_MS)
#define ATTACH_LEAST (20 * YK_MS)
#define ATTACH_MOST (200 * YK_MS)

#define NOBODY UINT32_MAX
#define SITE_AUTHOR "op-5b1f0e6c9a7d43b2" /* of every version */

/* A frame on its way, decoded once. The texts of `frame` are not to be looked at. */
struct packet {
    unsigned references;
    uint32_t origin; /* host; NOBODY: a tool */
    size_t size;
    struct yk_frame frame;
    uint8_t bytes[];
};

struct site_options {
    uint64_t seed;
    uint32_t hosts;
    uint32_t real;          /* of them */
    yk_time start_spread;   /* as the agent gives it to the core */
    uint64_t port_bits;     /* a second, of every host's switch port */
    uint64_t port_buffer;   /* bytes that wait for it in the switch */
    uint64_t socket_buffer; /* bytes, in the kernel's count */
    uint64_t frame_ns;      /* a host's processor, for one frame */
};

enum happening_kind {
    HAPPENS_BOOT = 1, /* who: host */
    HAPPENS_ARRIVAL,  /* carries: a frame, at every host's port */
    HAPPENS_SERVE,    /* who: receiver */
    HAPPENS_RETURN,   /* who: host: its network is back */
    HAPPENS_TICK,     /* who: real host */
    HAPPENS_SAVED,    /* who: host */
    HAPPENS_DRIVER,   /* who: host; token: the question it answers */
    HAPPENS_ANNOUNCE, /* who: modelled host */
    HAPPENS_SPEAK,    /* who: modelled host: its first word */
    HAPPENS_SWEEP,    /* who: group */
    HAPPENS_REISSUE   /* who: group; token: the consumer and the life of its entry */
};

struct host {
    struct yk_id id;
    uint32_t number;
    bool consumer, away;
    bool up;
    uint64_t life;     /* counts boots: what was meant for an earlier one is void */
    uint32_t producer; /* on its disk; NOBODY: one that does not exist */
    uint64_t version;  /* on its disk */
    uint64_t seq_bound;
    uint32_t wanted_producer; /* by the newest intent of anybody */
    uint64_t wanted_version;
    yk_time settled_at; /* shows what is wanted since then; 0: does not */
    struct dice dice;
};

struct site {
    struct site_options options;
    yk_time now;
    struct heap queue;
    struct yk_auth auth;
    struct host *hosts;
    uint32_t producers;
    uint64_t intents; /* of the operator */
    bool cut;         /* nobody hears anybody */
    struct dice dice;
    struct meter meter;
    struct air *air;
    struct real *real; /* by number of host */
    struct model *model;
};

/* Zeroed memory, or the end. */
void *site_get(size_t count, size_t size);
struct site *site_new(const struct site_options *options);
void site_free(struct site *site);
void site_run(struct site *site, yk_time until);
void site_later(struct site *site, yk_time delay, struct happening happening);

/* Power for these hosts, each within `within` from now; and no power for them from now on. */
void site_power_up(struct site *site, bool away_only, yk_time within);
void site_power_cut_away(struct site *site);
/* The switch goes; and it returns, which every host notices within `within`. */
void site_cut(struct site *site);
void site_heal(struct site *site, yk_time within);
/* An operator tells each consumer that is away to show the next producer, so many a second. */
void site_salvo(struct site *site, unsigned per_second);

static inline bool site_is_real(const struct site *site, uint32_t host)
{
    return host < site->options.real;
}
/* The number in an id of ours; NOBODY for others'. */
uint32_t site_find(const struct site *site, const struct yk_id *id);
/* "enc-00005", for NOBODY an id that nobody has. */
struct yk_id site_id(const struct site *site, uint32_t host);
const char *site_name(uint32_t host);     /* until the next call */
const char *site_media(uint32_t host);    /* until the next call */
const char *site_evidence(uint32_t host); /* until the next call */
/* `shows`: it is at its wanted version, and active where the producer exists. */
void site_note_settled(struct site *site, struct host *host, bool shows);

/* ---- air.c */
struct air *air_new(struct site *site, uint32_t receivers);
void air_free(struct air *air);
/* Sends what a host (or, from NOBODY, a tool) encoded. */
void air_send(struct site *site, uint32_t from, struct yk_slice bytes);
void air_release(struct packet *packet);
void air_arrival(struct site *site, struct packet *packet);
/* A receiver hears from now on, or not; what waits for it is lost. */
void air_open(struct site *site, uint32_t receiver, bool open);
/* It takes no frame from its socket for a while. */
void air_pause(struct site *site, uint32_t receiver, bool pause);
void air_serve(struct site *site, uint32_t receiver, uint64_t token);
uint64_t air_lost_in_ports(const struct air *air);
/* Of the receiver that lost most. */
uint64_t air_lost_in_sockets(const struct air *air, uint32_t first, uint32_t count);
/* The longest queue of a receiver since the last call, frames. */
uint32_t air_longest_queue(struct air *air);

/* ---- real.c: receiver N is host N */
struct real *real_new(struct site *site);
void real_free(struct site *site);
void real_boot(struct site *site, struct host *host);
void real_kill(struct site *site, struct host *host);
void real_return(struct site *site, struct host *host);
void real_hear(struct site *site, uint32_t host, const struct packet *packet);
void real_tick(struct site *site, struct host *host, uint64_t token);
void real_saved(struct site *site, struct host *host, uint64_t token);
void real_driver(struct site *site, struct host *host, uint64_t generation);

/* ---- model.c: behind the real hosts' receivers come those of the groups */
#define GROUPS_AWAY 4
#define GROUPS 12
struct model *model_new(struct site *site);
void model_free(struct site *site);
void model_boot(struct site *site, struct host *host);
void model_return(struct site *site, struct host *host);
void model_kill(struct site *site, struct host *host);
void model_hear(struct site *site, uint32_t group, const struct packet *packet);
void model_saved(struct site *site, struct host *host, uint64_t token);
void model_driver(struct site *site, struct host *host, uint64_t token);
void model_announce_due(struct site *site, struct host *host, uint64_t token);
void model_speak(struct site *site, struct host *host, uint64_t token);
/* Looks who fell silent. */
void model_sweep(struct site *site, uint32_t group, uint64_t token);
void model_reissue(struct site *site, uint32_t group, uint64_t token);

#endif
