/* A module as it should be. */
#include "base/module.h"

static const int table[] = {4, 7, 1, 1};

YK_MODULE(table);
