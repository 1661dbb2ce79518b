/* world.h - everything there is in one run: agents on their hosts, tools, the network, and time. No
 * threads, no wall clock, no luck but the seed's. */
#ifndef YK_SIM_WORLD_H
#define YK_SIM_WORLD_H

#include "core/node.h"
#include "sim/backend.h"
#include "sim/clock.h"
#include "sim/datagram.h"
#include "sim/dice.h"
#include "sim/disk.h"
#include "sim/heap.h"
#include "sim/host.h"
#include "sim/keys.h"
#include "sim/plan.h"

#define SIM_OTHER_KEY "somebody else's key"
#define WORLD_BUCKETS 256
#define INBOX_MAX 168 /* datagrams that a default receive buffer holds */
#define MEDIA_MAX 900 /* bytes; what is left of a frame is for the mandatory fields */

enum happening_kind {
    HAPPENS_ARRIVAL = 1, /* who: endpoint */
    HAPPENS_TICK,
    HAPPENS_SAVED,
    HAPPENS_DRIVER,
    HAPPENS_TOOL,
    HAPPENS_BOOT,
    HAPPENS_WAKE, /* a stalled process runs again */
    HAPPENS_KEYS, /* a host's key files change */
    HAPPENS_ITEM_BEGINS,
    HAPPENS_ITEM_ENDS,
    HAPPENS_CALM,   /* all faults have ended */
    HAPPENS_SETTLED /* now everything must have converged */
};

/* One host with one agent. */
struct agent {
    uint32_t number;
    uint32_t next_in_bucket; /* number + 1; 0: none */
    struct yk_id id;
    enum yk_role role;
    enum yk_kind kind;
    uint8_t name[YK_NAME_BYTES_MAX];
    size_t name_size;
    uint8_t media[MEDIA_MAX];
    size_t media_size;
    unsigned new_media; /* taken up at the next start or before, as number + 1 */
    bool new_kind;
    struct sim_clock clock;
    struct disk disk;
    struct host host;
    struct backend backend;
    struct keys keys;
    struct dice dice;

    bool up;       /* the process runs */
    uint64_t life; /* counts starts: what was meant for an earlier one is void */
    uint64_t down_until;
    bool power_cut; /* and the host's clocks start anew */
    uint64_t stalled_until;
    struct yk_node *node;
    void *memory;
    size_t memory_size;
    struct yk_node_view view; /* after the last step */
    yk_time deadline;         /* after the last step */
    yk_time tick_for;         /* the deadline whose tick is on its way; YK_TIME_NEVER: none */
    uint64_t tick_token;
    uint64_t ticked_at; /* true time, and how many ticks there were then */
    unsigned ticks_now;
    int64_t wall_noticed_off; /* what the node believes the wall clock's error is */
    int64_t stamped_ms;       /* the latest stamp of its frames */
    bool
        past_ahead; /* an earlier life's clock was ahead of this start: the node cannot know, and may take
                      * a replay of that life for somebody else */

    /* inputs that wait */
    struct datagram *inbox[INBOX_MAX];
    size_t inbox_first, inbox_count;
    bool stop_waits, wall_waits, media_waits, return_waits;
    bool save_ended, save_ok;
    uint64_t save_request;
    bool stray_feedback; /* the step that runs is about no save that is open */

    const struct item *crash_at_save; /* armed */
};

enum tool_phase { TOOL_IDLE, TOOL_LISTENS, TOOL_THINKS, TOOL_SENDS, TOOL_DONE };

/* One run of `yoke pair` or `yoke unpair`. */
struct tool {
    uint32_t number; /* endpoint */
    struct yk_id id;
    uint32_t host; /* the agent whose place in the network and whose clock it shares */
    uint32_t consumer;
    enum tool_phase phase;
    unsigned care; /* PLAN_BLIND ... */
    struct yk_intent intent;
    uint64_t known_n, seq;
    uint64_t act_at, give_up_at, wait;
    unsigned tries;
    unsigned floods; /* sends so many, whatever is answered */
    bool answered, applied;
    bool must_be_answered; /* nothing stands in its way */
    struct dice dice;
};

