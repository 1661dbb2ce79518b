/* report.h - the words the core and the drivers share: what is asked, what is answered. */
#ifndef YK_CORE_REPORT_H
#define YK_CORE_REPORT_H

#define YK_REPORT_DETAIL_MAX 240 /* bytes of evidence or error text kept of one report */

/* Why a route is let go (completions section 5). */
enum yk_detach_reason {
    YK_DETACH_UNPAIR = 1, /* show nothing from now on */
    YK_DETACH_REPLACE,    /* another route follows */
    YK_DETACH_RESTART,    /* we started with a saved pairing: let go what a former life may hold */
    YK_DETACH_STOP        /* orderly shutdown: quiesce */
};

/* What a driver sees right now. */
enum yk_report {
    YK_REPORT_IDLE = 1, /* nothing of ours is held: release confirmed */
    YK_REPORT_PENDING,  /* not there yet, or drifted away, or not certain */
    YK_REPORT_ACTIVE,   /* the attachment is confirmed; the detail is the evidence */
    YK_REPORT_ERROR     /* it failed; the detail says why */
};

#endif
