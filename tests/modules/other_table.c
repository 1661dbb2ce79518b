/* A module of this version, from sources in which the table was another one. */
#include "base/module.h"

static const int table[] = {4, 7};

YK_MODULE(table);
