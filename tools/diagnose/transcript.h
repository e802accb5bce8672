/* A transcript: what a reading told the analysis, in few bytes. Transcripts of the captures of an archive, played one
 * after another, lead to the findings, rates and verdicts of one reading of all of them. No state of the analysis is
 * ever written: so it needs no code to save itself, and a hostile transcript can do no more than a hostile capture. */
#ifndef DIAGNOSE_TRANSCRIPT_H
#define DIAGNOSE_TRANSCRIPT_H

#include "armtap.h"
#include "base/text/buffer.h"

/* Bytes of a transcript; that of an hour at 500 Hz has about 15 MB. */
#define TRANSCRIPT_MAX ((size_t)180 << 20)

/* ---- writing ---- */

struct transcript;
struct transcript *transcript_new(void); /* NULL without memory */
void transcript_free(struct transcript *transcript);
/* What the sink was told. 0, or -1 without memory. */
int transcript_record(struct transcript *transcript, const struct armtap_record *record);
int transcript_recipe(struct transcript *transcript, const struct armtap_recipe_event *event);
int transcript_note(struct transcript *transcript, const struct armtap_note *note);
int transcript_event(struct transcript *transcript, const struct armtap_event *event);
int transcript_command(struct transcript *transcript, const struct armtap_command *command);
int transcript_message(struct transcript *transcript, const struct armtap_message *message);
/* Whether there was more than TRANSCRIPT_MAX: the rest is missing. */
bool transcript_is_cut(const struct transcript *transcript);
/* Call after everything. NULL without memory. */
const uint8_t *transcript_end(struct transcript *transcript, size_t *length);

/* ---- playing ---- */

enum transcript_outcome { TRANSCRIPT_PLAYED, TRANSCRIPT_DAMAGED, TRANSCRIPT_STOPPED /* by the sink */ };
struct transcript_player;
struct transcript_player *transcript_player_new(void); /* NULL without memory */
void transcript_player_free(struct transcript_player *player);
/* Tells a sink what the transcript of one capture holds. The player must outlive what the sink collects. */
enum transcript_outcome transcript_play(struct transcript_player *player, const uint8_t *bytes, size_t length,
                                        const struct armtap_sink *sink, void *user);

#endif
