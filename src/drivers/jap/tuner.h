/* tuner.h - what to ask one device next, and what its answers mean for the route. Pure: time, wishes
 * and answers come in, the next question and the report come out; a table of them is a test. */
#ifndef YK_DRIVERS_JAP_TUNER_H
#define YK_DRIVERS_JAP_TUNER_H

#include "core/protocol.h"
#include "core/report.h"
#include "core/types.h"
#include "drivers/jap/answer.h"
#include "drivers/jap/media.h"

#define YK_JAP_POLL (5 * YK_SECOND)    /* with a quarter of jitter either way */
#define YK_JAP_SETTLE (5 * YK_SECOND)  /* a read-back may lag the switch by up to 3 s */
#define YK_JAP_READ_BACK (500 * YK_MS) /* between reads while it settles */
#define YK_JAP_STEADY (60 * YK_SECOND) /* a channel that held so long was not fought over */
#define YK_JAP_SAME (60 * YK_SECOND)   /* who was not heard for longer may be another device */
#define YK_JAP_DETAIL_MAX YK_REPORT_DETAIL_MAX

enum yk_jap_goal {
    YK_JAP_LEAVE = 1, /* the device is not ours to touch or ask */
    YK_JAP_TUNE,      /* consumer: on this channel. Producer: is it? Nothing is set */
    YK_JAP_PARK       /* on the parking channel, then LEAVE */
};

enum yk_jap_step {
    YK_JAP_WATCH = 1,  /* the report stands; read again when due */
    YK_JAP_LOOK,       /* where is it now? */
    YK_JAP_SET,        /* it is elsewhere: command it */
    YK_JAP_SETTLE_DOWN /* commanded: read back until it is there */
};

struct yk_jap_tuner {
    enum yk_role role;
    const char *host; /* for texts */
    uint64_t random;
    enum yk_jap_goal goal;
    uint16_t want;
    char what[YK_JAP_MEDIA_TEXT_MAX]; /* "channel 7 (239.92.0.7)" */
    enum yk_jap_step step;
    yk_time due;
    bool asked;    /* a question is under way */
    bool known;    /* the device is what it has to be, as far as contact was never lost since */
    yk_time heard; /* when it answered last */
    struct yk_jap_device device;
    bool lost;  /* the last attempt failed without an answer: go on by ourselves when one comes */
    bool doubt; /* a command with unknown outcome may still be obeyed, later than we look */
    yk_time settled;                    /* SETTLE_DOWN: when patience ends */
    char set_reason[YK_JAP_REASON_MAX]; /* SETTLE_DOWN: why the command's answer was not OK */
    unsigned left;   /* how often it left the channel without having held it for long */
    yk_time arrived; /* when it was found where it should be */
    yk_time hold;    /* no command before */
    enum yk_report status;
    char detail[YK_JAP_DETAIL_MAX];
    bool news; /* status and detail are to be reported */
};

/* `host` is borrowed for the tuner's life. `seed` spreads its polls. */
void yk_jap_tuner_init(struct yk_jap_tuner *tuner, enum yk_role role, const char *host,
                       uint64_t seed);

/* The wish, told again at each attach and detach. The same wish begins a new attempt where the last
 * one failed, and changes nothing where it holds or is under way. */
void yk_jap_tuner_tune(struct yk_jap_tuner *tuner, const struct yk_jap_media *media, yk_time now);
void yk_jap_tuner_park(struct yk_jap_tuner *tuner, uint16_t channel, yk_time now);
void yk_jap_tuner_leave(struct yk_jap_tuner *tuner);
/* The wish cannot be served at all, for this reason. */
void yk_jap_tuner_refuse(struct yk_jap_tuner *tuner, const char *reason);

/* True: ask this now (and `channel`, of ASK_SET), then give the answer to yk_jap_tuner_took. */
bool yk_jap_tuner_next(struct yk_jap_tuner *tuner, yk_time now, enum yk_jap_ask *ask,
                       uint16_t *channel);
void yk_jap_tuner_took(struct yk_jap_tuner *tuner, const struct yk_jap_answer *answer, yk_time now);
/* When yk_jap_tuner_next may have something, or YK_TIME_NEVER: not before an answer or a wish. */
yk_time yk_jap_tuner_deadline(const struct yk_jap_tuner *tuner);

#endif
