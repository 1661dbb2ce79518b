/* producer_words.h - what a producer says of itself: its media, what is wrong, what is evident. Pure. */
#ifndef YK_DRIVERS_USBIP_PRODUCER_WORDS_H
#define YK_DRIVERS_USBIP_PRODUCER_WORDS_H

#include "drivers/process.h"
#include "drivers/usbip/producer_settings.h"
#include "drivers/usbip/producer_view.h"

#define YK_USBIP_SAID_MAX (YK_REPORT_DETAIL_MAX + 1)

/* As it stands now; all borrowed. */
struct yk_usbip_facts {
    const struct yk_usbip_settings *settings;
    const struct yk_usbip_binder *binder;
    const struct yk_usbip_view *view;
    const char *host;                /* that consumers reach; "": there is none */
    const char *interface;           /* the control interface as configured */
    bool loaded;                     /* the journal was read: it is known what is ours */
    const char *trouble;             /* with the journal; "": none */
    const struct yk_process *daemon; /* usbipd of our own; NULL: it does not run */
    const char *daemon_end;          /* how the last one ended; "": it did not */
};

/* Canonical JSON, the busids in the order of the configuration: those that are bound, or `all`; "" when
 * there are none. */
void yk_usbip_say_media(char out[YK_FRAME_MAX], const struct yk_usbip_facts *facts, bool all);
/* What is wrong, each with its remedy; "": nothing. `waits` is set while something is being found out. */
void yk_usbip_say_problem(const struct yk_usbip_facts *facts, char problem[YK_USBIP_SAID_MAX],
                          bool *waits);
/* When nothing is wrong: what is bound and in use. */
void yk_usbip_say_evidence(const struct yk_usbip_facts *facts, char text[YK_USBIP_SAID_MAX]);
/* While giving back: true when that is over, and how; `text` is "" unless it failed. */
bool yk_usbip_say_release(const struct yk_usbip_facts *facts, enum yk_report *status,
                          char text[YK_USBIP_SAID_MAX]);
/* Adds to a text, cut where it is full. */
void yk_usbip_append(char text[YK_USBIP_SAID_MAX], const char *between, const char *more);

#endif
