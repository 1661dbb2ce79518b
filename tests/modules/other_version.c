/* A module of another version of yoke. */
#undef YK_VERSION
#define YK_VERSION "0.0.9"
#include "base/module.h"

static const int table[] = {4, 7, 1, 1};

YK_MODULE(table);
