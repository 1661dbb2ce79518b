/* lock.h - who calls the tool: one at a time on a host, whichever agent it is. Two attaches at once
 * choose the same port, and one of them never ends. */
#ifndef YK_DRIVERS_USBIP_LOCK_H
#define YK_DRIVERS_USBIP_LOCK_H

/* Takes the lock without waiting. Gives its descriptor, to be closed to let go, or -1 and errno:
 * EWOULDBLOCK while another agent, or a tool that outlived one, has it. A process that was started
 * with the descriptor keeps the lock until it has ended too. */
int yk_usbip_lock_take(const char *path);

#endif
