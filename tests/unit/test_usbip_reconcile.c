/* The reconciler by tables: what is wanted, seen and known gives one action. The rest of its conduct
 * is in test_usbip_chaos. */
#include <stdio.h>
#include <string.h>

#include "drivers/usbip/claim.h"
#include "drivers/usbip/reconcile.h"
#include "lib/suite.h"

#define T0 (100 * YK_SECOND)

static struct yk_usbip_mind mind;
static struct yk_usbip_seen seen;
static struct yk_usbip_journal journal;
static char log_text[4096];
static char text[YK_USBIP_TEXT_MAX];

static void take_line(void *owner, const char *line)
{
    (void)owner;
    snprintf(log_text + strlen(log_text), sizeof log_text - strlen(log_text), "%s\n", line);
}

static struct yk_usbip_target target_of(const char *busid, uint8_t mark)
{
    struct yk_usbip_target target = {.host = "10.77.0.1", .port = 3240, .mark = mark};

    snprintf(target.busid, sizeof target.busid, "%s", busid);
    return target;
}

/* A port with the record of that target; state 4 is free. */
static struct yk_usbip_port *see(unsigned number, enum yk_usbip_state state, const char *busid,
                                 uint8_t mark, uint64_t inode)
{
    struct yk_usbip_port *port = &seen.ports[seen.count++];

    memset(port, 0, sizeof *port);
    port->status.number = number;
    port->status.state = state;
    if (state == YK_USBIP_IN_USE) {
        port->status.devid = 0x10002;
        port->devnum = 2;
        snprintf(port->status.local, sizeof port->status.local, "3-%u", number + 1);
    }
    if (busid != NULL) {
        port->has_target = true;
        port->target = target_of(busid, mark);
        port->stamp = (struct yk_usbip_stamp){inode, 1};
    }
    return port;
}

static struct yk_usbip_entry *know(enum yk_usbip_stage stage, const char *busid, unsigned port)
{
    struct yk_usbip_entry *entry = &journal.entries[journal.count++];

    *entry = (struct yk_usbip_entry){.target = target_of(busid, 1),
                                     .stage = stage,
                                     .port = port,
                                     .stamp = {10 + port, 1},
                                     .devid = stage == YK_USBIP_HELD ? 0x10002 : 0,
                                     .devnum = stage == YK_USBIP_HELD ? 2 : 0};
    return entry;
}

static void clear_sight(void)
{
    memset(&seen, 0, sizeof seen);
    seen.sight = YK_USBIP_CLEAR;
    seen.may_attach = seen.may_record = true;
}

static void begin(void)
{
    memset(&journal, 0, sizeof journal);
    log_text[0] = 0;
    clear_sight();
}

/* The mind of a new life with that journal; wants `count` of 1-1, 1-2. */
static void want(size_t count)
{
    struct yk_usbip_media media = {.count = count,
                                   .targets = {target_of("1-1", 0), target_of("1-2", 0)}};

    yk_usbip_mind_init(&mind, &journal, 0, NULL, take_line);
    yk_usbip_want(&mind, &media, T0);
}

static struct yk_usbip_action next(bool locked, yk_time now)
{
    return yk_usbip_next(&mind, &seen, locked, now);
}

static void expect(enum yk_usbip_do what, bool locked, yk_time now)
{
    struct yk_usbip_action action = next(locked, now);

    ck_assert_int_eq(action.what, what);
}

static enum yk_report verdict(void)
{
    return yk_usbip_verdict(&mind, &seen, text);
}

/* ---- claims */

