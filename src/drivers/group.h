/* group.h - the process group of a stream process that has ended: is anything of it left? */
#ifndef YK_DRIVERS_GROUP_H
#define YK_DRIVERS_GROUP_H

#include <stdbool.h>
#include <sys/types.h>

/* True while a process of the group runs. Those that ended and wait for somebody else to collect
 * their status hold nothing and do not count; those that came to us are collected here. To be asked
 * after the leader's own status was collected. */
bool yk_group_is_alive(pid_t group);

#endif
