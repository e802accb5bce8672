/* What a diagnosis comes to, in a sentence for each stream that something is wrong with, or one for all. It claims no
 * more than the findings show. */
#ifndef DIAGNOSE_VERDICT_H
#define DIAGNOSE_VERDICT_H

#include "diagnosis.h"

/* 0, or -1 without memory. */
int verdict_print(const struct diagnosis *diagnosis);

#endif