START_TEST(an_import_is_ours_when_every_fact_agrees)
{
    static const struct {
        enum yk_usbip_stage stage;
        enum yk_usbip_state state;
        const char *busid; /* of the record; NULL: none */
        uint8_t mark;
        uint64_t inode;
        uint32_t devid, devnum;
        enum yk_usbip_claim claim;
    } cases[] = {
        {YK_USBIP_HELD, YK_USBIP_IN_USE, "1-1", 1, 13, 0x10002, 2, YK_USBIP_OURS},
        {YK_USBIP_HELD, YK_USBIP_IN_USE, "1-1", 1, 13, 0x10002, 0, YK_USBIP_DOUBTFUL},
        {YK_USBIP_HELD, YK_USBIP_IN_USE, "1-1", 1, 13, 0x10002, 3, YK_USBIP_DOUBTFUL},
        {YK_USBIP_HELD, YK_USBIP_IN_USE, "1-1", 1, 13, 0x10003, 2, YK_USBIP_OTHERS},
        {YK_USBIP_HELD, YK_USBIP_IN_USE, "1-1", 1, 14, 0x10002, 2, YK_USBIP_OTHERS},
        {YK_USBIP_HELD, YK_USBIP_IN_USE, "1-1", 2, 13, 0x10002, 2, YK_USBIP_OTHERS},
        {YK_USBIP_HELD, YK_USBIP_IN_USE, "1-1", 0, 13, 0x10002, 2, YK_USBIP_OTHERS},
        {YK_USBIP_HELD, YK_USBIP_IN_USE, "1-2", 1, 13, 0x10002, 2, YK_USBIP_OTHERS},
        {YK_USBIP_HELD, YK_USBIP_IN_USE, NULL, 0, 0, 0x10002, 2, YK_USBIP_DOUBTFUL},
        {YK_USBIP_HELD, YK_USBIP_INITIALIZING, "1-1", 1, 13, 0, 0, YK_USBIP_DOUBTFUL},
        {YK_USBIP_HELD, YK_USBIP_BROKEN, "1-1", 1, 13, 0, 0, YK_USBIP_DOUBTFUL},
        {YK_USBIP_HELD, YK_USBIP_FREE, "1-1", 1, 13, 0, 0, YK_USBIP_GONE},
        {YK_USBIP_MADE, YK_USBIP_INITIALIZING, "1-1", 1, 13, 0, 0, YK_USBIP_COMING},
        {YK_USBIP_MADE, YK_USBIP_IN_USE, "1-1", 1, 13, 0x10002, 0, YK_USBIP_COMING},
        {YK_USBIP_MADE, YK_USBIP_IN_USE, "1-1", 1, 13, 0x10002, 2, YK_USBIP_OURS},
        {YK_USBIP_MADE, YK_USBIP_IN_USE, "1-1", 1, 14, 0x10002, 2, YK_USBIP_OTHERS},
        {YK_USBIP_MADE, YK_USBIP_INITIALIZING, NULL, 0, 0, 0, 0, YK_USBIP_DOUBTFUL},
        {YK_USBIP_MADE, YK_USBIP_FREE, "1-1", 1, 13, 0, 0, YK_USBIP_GONE},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct yk_usbip_entry *entry;
        struct yk_usbip_port *port;

        begin();
        entry = know(cases[i].stage, "1-1", 3);
        port = see(3, cases[i].state, cases[i].busid, cases[i].mark, cases[i].inode);
        port->status.devid = cases[i].devid;
        port->devnum = cases[i].devnum;
        ck_assert_msg(yk_usbip_claim(entry, port) == cases[i].claim, "case %zu: %d", i,
                      yk_usbip_claim(entry, port));
        ck_assert_int_eq(yk_usbip_claim(entry, NULL), YK_USBIP_GONE);
    }
}
END_TEST

START_TEST(a_device_that_went_before_our_eyes_is_lost_and_else_doubtful)
{
    struct yk_usbip_entry *entry;
    struct yk_usbip_port *port;

    begin();
    entry = know(YK_USBIP_HELD, "1-1", 3);
    port = see(3, YK_USBIP_IN_USE, "1-1", 1, 13);
    port->devnum = 0;
    ck_assert_int_eq(yk_usbip_claim(entry, port), YK_USBIP_DOUBTFUL);
    entry->now.met = true;
    ck_assert_int_eq(yk_usbip_claim(entry, port), YK_USBIP_LOST);
}
END_TEST

