#include "usbip_rig.h"

#include <check.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"

#define PORTS 4
#define KERNEL_US 2000

struct yk_usbip_places usbip_host;

static char root[512];
static pthread_t kernel;
static atomic_bool kernel_runs;

/* The tool of this host. Its folder is $0's. */
static const char tool_text[] =
    "#!/bin/sh\n"
    "here=${0%/*}\n"
    "echo \"$*\" >>$here/calls\n"
    "mode=$(cat $here/mode)\n"
    "[ \"$1\" = --tcp-port ] || exit 1\n"
    "if [ \"$3\" = list ]; then\n"
    "    for b in $(cat $here/list); do printf '%11s: a device\\n' $b; done\n"
    "    exit 0\n"
    "fi\n"
    "case $mode in\n"
    "hang) exec sleep 1000 ;;\n"
    "busy) echo 'usbip: error: Attach Request failed - Device busy (exported)' >&2; exit 1 ;;\n"
    "nothing) exit 0 ;;\n"
    "noise) yes | head -c 1048576; exit 1 ;;\n"
    "esac\n"
    "n=0\n"
    "until grep -q \"^hs  000$n 004\" $here/status; do n=$((n + 1)); [ $n -lt 4 ] || exit 1; done\n"
    "echo \"$n $5 $2 $7 $mode\" >$here/attach.new\n"
    "mv $here/attach.new $here/vhci/attach\n"
    "until grep -q \"^hs  000$n 00[56]\" $here/status; do sleep 0.01; done\n"
    "[ $mode = unrecorded ] && { echo 'usbip: error: record connection' >&2; exit 1; }\n"
    "mkdir -p $here/records\n"
    "echo \"$5 $2 $7\" >$here/records/port$n\n";

/* ---- the kernel: "attach" and "detach" are files that it empties */

static struct {
    unsigned state, devnum;
} ports[PORTS];
static unsigned next_devnum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void put(const char *name, const char *text)
{
    char path[640], temporary[660];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", root, name);
    snprintf(temporary, sizeof temporary, "%s.new",
             path); /* test and kernel put at the same time */
    file = fopen(temporary, "we");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
    ck_assert_int_eq(rename(temporary, path), 0);
}

/* Reads a file of the host and empties it; false when there is nothing in it. */
static bool take(const char *name, char *out, size_t capacity)
{
    char path[640];
    ssize_t size;
    int fd;

    snprintf(path, sizeof path, "%s/%s", root, name);
    fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    size = read(fd, out, capacity - 1);
    out[size > 0 ? size : 0] = 0;
    if (size > 0) {
        ck_assert_int_eq(ftruncate(fd, 0), 0);
    }
    close(fd);
    return size > 0;
}

/* Under the lock. */
static void print_status(void)
{
    char text[1024] = "hub port sta spd dev      sockfd local_busid\n", line[64];

    for (unsigned i = 0; i < PORTS; i++) {
        if (ports[i].state == 6) {
            snprintf(line, sizeof line, "hs  %04u 006 003 %08x 000003 3-%u\n", i, 0x10002 + i,
                     i + 1);
        } else {
            snprintf(line, sizeof line, "hs  %04u %03u 000 00000000 000000 0-0\n", i,
                     ports[i].state);
        }
        strcat(text, line);
    }
    put("vhci/status", text);
    put("status", text);
}

static void plug(unsigned port)
{
    char name[64], text[16];

    ports[port].state = 6;
    ports[port].devnum = next_devnum++;
    snprintf(name, sizeof name, "devices/3-%u/devnum", port + 1);
    snprintf(text, sizeof text, "%u\n", ports[port].devnum);
    put(name, text);
}

static void *run_kernel(void *unused)
{
    char text[256];

    while (kernel_runs) {
        unsigned port;

        pthread_mutex_lock(&lock);
        if (take("vhci/detach", text, sizeof text) && sscanf(text, "%u", &port) == 1 &&
            port < PORTS) {
            ports[port].state = 4;
            print_status();
        }
        if (take("vhci/attach", text, sizeof text) && sscanf(text, "%u", &port) == 1 &&
            port < PORTS) {
            plug(port);
            print_status();
        }
        pthread_mutex_unlock(&lock);
        usleep(KERNEL_US);
    }
    return unused;
}

static void stop_kernel(void)
{
    if (kernel_runs) {
        kernel_runs = false;
        pthread_join(kernel, NULL);
    }
}

/* ---- the host */

