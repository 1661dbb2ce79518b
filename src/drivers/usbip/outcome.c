#include "drivers/usbip/outcome.h"

#include <stdio.h>

#include "base/escape.h"

#define LAST_LINE_MAX 120

/* What the tool prints, and what it means to an operator: "%s" is the producer, "host:port". */
static const struct hint {
    const char *words;
    bool transient;
    const char *meaning;
} hints[] = {
    {"Device busy", true,
     "is busy at %s: another host imports it, or this one did before it crashed; unpair that "
     "consumer, or on the producer: usbip unbind and bind"},
    {"Device not found", false,
     "is not exported at %s; plug it in there, or bind it to usbip-host"},
    {"error state", false, "is in error state at %s; on the producer: usbip unbind and bind"},
    {"version mismatch", false, "cannot be had: what answers at %s is not usbipd; check the port"},
    {"tcp connect", false,
     "cannot be had: no connection to %s; is usbipd up there, and let through?"},
    {"record connection", false,
     "of %s was imported and not recorded: /var/run/vhci_hcd cannot be written; make room there"},
    {"import device", false, "of %s is not taken by the kernel; run as root, and check its speed"},
    {"udev_device_new_from_subsystem_sysname", false,
     "of %s cannot be imported: vhci-hcd is not loaded; modprobe vhci-hcd"},
    {"open vhci_driver", true,
     "of %s cannot be imported now: usbip cannot read the ports; one may be coming up, or have "
     "lost "
     "its device (\"usbip port\" fails too: write its number to .../vhci_hcd.0/detach)"},
};

static bool contains(struct yk_slice text, const char *words)
{
    return text.size > 0 && memmem(text.data, text.size, words, strlen(words)) != NULL;
}

static void read_refusal(struct yk_usbip_outcome *outcome, struct yk_slice output,
                         const char *busid, const char *peer)
{
    char line[LAST_LINE_MAX];
    size_t from;

    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++) {
        if (contains(output, hints[i].words)) {
            size_t used = (size_t)snprintf(outcome->text, sizeof outcome->text, "%s ", busid);
            const char *meaning = hints[i].meaning, *gap = strstr(meaning, "%s");

            snprintf(outcome->text + used, sizeof outcome->text - used, "%.*s%s%s",
                     (int)(gap - meaning), meaning, peer, gap + 2);
            outcome->transient = hints[i].transient;
            return;
        }
    }
    while (output.size > 0 && output.data[output.size - 1] == '\n') {
        output.size--;
    }
    for (from = output.size; from > 0 && output.data[from - 1] != '\n'; from--) {
        /* back to the start of the last line */
    }
    yk_escape(line, sizeof line, (const char *)output.data + from, output.size - from);
    snprintf(outcome->text, sizeof outcome->text,
             "%s of %.40s: usbip failed with \"%s\"; ask the producer's /etc/hosts.deny and log",
             busid, peer, line);
}

void yk_usbip_outcome_read(struct yk_usbip_outcome *outcome, const struct yk_usbip_end *end,
                           const struct yk_usbip_target *target)
{
    const char *busid = target->busid;
    char peer[YK_USBIP_HOST_MAX + 8];

    memset(outcome, 0, sizeof *outcome);
    snprintf(peer, sizeof peer, "%s:%u", target->host, target->port);
    switch (end->way) {
    case YK_USBIP_EXITED:
        if (end->number != 0) {
            read_refusal(outcome, end->output, busid, peer);
        } else {
            snprintf(outcome->text, sizeof outcome->text,
                     "%s of %s was imported and went at once; see the kernel's log", busid, peer);
        }
        break;
    case YK_USBIP_SIGNALLED:
        snprintf(outcome->text, sizeof outcome->text,
                 end->late ? "%s of %s: no answer in time; is the producer up, and nothing else "
                             "attaching here?"
                           : "%s of %s: usbip was ended by a signal",
                 busid, peer);
        break;
    case YK_USBIP_UNSTARTED:
        snprintf(outcome->text, sizeof outcome->text,
                 "the program usbip cannot be started: %s; apt install usbip",
                 strerror(end->number));
        break;
    case YK_USBIP_STUCK:
        outcome->stuck = true;
        snprintf(outcome->text, sizeof outcome->text,
                 "%s of %s: usbip does not end even when killed; see the kernel's log", busid,
                 peer);
        break;
    }
}
