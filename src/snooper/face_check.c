#include "snooper/face_check.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "cli/line.h"
#include "cli/say.h"
#include "snooper/conformance.h"
#include "snooper/face_json.h"
#include "snooper/words.h"

#define WORD_WIDTH 18 /* columns of a rule's id; the longest has 16 */

struct face {
    struct yk_conformance check;
    void *memory;
};

static bool is_wanted(const struct yk_snoop_options *options)
{
    return options->check;
}

static bool open_face(const struct yk_snoop *snoop, void **self, struct yk_refusal *why)
{
    uint32_t tracked = YK_TRACKED_DEFAULT;
    struct face *face = calloc(1, sizeof *face);
    uint64_t seed;

    if (getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed) {
        free(face);
        return yk_refuse(why, YK_EXIT_INTERNAL,
                         "random numbers: the kernel gives none (%s); try again", strerror(errno));
    }
    if (face != NULL) {
        face->memory = calloc(1, yk_conformance_memory(tracked));
    }
    if (face == NULL || face->memory == NULL) {
        free(face);
        return yk_refuse(why, YK_EXIT_INTERNAL, "memory: none left; free some and try again");
    }
    yk_conformance_init(&face->check, face->memory, tracked, seed, &snoop->access.auth,
                        snoop->observer->now);
    *self = face;
    return true;
}

/* ---- violations */

static void address_words(char out[INET_ADDRSTRLEN + 8], const struct yk_address *from)
{
    char ip[INET_ADDRSTRLEN];

    inet_ntop(AF_INET, from->ip, ip, sizeof ip);
    snprintf(out, INET_ADDRSTRLEN + 8, "%s:%u", ip, from->port);
}

static void print_line(const struct yk_violation *violation, struct yk_moment at)
{
    char clock[16], from[INET_ADDRSTRLEN + 8];
    const char *doubt = violation->verified || violation->id.size == 0 ? "" : "?";

    yk_clock_words(clock, at);
    address_words(from, &violation->from);
    yk_print(stdout, "%s  %-*s %s%s%s%s  %s", clock, WORD_WIDTH,
             yk_rule_text(violation->rule)->word, violation->id.text, doubt,
             violation->id.size > 0 ? " " : "", from, violation->detail);
}

static void print_json(const struct yk_violation *violation, struct yk_moment at)
{
    const struct yk_rule_text *rule = yk_rule_text(violation->rule);
    uint8_t bytes[YK_LINE_MAX];
    char from[INET_ADDRSTRLEN + 8];
    struct yk_json_writer line;

    address_words(from, &violation->from);
    yk_line_open(&line, bytes, sizeof bytes, "violation");
    yk_moment_json(&line, at);
    yk_line_word(&line, "rule", rule->word);
    yk_line_word(&line, "section", rule->section);
    yk_line_word(&line, "id", violation->id.text);
    yk_line_bool(&line, "verified", violation->verified);
    yk_line_word(&line, "from", from);
    yk_line_word(&line, "detail", violation->detail);
    yk_line_close(&line, stdout);
}

static void print(const struct face *face, const struct yk_snoop *snoop, struct yk_moment at)
{
    for (size_t i = 0; i < face->check.count; i++) {
        if (snoop->options->common.json) {
            print_json(&face->check.violations[i], at);
        } else {
            print_line(&face->check.violations[i], at);
        }
    }
}

static void pass_time(struct face *face, const struct yk_snoop *snoop, struct yk_moment at)
{
    while (yk_conformance_deadline(&face->check) <= at.now) {
        yk_conformance_tick(&face->check, snoop->observer, at.now);
        print(face, snoop, at);
    }
}

static void heard_frame(void *self, const struct yk_snoop *snoop, struct yk_moment at,
                        const struct yk_heard_frame *heard)
{
    struct face *face = self;

    yk_conformance_hear(&face->check, snoop->observer, heard);
    print(face, snoop, at);
    pass_time(face, snoop, at);
}