/* The path of something on the host; the text lives until four more were asked for. */
static const char *place(const char *name)
{
    static char paths[4][640];
    static unsigned next;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", root, name);
    return path;
}

/* The same, for good. */
static const char *keep(const char *name)
{
    static char kept[8][640];
    static unsigned next;
    char *path = kept[next++ % 8];

    snprintf(path, sizeof kept[0], "%s", place(name));
    return path;
}

void usbip_make_places(void)
{
    static const char *const folders[] = {"vhci",        "devices",     "devices/3-1",
                                          "devices/3-2", "devices/3-3", "devices/3-4"};

    snprintf(root, sizeof root, "%s", files_path("host"));
    ck_assert_int_eq(mkdir(root, 0700), 0);
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        ck_assert_int_eq(mkdir(place(folders[i]), 0700), 0);
    }
    put("vhci/nports", "4\n");
    put("vhci/attach", "");
    put("vhci/detach", "");
    put("boot_id", "01234567-89ab-cdef-0123-456789abcdef\n");
    put("mode", "ok\n");
    put("list", "");
    put("calls", "");
    put("usbip", tool_text);
    ck_assert_int_eq(chmod(place("usbip"), 0700), 0);
    next_devnum = 2;
    for (unsigned i = 0; i < PORTS; i++) {
        ports[i].state = 4;
    }
    print_status();
    usbip_host = (struct yk_usbip_places){.vhci = keep("vhci"),
                                          .devices = keep("devices"),
                                          .host_driver = keep("usbip-host"),
                                          .records = keep("records"),
                                          .boot_id = keep("boot_id"),
                                          .lock = keep("lock"),
                                          .tool = keep("usbip"),
                                          .daemon = keep("usbipd")};
}

void usbip_start_kernel(void)
{
    kernel_runs = true;
    ck_assert_int_eq(pthread_create(&kernel, NULL, run_kernel, NULL), 0);
    atexit(stop_kernel);
}

void usbip_make_host(void)
{
    usbip_make_places();
    usbip_start_kernel();
}

void usbip_set_mode(const char *mode)
{
    put("mode", mode);
}

void usbip_set_list(const char *busids)
{
    put("list", busids);
}

const char *usbip_calls(void)
{
    static char text[4096];
    FILE *file = fopen(place("calls"), "re");

    ck_assert_ptr_nonnull(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

unsigned usbip_port_state(unsigned port)
{
    unsigned state;

    pthread_mutex_lock(&lock);
    state = ports[port].state;
    pthread_mutex_unlock(&lock);
    return state;
}

void usbip_drop(unsigned port)
{
    pthread_mutex_lock(&lock);
    ports[port].state = 4;
    print_status();
    pthread_mutex_unlock(&lock);
}

/* ---- the driver */

static void *parse_for_host(json_t *config, const struct yk_driver_site *site,
                            struct yk_refusal *why)
{
    void *self = yk_driver_usbip.parse(config, site, why);

    if (self != NULL) {
        yk_usbip_use_places(self, &usbip_host);
    }
    return self;
}

void usbip_open(struct driver_rig *rig)
{
    static struct yk_driver_ops ops;
    static struct yk_driver_site site;
    char config[640];

    ops = yk_driver_usbip;
    ops.parse = parse_for_host;
    site = rig_consumer;
    site.kind = YK_KIND_USB;
    site.state_file = place("state");
    snprintf(config, sizeof config, "{\"type\": \"usbip\", \"journal_file\": \"%s\"}",
             place("journal"));
    rig_open(rig, &ops, config, &site);
}

void usbip_close(struct driver_rig *rig)
{
    rig_close(rig);
}

void usbip_expect_detail(const struct driver_rig *rig, const char *part)
{
    ck_assert_msg(strstr(rig->detail, part) != NULL, "%s", rig->detail);
}

void usbip_wait_log(struct driver_rig *rig, const char *part)
{
    for (unsigned ms = 0; strstr(rig->log, part) == NULL; ms += 20) {
        ck_assert_msg(ms < RIG_WAIT_MS, "log: %s", rig->log);
        rig_poll(rig);
        rig_wait_report(rig, 20);
    }
}

void usbip_poll_until(struct driver_rig *rig, enum yk_report status)
{
    for (unsigned ms = 0; rig_poll(rig) != status; ms += 20) {
        ck_assert_msg(ms < RIG_WAIT_MS, "last %d: %s", rig->status, rig->detail);
        rig_wait_report(rig, 20);
    }
}
