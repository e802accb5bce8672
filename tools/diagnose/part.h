/* One capture of an archive: what is told of it goes to a transcript, which is then played to the analysis. So its
 * findings are those that it shows by itself, and armtap merge finds those of all. */
#ifndef DIAGNOSE_PART_H
#define DIAGNOSE_PART_H

#include "diagnosis.h"

struct diagnosis_part;
struct diagnosis_part *diagnosis_part_new(struct archive *archive); /* NULL without memory; takes the archive */
void diagnosis_part_free(struct diagnosis_part *part);
/* In place of diagnosis_read. */
enum exit_status diagnosis_part_read(struct diagnosis_part *part, struct diagnosis *diagnosis);
const struct archive *diagnosis_part_archive(const struct diagnosis_part *part);
/* Its transcript. */
const uint8_t *diagnosis_part_transcript(const struct diagnosis_part *part, size_t *length);
/* All streams of the archive, which number those of the capture. */
const struct armtap_streams *diagnosis_part_streams(const struct diagnosis_part *part);

#endif
