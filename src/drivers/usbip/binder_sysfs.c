#include "drivers/usbip/binder_sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define WORD_MAX 256 /* of a file with one value */
#define TABLE_MAX 4096
#define CLASS_HUB 9

/* ---- looking */

/* The file's text, at most `capacity` - 1 bytes, terminated; "" when it cannot be read. */
static size_t read_text(const char *folder, const char *busid, const char *name, char *out,
                        size_t capacity)
{
    char path[PATH_MAX];
    ssize_t got = -1;
    int fd;

    if (snprintf(path, sizeof path, "%s/%s/%s", folder, busid, name) < (int)sizeof path) {
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
        if (fd >= 0) {
            got = read(fd, out, capacity - 1);
            close(fd);
        }
    }
    out[got > 0 ? got : 0] = 0;
    return got > 0 ? (size_t)got : 0;
}

static unsigned long read_number(const char *folder, const char *busid, const char *name, int base)
{
    char text[WORD_MAX];

    read_text(folder, busid, name, text, sizeof text);
    return strtoul(text, NULL, base);
}

/* Where a link of the device leads; "" when it is none. */
static void read_link(const char *folder, const char *busid, const char *name, char out[PATH_MAX])
{
    char path[PATH_MAX];
    ssize_t got = -1;

    if (snprintf(path, sizeof path, "%s/%s%s", folder, busid, name) < (int)sizeof path) {
        got = readlink(path, out, PATH_MAX - 1);
    }
    out[got > 0 ? got : 0] = 0;
}

static void look_at(struct yk_usbip_device *seen, const char *busid, const char *devices)
{
    char text[PATH_MAX];
    const char *slash;
    uint32_t devnum = (uint32_t)read_number(devices, busid, "devnum", 10);

    read_link(devices, busid, "", text);
    seen->unsettled = devnum == 0 && text[0] != 0; /* the kernel takes the number away meanwhile */
    if (seen->unsettled) {
        return;
    }
    memset(seen, 0, sizeof *seen);
    seen->devnum = devnum;
    seen->present = devnum != 0;
    if (!seen->present) {
        return;
    }
    seen->imported = strstr(text, "/vhci_hcd") != NULL;
    seen->hub = read_number(devices, busid, "bDeviceClass", 16) == CLASS_HUB;
    seen->vendor = (uint16_t)read_number(devices, busid, "idVendor", 16);
    seen->product = (uint16_t)read_number(devices, busid, "idProduct", 16);
    seen->urbs = (uint32_t)read_number(devices, busid, "urbnum", 10);
    read_text(devices, busid, "serial", seen->serial, sizeof seen->serial);
    seen->serial[strcspn(seen->serial, "\n")] = 0;
    read_link(devices, busid, "/driver", text);
    slash = strrchr(text, '/');
    snprintf(seen->driver, sizeof seen->driver, "%.*s", YK_USBIP_DRIVER_MAX - 1,
             slash != NULL ? slash + 1 : text);
    if (strcmp(seen->driver, YK_USBIP_HOST_DRIVER) == 0) {
        seen->status = (unsigned)read_number(devices, busid, "usbip_status", 10);
    }
}

bool yk_usbip_table_has(struct yk_slice text, const char *busid, size_t *count)
{
    struct yk_slice wanted = yk_slice_of(busid);
    size_t start = 0;
    bool has = false;

    *count = 0;
    for (size_t i = 0; i <= text.size; i++) {
        if (i < text.size && text.data[i] != ' ' && text.data[i] != '\n') {
            continue;
        }
        if (i > start) {
            has = has || yk_slice_equal((struct yk_slice){text.data + start, i - start}, wanted);
            ++*count;
        }
        start = i + 1;
    }
    return has;
}

void yk_usbip_binder_look(struct yk_usbip_binder *binder, const struct yk_usbip_places *places)
{
    char table[TABLE_MAX];
    struct yk_slice text = {(const uint8_t *)table, 0};

    binder->loaded = access(places->host_driver, F_OK) == 0;
    text.size = read_text(places->host_driver, ".", "match_busid", table, sizeof table);
    for (size_t i = 0; i < binder->count; i++) {
        struct yk_usbip_item *item = &binder->items[i];

        look_at(&item->seen, item->busid, places->devices);
        item->seen.in_table = yk_usbip_table_has(text, item->busid, &binder->table_used);
    }
}

/* ---- acting */

static int write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    size_t size = strlen(text);
    ssize_t done;
    int error;

    if (fd < 0) {
        return errno;
    }
    done = write(fd, text, size);
    error = done < 0 ? errno : (size_t)done == size ? 0 : EIO;
    close(fd);
    return error;
}

int yk_usbip_binder_act(enum yk_usbip_step step, const char *busid,
                        const struct yk_usbip_places *places)
{
    const char *host = places->host_driver;
    char path[PATH_MAX], text[YK_USBIP_BUSID_MAX + sizeof "add "];
    int size = 0;

    snprintf(text, sizeof text, "%s%s", step == YK_USBIP_ENTER ? "add " : "", busid);
    switch (step) {
    case YK_USBIP_ENTER:
        size = snprintf(path, sizeof path, "%s/match_busid", host);
        break;
    case YK_USBIP_REMOVE: /* "del BUSID" alone never removes one that was added */
        size = snprintf(path, sizeof path, "%s/rebind", host);
        break;
    case YK_USBIP_TAKE:
        size = snprintf(path, sizeof path, "%s/%s/driver/unbind", places->devices, busid);
        break;
    case YK_USBIP_BIND:
        size = snprintf(path, sizeof path, "%s/bind", host);
        break;
    case YK_USBIP_UNBIND:
        size = snprintf(path, sizeof path, "%s/unbind", host);
        break;
    case YK_USBIP_RETURN: /* the driver of whole devices, beside it: each interface finds its own */
        size = snprintf(path, sizeof path, "%.*s/usb/bind", (int)(strrchr(host, '/') - host), host);
        break;
    case YK_USBIP_REST:
    case YK_USBIP_KEEP:
        return EINVAL;
    }
    return size < (int)sizeof path ? write_file(path, text) : ENAMETOOLONG;
}
