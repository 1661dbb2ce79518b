#include "drivers/usbip/seen.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"

#define PAGE_MAX 8192         /* bytes of a file in sysfs; the kernel prints one page at most */
#define STATUS_FILES_MAX 128  /* controllers that the kernel can be built with */
#define RECORDS_LOOK_MAX 8192 /* entries of the record folder looked at */
#define NS_PER_S INT64_C(1000000000)

/* A look under way. */
struct look {
    struct yk_usbip_seen *seen;
    const struct yk_usbip_places *places;
    unsigned lines; /* ports that the status files have told of */
};

__attribute__((format(printf, 2, 3))) static bool be_unclear(struct yk_usbip_seen *seen,
                                                             const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(seen->cause, sizeof seen->cause, format, arguments);
    va_end(arguments);
    seen->sight = YK_USBIP_UNCLEAR;
    return false;
}

/* Reads "FOLDER/NAME" whole. On false, errno and a cause. */
static bool read_in(const char *folder, const char *name, char *out, size_t capacity, size_t *size,
                    struct stat *facts, char cause[YK_CAUSE_MAX])
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) {
        snprintf(cause, YK_CAUSE_MAX, "has too long a path");
        errno = ENAMETOOLONG;
        return false;
    }
    return yk_file_read(path, false, (uint8_t *)out, capacity, size, facts, cause);
}

static bool read_number(const char *folder, const char *name, unsigned *value,
                        char cause[YK_CAUSE_MAX])
{
    char text[32];
    struct yk_slice slice = {(const uint8_t *)text, 0};
    struct stat facts;

    if (!read_in(folder, name, text, sizeof text, &slice.size, &facts, cause)) {
        return false;
    }
    if (!yk_usbip_take_number(&slice, value) || !yk_slice_equal(slice, yk_slice_of("\n"))) {
        snprintf(cause, YK_CAUSE_MAX, "has no number in it");
        errno = EINVAL;
        return false;
    }
    return true;
}

/* ---- ports */

/* The port's place in the list, made when it is not there; NULL when there is no room. */
static struct yk_usbip_port *place_of(struct yk_usbip_seen *seen, unsigned number)
{
    size_t at = seen->count;

    while (at > 0 && seen->ports[at - 1].status.number > number) {
        at--;
    }
    if (at > 0 && seen->ports[at - 1].status.number == number) {
        return &seen->ports[at - 1];
    }
    if (seen->count == YK_USBIP_PORTS_MAX) {
        be_unclear(seen, "more than %d ports are in use or have records; detach some",
                   YK_USBIP_PORTS_MAX);
        return NULL;
    }
    memmove(&seen->ports[at + 1], &seen->ports[at], (seen->count - at) * sizeof seen->ports[0]);
    memset(&seen->ports[at], 0, sizeof seen->ports[at]);
    seen->ports[at].status.number = number;
    seen->ports[at].status.state = YK_USBIP_FREE;
    seen->count++;
    return &seen->ports[at];
}

static void find_device(struct look *look, struct yk_usbip_port *port)
{
    char folder[PATH_MAX], cause[YK_CAUSE_MAX];
    unsigned devnum;

    if (port->status.state != YK_USBIP_IN_USE || port->status.local[0] == 0 ||
        snprintf(folder, sizeof folder, "%s/%s", look->places->devices, port->status.local) >=
            (int)sizeof folder) {
        return;
    }
    if (read_number(folder, "devnum", &devnum, cause)) {
        port->devnum = devnum;
    }
}

static bool take_status(void *owner, const struct yk_usbip_status *status)
{
    struct look *look = owner;
    struct yk_usbip_port *port;

    look->lines++;
    if (status->number > YK_USBIP_NUMBER_MAX) {
        return false;
    }
    if (status->state == YK_USBIP_FREE) {
        return true;
    }
    port = place_of(look->seen, status->number);
    if (port == NULL) {
        return false;
    }
    port->status = *status;
    find_device(look, port);
    return true;
}

static bool read_controller(struct look *look, unsigned controller)
{
    struct yk_usbip_seen *seen = look->seen;
    char name[32] = "status", text[PAGE_MAX], cause[YK_CAUSE_MAX];
    struct stat facts;
    size_t size, wrong;

    if (controller > 0) {
        snprintf(name, sizeof name, "status.%u", controller);
    }
    if (!read_in(look->places->vhci, name, text, sizeof text, &size, &facts, cause)) {
        return be_unclear(seen, "%s/%s %s; load vhci-hcd again", look->places->vhci, name, cause);
    }
    wrong =
        yk_usbip_status_parse((struct yk_slice){(const uint8_t *)text, size}, look, take_status);
    if (wrong > 0 && seen->sight != YK_USBIP_UNCLEAR) {
        be_unclear(seen, "%s/%s: line %zu is not understood; report it with your kernel's version",
                   look->places->vhci, name, wrong);
    }
    return wrong == 0;
}

static bool may_write(const char *folder, const char *name)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
}

/* The tool makes the folder when it is not there. */
static bool may_record(const char *folder)
{
    char above[PATH_MAX];

    if (faccessat(AT_FDCWD, folder, W_OK, AT_EACCESS) == 0) {
        return true;
    }
    return errno == ENOENT && yk_file_directory(folder, above, sizeof above) &&
           faccessat(AT_FDCWD, above, W_OK, AT_EACCESS) == 0;
}