/* ---- letting go */

START_TEST(what_a_former_life_holds_is_detached_when_proven)
{
    struct yk_usbip_action action;

    begin();
    know(YK_USBIP_HELD, "1-1", 3);
    see(3, YK_USBIP_IN_USE, "1-1", 1, 13);
    want(0);
    action = next(false, T0);
    ck_assert_int_eq(action.what, YK_USBIP_DETACH);
    ck_assert_uint_eq(action.port, 3);
    ck_assert_int_eq(verdict(), YK_REPORT_PENDING);
    expect(YK_USBIP_WAIT, false, T0); /* it was asked for */
    clear_sight();
    see(3, YK_USBIP_FREE, "1-1", 1, 13);
    expect(YK_USBIP_UNLINK, false, T0);
    clear_sight();
    expect(YK_USBIP_SAVE, false, T0);
    ck_assert_int_eq(verdict(), YK_REPORT_IDLE);
}
END_TEST

START_TEST(a_port_over_255_is_detached_and_no_remedy_hits_another)
{
    struct yk_usbip_action action;

    begin();
    know(YK_USBIP_HELD, "1-1", 258);
    see(258, YK_USBIP_IN_USE, "1-1", 1, 268);
    want(0);
    action = next(false, T0);
    ck_assert_int_eq(action.what, YK_USBIP_DETACH);
    ck_assert_uint_eq(action.port, 258);
    begin();
    know(YK_USBIP_HELD, "1-1", 258);
    see(258, YK_USBIP_IN_USE, NULL, 0, 0);
    want(0);
    expect(YK_USBIP_WAIT, false, T0);
    next(false, T0 + YK_USBIP_SETTLE);
    ck_assert(strstr(log_text, "echo 258 > /sys/devices/platform/vhci_hcd.0/detach") != NULL);
    ck_assert(strstr(log_text, "detach -p") == NULL); /* the tool takes 258 for 2 */
}
END_TEST

START_TEST(what_is_not_proven_is_never_detached)
{
    static const struct {
        const char *busid;
        uint8_t mark;
        uint64_t inode;
        uint32_t devid, devnum;
    } cases[] = {{NULL, 0, 0, 0x10002, 2},   {"1-1", 0, 13, 0x10002, 2},
                 {"1-1", 1, 99, 0x10002, 2}, {"1-1", 1, 13, 0x10007, 2},
                 {"1-1", 1, 13, 0x10002, 7}, {"1-2", 1, 13, 0x10002, 2}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct yk_usbip_port *port;

        begin();
        know(YK_USBIP_HELD, "1-1", 3);
        port = see(3, YK_USBIP_IN_USE, cases[i].busid, cases[i].mark, cases[i].inode);
        port->status.devid = cases[i].devid;
        port->devnum = cases[i].devnum;
        want(0);
        for (yk_time now = T0; now < T0 + 10 * YK_SECOND; now += 100 * YK_MS) {
            struct yk_usbip_action action = next(false, now);

            ck_assert_msg(action.what == YK_USBIP_WAIT || action.what == YK_USBIP_SAVE,
                          "case %zu: %d", i, action.what);
            if (action.what == YK_USBIP_SAVE) {
                yk_usbip_saved(&mind, "journal", "", now);
            }
        }
        ck_assert_int_eq(verdict(), YK_REPORT_IDLE); /* it blocks nothing */
    }
}
END_TEST

START_TEST(a_port_that_stays_is_an_error_and_asked_again)
{
    unsigned detaches = 0;

    begin();
    know(YK_USBIP_HELD, "1-1", 3);
    see(3, YK_USBIP_IN_USE, "1-1", 1, 13);
    want(0);
    for (yk_time now = T0; now <= T0 + YK_USBIP_FREEING; now += YK_USBIP_LOOK) {
        detaches += next(false, now).what == YK_USBIP_DETACH;
    }
    ck_assert_uint_ge(detaches, 4);
    ck_assert_int_eq(verdict(), YK_REPORT_ERROR);
    ck_assert_str_eq(text, "port 3 does not become free; see the kernel's log");
}
END_TEST

