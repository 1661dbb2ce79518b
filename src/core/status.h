/* status.h - how a node stands, in the words of its announcement. */
#ifndef YK_CORE_STATUS_H
#define YK_CORE_STATUS_H

#include "core/protocol.h"
#include "core/report.h"

/* Room for a sentence that names a node id and carries a driver's text. */
#define YK_ERR_TEXT_MAX (YK_REPORT_DETAIL_MAX + 2 * YK_ID_MAX)

struct yk_status_text {
    enum yk_state state;
    size_t err_size;      /* 0: null. In `error` what failed, in `pending` what is waited for */
    size_t evidence_size; /* 0: none. Only when active */
    uint8_t err[YK_ERR_TEXT_MAX];
    uint8_t evidence[YK_REPORT_DETAIL_MAX];
};

#endif