static bool read_controllers(struct look *look)
{
    struct yk_usbip_seen *seen = look->seen;
    char cause[YK_CAUSE_MAX];
    unsigned ports;

    if (!read_number(look->places->vhci, "nports", &ports, cause)) {
        if (errno == ENOENT) {
            seen->sight = YK_USBIP_ABSENT;
            snprintf(
                seen->cause, sizeof seen->cause,
                "the kernel module vhci-hcd is not loaded; run \"modprobe vhci-hcd\", and name "
                "it in /etc/modules-load.d for the next boot");
            return false;
        }
        return be_unclear(seen, "%s/nports %s; load vhci-hcd again", look->places->vhci, cause);
    }
    seen->may_attach = may_write(look->places->vhci, "attach");
    seen->may_record = may_record(look->places->records);
    for (unsigned i = 0; i < STATUS_FILES_MAX && look->lines < ports; i++) {
        unsigned before = look->lines;

        if (!read_controller(look, i)) {
            return false;
        }
        if (look->lines == before) {
            break;
        }
    }
    return look->lines == ports ||
           be_unclear(seen,
                      "%s: %u ports are told of and there are %u; report it with your "
                      "kernel's version",
                      look->places->vhci, look->lines, ports);
}

/* ---- records */

/* "port15", and no other spelling of it. */
static bool parse_record_name(const char *name, unsigned *number)
{
    struct yk_slice digits;

    if (strncmp(name, "port", 4) != 0) {
        return false;
    }
    digits = yk_slice_of(name + 4);
    return digits.size > 0 && (digits.data[0] != '0' || digits.size == 1) &&
           yk_usbip_take_number(&digits, number) && digits.size == 0 &&
           *number <= YK_USBIP_NUMBER_MAX;
}

/* One that goes while it is read is as good as one that was never there. */
static bool read_record(struct look *look, const char *name, unsigned number)
{
    char text[YK_USBIP_RECORD_MAX + 1], cause[YK_CAUSE_MAX];
    struct yk_usbip_port *port;
    struct stat facts;
    size_t size = 0;
    bool whole;

    whole = read_in(look->places->records, name, text, sizeof text, &size, &facts, cause);
    if (!whole && errno != EINVAL) {
        return errno == ENOENT ||
               be_unclear(look->seen, "%s/%s %s; run as root", look->places->records, name, cause);
    }
    port = place_of(look->seen, number);
    if (port == NULL) {
        return false;
    }
    if (whole) {
        port->stamp.inode = facts.st_ino;
        port->stamp.mtime_ns = facts.st_mtim.tv_sec * NS_PER_S + facts.st_mtim.tv_nsec;
        port->has_target =
            yk_usbip_record_parse(&port->target, (struct yk_slice){(const uint8_t *)text, size});
    }
    return true;
}

static bool read_records(struct look *look)
{
    const char *folder = look->places->records;
    DIR *directory = opendir(folder);
    unsigned number, looked = 0;
    bool ok = true;

    if (directory == NULL) {
        if (errno == ENOENT) {
            return true;
        }
        return be_unclear(look->seen,
                          errno == ENOTDIR ? "%s: %s; remove that file: usbip needs the "
                                             "folder for its records"
                                           : "%s: %s; run as root",
                          folder, strerror(errno));
    }
    for (struct dirent *entry = readdir(directory); entry != NULL && ok;
         entry = readdir(directory)) {
        ok = ++looked <= RECORDS_LOOK_MAX ||
             be_unclear(look->seen, "%s: more than %d entries; remove what is no record of usbip",
                        folder, RECORDS_LOOK_MAX);
        if (ok && parse_record_name(entry->d_name, &number)) {
            ok = read_record(look, entry->d_name, number);
        }
    }
    closedir(directory);
    return ok;
}

void yk_usbip_look(struct yk_usbip_seen *seen, const struct yk_usbip_places *places)
{
    struct look look = {.seen = seen, .places = places};

    seen->sight = YK_USBIP_CLEAR;
    seen->cause[0] = 0;
    seen->may_attach = seen->may_record = false;
    seen->count = 0;
    /* Records first: what is attached between the two reads shows as a port without a record, and
     * not as a record of a port that is free. */
    if (!read_records(&look) || !read_controllers(&look)) {
        seen->count = 0;
    }
}

const struct yk_usbip_port *yk_usbip_seen_port(const struct yk_usbip_seen *seen, unsigned number)
{
    for (size_t i = 0; i < seen->count; i++) {
        if (seen->ports[i].status.number == number) {
            return &seen->ports[i];
        }
    }
    return NULL;
}

bool yk_usbip_stamp_equal(const struct yk_usbip_stamp *a, const struct yk_usbip_stamp *b)
{
    return a->inode == b->inode && a->mtime_ns == b->mtime_ns;
}

bool yk_usbip_boot_id(char out[YK_USBIP_BOOT_ID_MAX + 1], const struct yk_usbip_places *places,
                      char cause[YK_USBIP_CAUSE_MAX])
{
    char text[YK_USBIP_BOOT_ID_MAX + 2], why[YK_CAUSE_MAX];
    struct stat facts;
    size_t size;

    if (!yk_file_read(places->boot_id, true, (uint8_t *)text, sizeof text, &size, &facts, why)) {
        snprintf(cause, YK_USBIP_CAUSE_MAX, "%s %s; mount /proc", places->boot_id, why);
        return false;
    }
    if (size != YK_USBIP_BOOT_ID_MAX + 1 || memchr(text, 0, size) != NULL) {
        snprintf(cause, YK_USBIP_CAUSE_MAX, "%s has no boot id in it; mount /proc",
                 places->boot_id);
        return false;
    }
    memcpy(out, text, YK_USBIP_BOOT_ID_MAX);
    out[YK_USBIP_BOOT_ID_MAX] = 0;
    return true;
}
