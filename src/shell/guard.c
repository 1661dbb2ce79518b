#include "shell/guard.h"

#include <sys/mman.h>
#include <sys/prctl.h>

void yk_guard_process(void)
{
#ifndef __SANITIZE_ADDRESS__ /* its search for leaks is a debugger of the same user */
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}

bool yk_guard_memory(const void *bytes, size_t size)
{
    return mlock(bytes, size) == 0;
}