START_TEST(a_release_does_not_wait_for_the_disk)
{
    begin();
    know(YK_USBIP_MADE, "1-1", 3);
    see(3, YK_USBIP_IN_USE, "1-1", 1, 13); /* it is HELD now, which is not written yet */
    want(0);
    expect(YK_USBIP_DETACH, false, T0);
}
END_TEST

START_TEST(an_intent_of_a_former_life_waits_for_the_lock)
{
    begin();
    know(YK_USBIP_INTENT, "1-1", 0);
    want(0);
    expect(YK_USBIP_LOCK, false, T0);
    ck_assert_int_eq(verdict(), YK_REPORT_PENDING);
    expect(YK_USBIP_LOCK, false, T0 + YK_USBIP_LOCK_WAIT);
    ck_assert_int_eq(verdict(), YK_REPORT_ERROR);         /* said, and still tried */
    expect(YK_USBIP_SAVE, true, T0 + YK_USBIP_LOCK_WAIT); /* nothing came of it */
    ck_assert_uint_eq(mind.journal.count, 0);
}
END_TEST

START_TEST(the_fruit_of_a_former_lifes_intent_is_known_by_its_mark)
{
    begin();
    know(YK_USBIP_INTENT, "1-1", 0);
    see(0, YK_USBIP_IN_USE, "1-1", 0, 77); /* a person's */
    see(1, YK_USBIP_IN_USE, "1-1", 2, 78); /* another agent's */
    see(2, YK_USBIP_IN_USE, "1-1", 1, 79);
    want(0);
    next(true, T0);
    ck_assert_uint_eq(mind.journal.count, 1);
    ck_assert_uint_eq(mind.journal.entries[0].port, 2);
    ck_assert_int_eq(mind.journal.entries[0].stage, YK_USBIP_MADE);
}
END_TEST

START_TEST(an_old_record_with_our_mark_is_no_fruit)
{
    begin();
    know(YK_USBIP_INTENT, "1-1", 0);
    see(2, YK_USBIP_IN_USE, "1-1", 1, 79);
    journal.before_count = 1;
    journal.before[0] = (struct yk_usbip_before){.port = 2, .stamp = {79, 1}};
    want(0);
    next(true, T0);
    expect(YK_USBIP_WAIT, true, T0 + YK_USBIP_SETTLE - 1); /* its record may still come */
    ck_assert_int_eq(mind.journal.entries[0].stage, YK_USBIP_INTENT);
    for (yk_time now = T0; now <= T0 + YK_USBIP_SETTLE + YK_SECOND; now += YK_USBIP_LOOK) {
        if (next(true, now).what == YK_USBIP_SAVE) {
            yk_usbip_saved(&mind, "journal", "", now);
        }
    }
    ck_assert_int_eq(mind.journal.entries[0].stage, YK_USBIP_SUSPECT);
    ck_assert(strstr(log_text, "manual recovery required: port 2 may hold 1-1") != NULL);
    ck_assert_int_eq(verdict(), YK_REPORT_IDLE);
}
END_TEST

/* ---- attaching */

/* To the call of the tool for the first target. */
static void come_to_attach(void)
{
    expect(YK_USBIP_LOCK, false, T0);
    expect(YK_USBIP_SAVE, true, T0);
    ck_assert_int_eq(mind.journal.entries[mind.journal.count - 1].stage, YK_USBIP_INTENT);
    yk_usbip_saved(&mind, "journal", "", T0);
    expect(YK_USBIP_ATTACH, true, T0);
}