static bool flush(void *self, const struct yk_snoop *snoop, struct yk_refusal *why)
{
    (void)self;
    (void)snoop;
    return yk_snoop_flush_output(why);
}

/* ---- the sum */

static void sum_line(const struct face *face, const struct yk_snoop *snoop)
{
    const uint64_t *totals = face->check.totals;
    unsigned broken = 0;
    char sum[YK_REFUSAL_MAX];

    for (int rule = YK_RULE_NONE + 1; rule < YK_RULE_END; rule++) {
        const struct yk_rule_text *text = yk_rule_text((enum yk_rule)rule);

        if (totals[rule] > 0) {
            broken++;
            yk_print(stdout, "%10llu x %-*s %s: %s", (unsigned long long)totals[rule], WORD_WIDTH,
                     text->word, text->section, text->sentence);
        }
    }
    yk_snoop_sum(snoop, sum);
    yk_print(stdout, "%s", sum);
    if (snoop->heard == 0) {
        yk_print(stdout, "nothing was heard, so nothing was checked");
    } else if (broken == 0) {
        yk_print(stdout, "none of %d rules was broken, as far as was heard", YK_RULE_END - 1);
    } else {
        yk_print(stdout, "broken: %u of %d rules, %llu times", broken, YK_RULE_END - 1,
                 (unsigned long long)totals[YK_RULE_NONE]);
    }
}

static void sum_json(const struct face *face, const struct yk_snoop *snoop)
{
    uint8_t bytes[YK_LINE_MAX];
    struct yk_json_writer line;

    yk_line_open(&line, bytes, sizeof bytes, "conformance");
    yk_line_unsigned(&line, "heard", snoop->heard);
    yk_line_unsigned(&line, "lost", snoop->kernel_drops);
    yk_line_unsigned(&line, "not_kept", face->check.not_kept);
    yk_line_unsigned(&line, "violations", face->check.totals[YK_RULE_NONE]);
    yk_json_key(&line, "rules");
    yk_json_open(&line, '{');
    for (int rule = YK_RULE_NONE + 1; rule < YK_RULE_END; rule++) {
        if (face->check.totals[rule] > 0) {
            yk_line_unsigned(&line, yk_rule_text((enum yk_rule)rule)->word,
                             face->check.totals[rule]);
        }
    }
    yk_json_close(&line, '}');
    yk_line_close(&line, stdout);
}

static enum yk_exit close_face(void *self, const struct yk_snoop *snoop, struct yk_moment at)
{
    struct face *face = self;
    enum yk_exit status = YK_EXIT_OK;

    pass_time(face, snoop, at);
    if (snoop->started) {
        if (snoop->options->common.json) {
            sum_json(face, snoop);
        } else {
            sum_line(face, snoop);
        }
        status = face->check.totals[YK_RULE_NONE] > 0 ? YK_EXIT_NO : YK_EXIT_OK;
    }
    free(face->memory);
    free(face);
    return status;
}

const struct yk_face yk_face_check = {
    .name = "check",
    .is_wanted = is_wanted,
    .open = open_face,
    .heard = heard_frame,
    .flush = flush,
    .close = close_face,
};

/* ---- the list */

static void list_json(const struct yk_rule_text *text)
{
    uint8_t bytes[YK_LINE_MAX];
    struct yk_json_writer line;

    yk_line_open(&line, bytes, sizeof bytes, "rule");
    yk_line_word(&line, "rule", text->word);
    yk_line_word(&line, "section", text->section);
    yk_line_word(&line, "sentence", text->sentence);
    yk_line_close(&line, stdout);
}

void yk_check_list(bool json)
{
    for (int rule = YK_RULE_NONE + 1; rule < YK_RULE_END; rule++) {
        const struct yk_rule_text *text = yk_rule_text((enum yk_rule)rule);

        if (json) {
            list_json(text);
        } else {
            printf("%-*s %s: %s\n", WORD_WIDTH, text->word, text->section, text->sentence);
        }
    }
}
