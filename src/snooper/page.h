/* page.h - the page at "/" and its parts, as they are in the folder page. */
#ifndef YK_SNOOPER_PAGE_H
#define YK_SNOOPER_PAGE_H

#include "http/http.h"

extern const struct yk_http_file yk_page_files[];
extern const size_t yk_page_file_count;

#endif
