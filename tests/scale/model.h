/* model.h - what the two halves of the model share: speech.c is what a modelled host says, model.c when,
 * hearing.c what its group hears for it. */
#ifndef YK_SCALE_MODEL_H
#define YK_SCALE_MODEL_H

#include "scale/site.h"

/* The core's YK_REISSUES_MAX; who hears the same frames in the same order waits with the same ones. */
#define WAITING_MAX YK_REISSUES_MAX

#define PARTS_MAX 16 /* for 65,536 peers, and more */

/* A modelled host. */
struct puppet {
    uint32_t group;
    yk_time saved_at; /* its first save has ended */
    uint64_t turn;    /* which share of the spread its first word waits for, in 65536ths */
    yk_time ready_at; /* its first save, and the release of what a former life held, have ended */
    bool spoke;       /* its first announcement is out */
    bool saving;      /* an intent, which governs when that has ended */
    unsigned again;   /* copies of it that came meanwhile */
    bool attaching, active;
    bool lost; /* its producer fell silent */
    uint64_t announce_token, driver_token;
    unsigned returns_left; /* announcements that are owed to a return */
    uint64_t seq;
    uint32_t next; /* consumer of the same producer */
};

/* A consumer that a group thinks is behind: when the first, and then the next, of its members that have
 * not done so offers the newest intent. */
struct waiting {
    uint32_t consumer;
    yk_time begin;
    unsigned parts, part;        /* of the time, see reissue_delay in the core */
    uint32_t members[PARTS_MAX]; /* by part: whose time has not come */
    yk_time from, due;
    uint64_t token;
};

/* Hosts that hear alike, as one receiver. */
struct group {
    uint32_t members; /* of the modelled hosts */
    uint32_t *list;
    bool up;
    uint64_t sweep_token;
    uint64_t *cached;  /* newest version by consumer; 0: none */
    yk_time *heard_at; /* each host's last announcement; 0: never */
    uint32_t heard;    /* hosts */
    struct waiting waiting[WAITING_MAX];
    uint32_t waiting_count;
    uint64_t token;
    struct dice dice;
};

struct model {
    struct puppet *puppets; /* by number of host */
    struct group groups[GROUPS];
    uint32_t *consumers_of; /* by producer: the first of the modelled consumers that show it */
};

/* ---- speech.c */
void say_started(struct site *site, const struct host *host);
void say_media_pending(struct site *site, const struct host *host);
void say_media_up(struct site *site, const struct host *host);
/* YK_EVENT_PEER_LOST or ..._RETURNED: its producer. */
void say_peer(struct site *site, const struct host *host, enum yk_event event);
void say_applied(struct site *site, const struct host *host);
void say_ack(struct site *site, const struct host *host, uint64_t version, bool applied);
void say_announcement(struct site *site, const struct host *host);
/* The newest intent for a consumer, offered by `host`. */
void say_reissue(struct site *site, const struct host *host, uint32_t consumer, uint64_t version);

/* ---- model.c */
void model_intent(struct site *site, struct host *host, const struct yk_intent *intent);
void model_producer_heard(struct site *site, uint32_t group, uint32_t producer);
void model_producer_lost(struct site *site, uint32_t group, uint32_t producer);

#endif
