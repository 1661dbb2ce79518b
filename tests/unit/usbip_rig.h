/* usbip_rig.h - the usbip consumer on a host that is a folder: a kernel of four ports, played by a
 * thread, and a "usbip" that is a script of ours. What a real kernel does is tried in tests/lab. */
#ifndef YK_TESTS_USBIP_RIG_H
#define YK_TESTS_USBIP_RIG_H

#include "driver_rig.h"
#include "drivers/usbip/usbip.h"

#define USBIP_MEDIA "{\"busids\":[\"1-1\"],\"host\":\"10.77.0.1\",\"port\":3240}"
#define USBIP_PAIR "{\"busids\":[\"1-1\",\"1-2\"],\"host\":\"10.77.0.1\",\"port\":3240}"

/* Makes the host, with all ports free and the tool in its mode "ok". */
void usbip_make_host(void);
/* The same in two steps, for a fork between them: emulators of processors cannot fork threads. */
void usbip_make_places(void);
void usbip_start_kernel(void);
/* What the tool does from now on: "ok"; "busy"; "unrecorded": imports, and fails; "nothing": exit 0 and
 * no import; "noise": a mebibyte of it, and fails; "hang". */
void usbip_set_mode(const char *mode);
/* The busids that the producer's list has, one a word. */
void usbip_set_list(const char *busids);
/* The command lines of the tool so far, one a line. */
const char *usbip_calls(void);
/* The state that the kernel prints for a port, and setting it free as a producer that lets go does. */
unsigned usbip_port_state(unsigned port);
void usbip_drop(unsigned port);

/* The places of that host; a test may change them before it opens the driver. */
extern struct yk_usbip_places usbip_host;

/* Opens the driver there; its journal is the file "journal". */
void usbip_open(struct driver_rig *rig);
void usbip_close(struct driver_rig *rig);
/* Polls until that is in the log. */
void usbip_wait_log(struct driver_rig *rig, const char *part);
void usbip_expect_detail(const struct driver_rig *rig, const char *part);
/* Polls until that is the answer; asserts that it comes. */
void usbip_poll_until(struct driver_rig *rig, enum yk_report status);

#endif
