#include "base/refusal.h"

#include <stdio.h>

_Bool yk_refuse(struct yk_refusal *why, enum yk_exit exit, const char *format, ...)
{
    va_list arguments;

    why->exit = exit;
    va_start(arguments, format);
    vsnprintf(why->text, sizeof why->text, format, arguments);
    va_end(arguments);
    return 0;
}
