/* guard.h - a key stays in memory: in no core dump, on no swap, behind no debugger of the same user. */
#ifndef YK_SHELL_GUARD_H
#define YK_SHELL_GUARD_H

#include <stdbool.h>
#include <stddef.h>

/* From now on this process leaves no core dump, and only root looks into it. Programs that it starts
 * are not concerned. */
void yk_guard_process(void);
/* Keeps the pages of these bytes out of swap, until the process ends or they are unmapped. False,
 * with errno, when the limit of locked memory is too small. */
bool yk_guard_memory(const void *bytes, size_t size);

#endif
