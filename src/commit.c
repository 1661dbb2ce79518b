/* The one file that knows the commit: it alone is compiled anew for each. */
#include "base/build.h"

#ifndef YK_COMMIT
#error "YK_COMMIT: what is built"
#endif

const char yk_build_commit[] = YK_COMMIT;
