/* run.h - one history in a process of its own, so that a crash of the core is a verdict too. */
#ifndef YK_SIM_RUN_H
#define YK_SIM_RUN_H

#include "sim/plan.h"
#include "sim/trace.h"

/* Memory for a verdict that outlives the process that makes it. */
struct trace *run_trace(void);
enum run_lines { RUN_NO_LINES, RUN_LAST_LINES, RUN_ALL_LINES };
/* Runs the plan; true when every rule held. The last lines are kept, all lines are printed. */
bool run_plan(const struct plan *plan, struct trace *trace, enum run_lines lines);

#endif