static void end_tool(const char *words, bool transient)
{
    struct yk_usbip_outcome outcome = {.transient = transient};

    snprintf(outcome.text, sizeof outcome.text, "%s", words);
    yk_usbip_attached(&mind, &outcome);
}

START_TEST(the_intent_is_durable_before_the_tool_is_called_and_the_fact_behind_it)
{
    begin();
    want(1);
    come_to_attach();
    end_tool("", false);
    see(0, YK_USBIP_INITIALIZING, "1-1", mind.journal.entries[0].target.mark, 5);
    expect(YK_USBIP_SAVE, true, T0);
    ck_assert_int_eq(mind.journal.entries[0].stage, YK_USBIP_MADE);
    yk_usbip_saved(&mind, "journal", "", T0);
    expect(YK_USBIP_WAIT, true, T0);
    ck_assert_int_eq(verdict(), YK_REPORT_PENDING);
    clear_sight();
    see(0, YK_USBIP_IN_USE, "1-1", mind.journal.entries[0].target.mark, 5);
    expect(YK_USBIP_SAVE, true, T0);
    ck_assert_int_ne(verdict(), YK_REPORT_ACTIVE); /* not before it is written */
    yk_usbip_saved(&mind, "journal", "", T0);
    next(true, T0);
    ck_assert_int_eq(verdict(), YK_REPORT_ACTIVE);
    ck_assert_str_eq(text, "1-1 on port 0 as 3-1");
}
END_TEST

START_TEST(without_a_durable_intent_the_tool_is_not_called)
{
    begin();
    want(1);
    expect(YK_USBIP_LOCK, false, T0);
    expect(YK_USBIP_SAVE, true, T0);
    yk_usbip_saved(&mind, "/var/lib/yoke/j", "write: No space left on device", T0);
    ck_assert_int_ne(next(true, T0).what, YK_USBIP_ATTACH);
    ck_assert_int_eq(verdict(), YK_REPORT_ERROR);
    ck_assert(strstr(text, "journal_file /var/lib/yoke/j: write: No space left") != NULL);
    ck_assert_uint_eq(mind.journal.count, 0);
}
END_TEST

START_TEST(each_attach_has_another_mark)
{
    uint8_t first;

    begin();
    want(1);
    come_to_attach();
    first = mind.journal.entries[0].target.mark;
    end_tool("1-1 is busy", true);
    expect(YK_USBIP_SAVE, true, T0);
    yk_usbip_saved(&mind, "journal", "", T0);
    expect(YK_USBIP_WAIT, true, T0);
    expect(YK_USBIP_LOCK, false, T0 + YK_USBIP_TRY_AGAIN);
    expect(YK_USBIP_SAVE, true, T0 + YK_USBIP_TRY_AGAIN);
    ck_assert_uint_ne(mind.journal.entries[0].target.mark, first);
    ck_assert_uint_ne(first, 0);
}
END_TEST

START_TEST(a_partial_failure_detaches_what_this_attempt_made_and_no_more)
{
    struct yk_usbip_action action;

    begin();
    know(YK_USBIP_HELD, "1-1", 3);
    see(3, YK_USBIP_IN_USE, "1-1", 1, 13);
    want(2);
    come_to_attach(); /* 1-2 alone is missing */
    end_tool("1-2 is not exported", false);
    expect(YK_USBIP_SAVE, true, T0);
    yk_usbip_saved(&mind, "journal", "", T0);
    ck_assert_int_eq(verdict(), YK_REPORT_ERROR);
    ck_assert_str_eq(text, "1-2 is not exported");
    ck_assert_int_eq(next(false, T0).what, YK_USBIP_WAIT); /* 1-1 was there before */
    mind.journal.entries[0].now.attempt = ++mind.attempt;
    mind.failure[0] = 0;
    mind.trying = true; /* now as if this attempt had made it */
    come_to_attach();
    end_tool("1-2 is not exported", false);
    action = next(true, T0);
    ck_assert_int_eq(action.what, YK_USBIP_SAVE);
    yk_usbip_saved(&mind, "journal", "", T0);
    action = next(false, T0);
    ck_assert_int_eq(action.what, YK_USBIP_DETACH);
    ck_assert_uint_eq(action.port, 3);
}
END_TEST

