/* What armtap infer prints. */
#ifndef INFER_INFER_H
#define INFER_INFER_H

#include "analysis/armtap-analysis.h"

/* A recipe that --recipe reads, with its evidence as comments. */
void infer_print_recipe(const struct armtap_inferred *inferred, const struct armtap_stream_summary *summary);
void infer_print_json(const struct armtap_inferred *inferred, const struct armtap_stream_summary *summary);
/* Says on standard error how the names agree with those of a captured handshake. */
void infer_compare(const struct armtap_inferred *inferred, const struct armtap_recipe *recipe);

#endif
