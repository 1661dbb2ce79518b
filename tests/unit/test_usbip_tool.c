/* Calls of the tool, the host's lock, the durable writer, and a look at a host that is a folder. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "drivers/usbip/journal.h"
#include "drivers/usbip/lock.h"
#include "drivers/usbip/store.h"
#include "drivers/usbip/tool.h"
#include "files.h"
#include "lib/suite.h"

#define BOOT_ID "01234567-89ab-cdef-0123-456789abcdef"
#define LIMIT_MS 20000

static uv_loop_t loop;
static struct yk_usbip_end last_end;
static char output[YK_USBIP_OUTPUT_MAX + 1];
static unsigned ends;

static void ended(void *owner, const struct yk_usbip_end *end)
{
    ck_assert_ptr_eq(owner, &loop);
    last_end = *end;
    if (end->output.size > 0) {
        memcpy(output, end->output.data, end->output.size);
    }
    output[end->output.size] = 0;
    ends++;
}

static struct yk_usbip_tool *start(const char *script, unsigned limit_ms, int lock)
{
    const char *argv[] = {"sh", "-c", script, NULL};
    struct yk_usbip_tool *tool;
    struct yk_refusal why;

    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ends = 0;
    tool = yk_usbip_tool_start(&loop, argv, limit_ms, lock, &loop, ended, &why);
    ck_assert_msg(tool != NULL, "%s", why.text);
    return tool;
}

/* The loop has nothing left when the tool has ended. */
static void run(void)
{
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_uint_eq(ends, 1);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}

START_TEST(status_and_both_outputs_are_told)
{
    start("echo out; echo err >&2; exit 3", LIMIT_MS, -1);
    run();
    ck_assert_int_eq(last_end.way, YK_USBIP_EXITED);
    ck_assert_int_eq(last_end.number, 3);
    ck_assert_str_eq(output, "out\nerr\n");
}
END_TEST

START_TEST(a_mebibyte_is_read_to_its_end_and_its_beginning_kept)
{
    start("yes | head -c 1048576; exit 0", LIMIT_MS, -1);
    run();
    ck_assert_int_eq(last_end.way, YK_USBIP_EXITED);
    ck_assert_uint_eq(strlen(output), YK_USBIP_OUTPUT_MAX);
}
END_TEST

/* A zombie that nobody collects does not run. */
static bool runs(pid_t pid)
{
    char path[64], text[256];
    const char *name_end;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    file = fopen(path, "re");
    if (file == NULL) {
        return false;
    }
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    name_end = strrchr(text, ')');
    return name_end != NULL && name_end[2] != 'Z';
}

START_TEST(what_takes_too_long_is_ended_with_all_it_started)
{
    start("sleep 1000 & echo $!; wait", 2000, -1); /* enough for a shell to speak */
    run();
    ck_assert_int_eq(last_end.way, YK_USBIP_SIGNALLED);
    ck_assert_int_eq(last_end.number, SIGTERM);
    ck_assert(last_end.late);
    for (unsigned i = 0; runs(atoi(output)) && i < 1000; i++) {
        usleep(10000);
    }
    ck_assert_int_gt(atoi(output), 0);
    ck_assert(!runs(atoi(output)));
}
END_TEST

START_TEST(what_ignores_term_is_killed)
{
    start("trap '' TERM; while :; do sleep 0.1; done", 200, -1);
    run();
    ck_assert_int_eq(last_end.way, YK_USBIP_SIGNALLED);
    ck_assert_int_eq(last_end.number, SIGKILL);
}
END_TEST

START_TEST(a_stop_ends_it_and_is_no_lateness)
{
    struct yk_usbip_tool *tool = start("exec sleep 1000", LIMIT_MS, -1);

    yk_usbip_tool_stop(tool);
    yk_usbip_tool_stop(tool);
    run();
    ck_assert_int_eq(last_end.way, YK_USBIP_SIGNALLED);
    ck_assert(!last_end.late);
}
END_TEST

START_TEST(a_program_that_is_not_there_is_told_by_its_errno)
{
    const char *argv[] = {"no-such-program", NULL};
    struct yk_refusal why;

    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert_ptr_nonnull(yk_usbip_tool_start(&loop, argv, LIMIT_MS, -1, &loop, ended, &why));
    run();
    ck_assert_int_eq(last_end.way, YK_USBIP_UNSTARTED);
    ck_assert_int_eq(last_end.number, ENOENT);
}
END_TEST

START_TEST(one_alone_has_the_lock)
{
    const char *path = files_path("lock");
    int first = yk_usbip_lock_take(path);

    ck_assert_int_ge(first, 0);
    ck_assert_int_eq(yk_usbip_lock_take(path), -1);
    ck_assert_int_eq(errno, EWOULDBLOCK);
    close(first);
    first = yk_usbip_lock_take(path);
    ck_assert_int_ge(first, 0);
    close(first);
    ck_assert_int_eq(symlink("/dev/null", files_path("link")), 0);
    ck_assert_int_eq(yk_usbip_lock_take(files_path("link")), -1);
}
END_TEST

START_TEST(a_tool_whose_agent_is_killed_goes_on_and_keeps_the_lock)
{
    char script[600];
    pid_t child;
    int lock;

    snprintf(script, sizeof script, "sleep 1; echo done >%s", files_path("made"));
    (void)files_path("lock");
    child = fork();
    if (child == 0) {
        lock = yk_usbip_lock_take(files_path("lock"));
        start(script, LIMIT_MS, lock);
        for (unsigned i = 0; i < 20; i++) {
            uv_run(&loop, UV_RUN_NOWAIT);
            usleep(10000);
        }
        raise(SIGKILL);
    }
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    ck_assert_int_eq(yk_usbip_lock_take(files_path("lock")), -1);
    for (unsigned i = 0; (lock = yk_usbip_lock_take(files_path("lock"))) < 0 && i < 1000; i++) {
        usleep(10000);
    }
    ck_assert_int_ge(lock, 0);
    close(lock);
    ck_assert_int_eq(access(files_path("made"), F_OK), 0);
}
END_TEST

