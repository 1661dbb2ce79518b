/* The one file that knows the commit: it alone is compiled anew for each. */
#include "base/build.h"

#if !defined YK_COMMIT || !defined YK_BUILD_TIME
#error "YK_COMMIT, YK_BUILD_TIME: what is built, and of when it is"
#endif

const char yk_build_commit[] = YK_COMMIT;
const int64_t yk_build_time = YK_BUILD_TIME;