START_TEST(a_device_that_never_appears_is_let_go_and_told)
{
    begin();
    know(YK_USBIP_MADE, "1-1", 3);
    see(3, YK_USBIP_INITIALIZING, "1-1", 1, 13);
    want(1);
    expect(YK_USBIP_WAIT, false, T0 + YK_USBIP_APPEAR - 1);
    expect(YK_USBIP_DETACH, false, T0 + YK_USBIP_APPEAR);
    clear_sight();
    next(false, T0 + YK_USBIP_APPEAR);
    ck_assert_int_eq(verdict(), YK_REPORT_ERROR);
    ck_assert(strstr(text, "its device did not appear") != NULL);
}
END_TEST

START_TEST(what_is_under_way_belongs_to_the_attempt_that_asks_again)
{
    struct yk_usbip_media media = {.count = 2,
                                   .targets = {target_of("1-1", 0), target_of("1-2", 0)}};

    begin();
    want(2);
    come_to_attach();
    yk_usbip_want(&mind, &media, T0); /* while the tool runs */
    end_tool("1-1 is not exported", false);
    next(true, T0);
    ck_assert_int_eq(verdict(), YK_REPORT_ERROR);
    ck_assert_str_eq(text, "1-1 is not exported");
}
END_TEST

START_TEST(an_intent_for_what_is_not_wanted_any_more_is_dropped_before_the_tool)
{
    struct yk_usbip_media other = {.count = 1, .targets = {target_of("1-2", 0)}};

    begin();
    want(1);
    expect(YK_USBIP_LOCK, false, T0);
    expect(YK_USBIP_SAVE, true, T0);
    yk_usbip_want(&mind, &other, T0); /* while it is saved */
    yk_usbip_saved(&mind, "journal", "", T0);
    expect(YK_USBIP_SAVE, true, T0);
    ck_assert_uint_eq(mind.journal.count, 0);
}
END_TEST

START_TEST(who_may_not_attach_or_record_is_told_before_anything_is_done)
{
    begin();
    seen.may_attach = false;
    want(1);
    expect(YK_USBIP_WAIT, false, T0);
    ck_assert_int_eq(verdict(), YK_REPORT_ERROR);
    ck_assert(strstr(text, "run the agent as root") != NULL);
    begin();
    seen.may_record = false;
    want(1);
    expect(YK_USBIP_WAIT, false, T0);
    ck_assert_int_eq(verdict(), YK_REPORT_ERROR);
    ck_assert(strstr(text, "/var/run/vhci_hcd") != NULL);
}
END_TEST

START_TEST(a_tool_that_does_not_end_keeps_the_intent_for_later)
{
    struct yk_usbip_outcome outcome = {.stuck = true, .text = "usbip does not end"};

    begin();
    want(1);
    come_to_attach();
    yk_usbip_attached(&mind, &outcome);
    ck_assert_int_eq(verdict(), YK_REPORT_ERROR);
    expect(YK_USBIP_LOCK, false, T0);
    ck_assert_int_eq(mind.journal.entries[0].stage, YK_USBIP_INTENT);
}
END_TEST

/* ---- holding */

static void hold(void)
{
    begin();
    know(YK_USBIP_HELD, "1-1", 3);
    see(3, YK_USBIP_IN_USE, "1-1", 1, 13);
    want(1);
    ck_assert_int_eq(next(false, T0).what, YK_USBIP_LOCK);
    ck_assert_int_eq(verdict(), YK_REPORT_ACTIVE);
}

