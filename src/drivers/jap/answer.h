/* answer.h - what a device's HTTP answer says, from its bytes alone. Devices differ, and break: any
 * bytes give a value, or a reason that a person understands. */
#ifndef YK_DRIVERS_JAP_ANSWER_H
#define YK_DRIVERS_JAP_ANSWER_H

#include "core/types.h"

#define YK_JAP_BODY_MAX \
    16384 /* bytes; the largest answer asked for, "details/device", is under 2 KiB */
#define YK_JAP_REASON_MAX 160 /* bytes of a reason, the end included */
#define YK_JAP_WORD_MAX 80    /* bytes of a device's own word, spelled as JSON in ASCII */

/* The questions. */
enum yk_jap_ask {
    YK_JAP_ASK_DEVICE = 1, /* GET details/device */
    YK_JAP_ASK_CHANNEL,    /* GET details/channel */
    YK_JAP_ASK_SYSTEM,     /* GET settings/system/mode */
    YK_JAP_ASK_SET,        /* POST command/channel */
    YK_JAP_ASK_END
};

/* How asking ended. */
enum yk_jap_fate {
    YK_JAP_ANSWERED = 1, /* with what was asked for */
    YK_JAP_REFUSED,      /* the device said no */
    YK_JAP_SPOILT,       /* asked, and no answer that can be used: a command may have been obeyed */
    YK_JAP_UNSENT        /* the device was not reached: a command was not obeyed */
};

enum yk_jap_kind { YK_JAP_KIND_UNKNOWN = 1, YK_JAP_DECODER, YK_JAP_ENCODER };

/* What a device says of itself; its words are JSON strings with their quotes, "" where it has none. */
struct yk_jap_device {
    enum yk_jap_kind kind;
    char mode[YK_JAP_WORD_MAX];
    char model[YK_JAP_WORD_MAX];
    char firmware[YK_JAP_WORD_MAX];
    char status[YK_JAP_WORD_MAX];
};

struct yk_jap_answer {
    enum yk_jap_ask ask;
    enum yk_jap_fate fate;
    char reason[YK_JAP_REASON_MAX]; /* valid UTF-8; "" when answered */
    uint16_t channel;               /* of ASK_CHANNEL */
    struct yk_jap_device device;    /* of ASK_DEVICE */
    char system[YK_JAP_WORD_MAX];   /* of ASK_SYSTEM */
};

/* Reads the answer to `ask`: its HTTP status and body, of at most YK_JAP_BODY_MAX bytes. */
void yk_jap_answer_read(struct yk_jap_answer *answer, enum yk_jap_ask ask, long status,
                        struct yk_slice body);
/* Fills it with a failure before there was a whole answer. */
__attribute__((format(printf, 4, 5))) void yk_jap_answer_fail(struct yk_jap_answer *answer,
                                                              enum yk_jap_ask ask,
                                                              enum yk_jap_fate fate,
                                                              const char *format, ...);

#endif