struct network {
    unsigned loss_all, duplicate, delay_ms, corrupt; /* percent, percent, ms, per mille */
    uint8_t *loss;                                   /* percent at each receiver */
    bool *deaf, *mute;
    uint64_t split_seed; /* 0: no partition */
    bool split_one_way;
    uint64_t *last;    /* arrival of each agent's host at each other: one path keeps the order */
    struct dice *dice; /* of each sender */
};

struct world {
    struct plan plan;
    uint64_t now; /* true time, nanoseconds */
    uint64_t end;
    struct heap queue;
    struct yk_auth other_auth;
    unsigned key, retired; /* the site's newest; the newest that no host has any more, 0: none */
    uint64_t rotates_until;
    struct agent *agents;
    uint32_t agent_count;
    uint32_t by_id[WORLD_BUCKETS]; /* number + 1 of the first of each bucket; 0: none */
    struct tool *tools;
    uint32_t tool_count, tool_capacity;
    uint32_t first_active_tool;
    struct network net;
    struct archive archive;
    struct dice attacker;
    uint64_t sent_count, arrival_count, step_count;
    bool calm;           /* no fault is in force, and all agents run */
    uint64_t calm_since; /* true time */
    struct trace *trace;
    struct checks *checks;
};

/* The number an arrival or a sender has: agents first, then tools. */
static inline struct agent *world_agent(struct world *world, uint32_t number)
{
    return &world->agents[number];
}

struct world *world_new(const struct plan *plan, struct trace *trace);
void world_run(struct world *world);
void world_free(struct world *world);
/* An event `delay` from now. */
void world_later(struct world *world, uint64_t delay, struct happening happening);
/* An id's number among the agents, or UINT32_MAX. */
uint32_t world_find(const struct world *world, const struct yk_id *id);
struct yk_id world_id(const char *text);

/* ---- agent.c: what the shell does, around the core */
void agent_boot(struct world *world, struct agent *agent);
/* The process is gone, and with `power_cut` what the host had not on its disk. */
void agent_kill(struct world *world, struct agent *agent, bool power_cut);
/* Gives the core what waits. */
void agent_pump(struct world *world, struct agent *agent);
/* A datagram for it; dropped where the receive buffer is full. */
void agent_arrival(struct world *world, struct agent *agent, struct datagram *datagram);
void agent_tick(struct world *world, struct agent *agent, uint64_t token);
/* Its host's network is there again. */
void agent_returns(struct world *world, struct agent *agent);
/* Now and then the end of a save that is not open. */
void agent_stray_feedback(struct world *world, struct agent *agent);
/* A report that comes past the driver host; lost while the core is blocked. */
void agent_stray_report(struct world *world, struct agent *agent, const struct host_report *report);
/* Numbers it has not used yet begin here; 0 while it is down. */
uint64_t agent_next_seq(const struct agent *agent);
/* It has numbers, and its frames are taken by a host whose clock is right. */
bool agent_is_heard(const struct world *world, const struct agent *agent);

/* ---- network.c */
void network_init(struct world *world);
void network_free(struct world *world);
void network_send(struct world *world, struct sent *sent);
/* Looks at the items in force. */
void network_adjust(struct world *world);

/* ---- tool.c */
#define TOOL_EXTENSION "Zpad" /* a member of bodies that nobody knows, and nobody may repeat */
/* NULL when there are too many. */
struct tool *tool_start(struct world *world, const struct item *item);
void tool_flood(struct world *world, const struct item *item);
void tool_go_on(struct world *world, struct tool *tool);
void tool_arrival(struct world *world, struct tool *tool, const struct datagram *datagram);

/* ---- attacker.c */
void attacker_forge(struct world *world, const struct item *item);
void attacker_replay(struct world *world, const struct item *item);

/* ---- history.c */
void history_begins(struct world *world, struct item *item);
void history_ends(struct world *world, struct item *item);
/* The crash that was armed for a save. */
void history_crash(struct world *world, struct agent *agent, const struct item *item);
/* All faults end. */
void history_calm(struct world *world);

#endif