/* ---- the durable writer and the journal */

static char cause[256];
static unsigned saves;

static void saved(void *owner, const char *why)
{
    (void)owner;
    saves++;
    snprintf(cause, sizeof cause, "%s", why);
}

static void save(const char *path, char *text)
{
    static struct yk_usbip_store store;

    ck_assert_int_eq(uv_loop_init(&loop), 0);
    saves = 0;
    yk_usbip_store_init(&store, path, &loop, saved);
    yk_usbip_store_save(&store, &loop, text);
    ck_assert(store.busy);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_uint_eq(saves, 1);
    ck_assert(!store.busy);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}

static void make_journal(struct yk_usbip_journal *journal)
{
    memset(journal, 0, sizeof *journal);
    journal->count = 2;
    for (size_t i = 0; i < 2; i++) {
        struct yk_usbip_entry *entry = &journal->entries[i];

        strcpy(entry->target.host, "10.77.0.1");
        entry->target.port = 3240;
        entry->target.mark = (uint8_t)(1 + 30 * i);
        snprintf(entry->target.busid, sizeof entry->target.busid, "1-%zu.4", i + 1);
        entry->stage = i == 0 ? YK_USBIP_HELD : YK_USBIP_INTENT;
        entry->port = i == 0 ? 239 : 0;
        entry->stamp = (struct yk_usbip_stamp){i == 0 ? 4711 : 0, i == 0 ? INT64_MAX : 0};
        entry->devid = i == 0 ? UINT32_MAX : 0;
        entry->devnum = i == 0 ? 127 : 0;
    }
    journal->before_count = 1;
    journal->before[0] = (struct yk_usbip_before){.port = 7, .in_use = true, .stamp = {8, 9}};
}

START_TEST(a_journal_is_read_as_it_was_saved)
{
    static struct yk_usbip_journal journal, again;
    struct yk_refusal why;

    make_journal(&journal);
    save(files_path("journal"), yk_usbip_journal_encode(&journal, "usb-1", BOOT_ID));
    ck_assert_str_eq(cause, "");
    ck_assert_msg(yk_usbip_journal_load(&again, files_path("journal"), "usb-1", BOOT_ID, &why),
                  "%s", why.text);
    ck_assert_mem_eq(&journal, &again, sizeof journal);
}
END_TEST

START_TEST(a_journal_cut_anywhere_proves_nothing)
{
    static struct yk_usbip_journal journal, again;
    struct yk_refusal why;
    char *text;

    make_journal(&journal);
    text = yk_usbip_journal_encode(&journal, "usb-1", BOOT_ID);
    for (size_t cut = 0; cut < strlen(text); cut++) {
        ck_assert(!yk_usbip_journal_decode(&again, (struct yk_slice){(uint8_t *)text, cut},
                                           "journal", "usb-1", BOOT_ID, &why));
        ck_assert_uint_eq(again.count, 0);
    }
    free(text);
}
END_TEST

START_TEST(a_journal_of_another_boot_is_empty)
{
    static struct yk_usbip_journal journal, again;
    struct yk_refusal why;
    char *text;

    make_journal(&journal);
    text = yk_usbip_journal_encode(&journal, "usb-1", "another boot");
    ck_assert(
        yk_usbip_journal_decode(&again, yk_slice_of(text), "journal", "usb-1", BOOT_ID, &why));
    ck_assert_uint_eq(again.count, 0);
    free(text);
}
END_TEST

START_TEST(a_journal_that_others_may_write_is_refused)
{
    static struct yk_usbip_journal journal;
    struct yk_refusal why;

    save(files_path("journal"), yk_usbip_journal_encode(&journal, "usb-1", BOOT_ID));
    ck_assert_int_eq(chmod(files_path("journal"), 0622), 0);
    ck_assert(!yk_usbip_journal_load(&journal, files_path("journal"), "usb-1", BOOT_ID, &why));
    ck_assert_msg(strstr(why.text, "chmod 600") != NULL, "%s", why.text);
}
END_TEST

START_TEST(what_cannot_be_written_is_told_with_the_step)
{
    save(files_path("no-folder/journal"), strdup("{}"));
    ck_assert_msg(strstr(cause, "opening its directory: No such file") != NULL, "%s", cause);
    save(files_path("journal"), NULL);
    ck_assert_str_eq(cause, "making its text: Cannot allocate memory");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        status_and_both_outputs_are_told,
        a_mebibyte_is_read_to_its_end_and_its_beginning_kept,
        what_takes_too_long_is_ended_with_all_it_started,
        what_ignores_term_is_killed,
        a_stop_ends_it_and_is_no_lateness,
        a_program_that_is_not_there_is_told_by_its_errno,
        one_alone_has_the_lock,
        a_tool_whose_agent_is_killed_goes_on_and_keeps_the_lock,
        a_journal_is_read_as_it_was_saved,
        a_journal_cut_anywhere_proves_nothing,
        a_journal_of_another_boot_is_empty,
        a_journal_that_others_may_write_is_refused,
        what_cannot_be_written_is_told_with_the_step,
        NULL,
    };

    return suite_main("usbip tool", tests);
}