START_TEST(a_dead_import_is_known_by_the_producers_list)
{
    hold();
    mind.list_due = T0 + YK_SECOND;
    ck_assert_int_eq(next(true, T0 + YK_SECOND).what, YK_USBIP_LIST);
    yk_usbip_listed(&mind, yk_slice_of("        1-2: another\n"));
    expect(YK_USBIP_WAIT, true, T0 + YK_SECOND);
    ck_assert_int_eq(next(true, T0 + YK_SECOND + YK_USBIP_LIST_EVERY).what, YK_USBIP_LIST);
    yk_usbip_listed(&mind, yk_slice_of("        1-1: it\n"));
    expect(YK_USBIP_DETACH, true, T0 + YK_SECOND + YK_USBIP_LIST_EVERY);
    ck_assert(strstr(log_text, "dead import") != NULL);
}
END_TEST

START_TEST(a_device_missing_for_a_moment_is_no_loss)
{
    hold();
    mind.list_due = YK_TIME_NEVER;
    seen.ports[0].devnum = 0;
    expect(YK_USBIP_WAIT, false, T0);
    ck_assert_int_eq(verdict(), YK_REPORT_PENDING);
    seen.ports[0].devnum = 2;
    expect(YK_USBIP_WAIT, false, T0 + YK_USBIP_MISSING);
    ck_assert_int_eq(verdict(), YK_REPORT_ACTIVE);
    seen.ports[0].devnum = 0;
    expect(YK_USBIP_WAIT, false, T0 + 2 * YK_USBIP_MISSING);
    expect(YK_USBIP_DETACH, false, T0 + 3 * YK_USBIP_MISSING);
}
END_TEST

START_TEST(what_cannot_be_seen_is_an_error_and_changes_nothing)
{
    hold();
    seen.sight = YK_USBIP_UNCLEAR;
    snprintf(seen.cause, sizeof seen.cause, "status cannot be read");
    seen.count = 0;
    expect(YK_USBIP_WAIT, false, T0);
    ck_assert_int_eq(verdict(), YK_REPORT_ERROR);
    ck_assert_str_eq(text, "status cannot be read");
    ck_assert_uint_eq(mind.journal.count, 1);
}
END_TEST

START_TEST(the_imports_go_with_the_module)
{
    hold();
    seen.sight = YK_USBIP_ABSENT;
    seen.count = 0;
    expect(YK_USBIP_SAVE, false, T0);
    ck_assert_uint_eq(mind.journal.count, 0);
    ck_assert_int_eq(verdict(), YK_REPORT_PENDING);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        an_import_is_ours_when_every_fact_agrees,
        a_device_that_went_before_our_eyes_is_lost_and_else_doubtful,
        what_a_former_life_holds_is_detached_when_proven,
        a_port_over_255_is_detached_and_no_remedy_hits_another,
        what_is_not_proven_is_never_detached,
        a_port_that_stays_is_an_error_and_asked_again,
        a_release_does_not_wait_for_the_disk,
        an_intent_of_a_former_life_waits_for_the_lock,
        the_fruit_of_a_former_lifes_intent_is_known_by_its_mark,
        an_old_record_with_our_mark_is_no_fruit,
        the_intent_is_durable_before_the_tool_is_called_and_the_fact_behind_it,
        without_a_durable_intent_the_tool_is_not_called,
        each_attach_has_another_mark,
        a_partial_failure_detaches_what_this_attempt_made_and_no_more,
        a_device_that_never_appears_is_let_go_and_told,
        what_is_under_way_belongs_to_the_attempt_that_asks_again,
        an_intent_for_what_is_not_wanted_any_more_is_dropped_before_the_tool,
        who_may_not_attach_or_record_is_told_before_anything_is_done,
        a_tool_that_does_not_end_keeps_the_intent_for_later,
        a_dead_import_is_known_by_the_producers_list,
        a_device_missing_for_a_moment_is_no_loss,
        what_cannot_be_seen_is_an_error_and_changes_nothing,
        the_imports_go_with_the_module,
        NULL,
    };

    return suite_main("usbip reconcile", tests);
}
