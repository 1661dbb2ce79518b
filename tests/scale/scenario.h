/* scenario.h - what a site goes through, and what was measured of it. */
#ifndef YK_SCALE_SCENARIO_H
#define YK_SCALE_SCENARIO_H

#include "scale/site.h"

struct finding {
    double frames;      /* sent, all in the scenario's time */
    double frames_rate; /* a second, in the quiet end of it */
    double bits_rate;
    double peak;      /* frames a second, in the tenth of a second that has most */
    double peak_bits; /* bits a second */
    double announcements, intents, acks, events;
    double behind;       /* consumers that had to learn of a newer intent */
    double settled_most; /* seconds until the last consumer showed what it should */
    double settled_half; /* seconds until half of the consumers did */
    double real_most;    /* seconds until the last real host did */
    double unsettled;    /* real hosts that did not */
    double model_unsettled;
    double lost_in_port;   /* frames */
    double lost_in_socket; /* frames, of the host that lost most */
    double longest_queue;  /* frames that waited for a host's processor */
    double queue_at_end;   /* the same in the quiet end */
};

/* Everything at one instant after a power cut. */
void scenario_power_up(const struct site_options *options, struct finding *finding);
/* A fifth of the site was without power while each of its consumers was given another producer; power
 * returns to all of it at one instant. */
void scenario_return(const struct site_options *options, struct finding *finding);
/* The switch between all of them was without power, and returns. */
void scenario_switch(const struct site_options *options, struct finding *finding);
/* Nothing happens. */
void scenario_rest(const struct site_options *options, struct finding *finding);

#endif
