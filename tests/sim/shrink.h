/* shrink.h - the shortest history that breaks the same rule. */
#ifndef YK_SIM_SHRINK_H
#define YK_SIM_SHRINK_H

#include "sim/run.h"

/* Takes items out of a plan that fails, then nodes that none of them names, as long as the same rule
 * breaks; `trace` is its verdict. */
void shrink(struct plan *plan, struct trace *trace);

#endif
