/* What several commands print alike: that there is no telemetry, comments of captures, robot models, what to do about a
 * finding. */
#ifndef COMMAND_LINE_SHARED_TEXT_H
#define COMMAND_LINE_SHARED_TEXT_H

#include <stdbool.h>

#include "analysis/armtap-analysis.h"
#include "input/replay/replay.h"
#include "base/text/json_writer.h"
#include "base/numbers/timestamp.h"
#include "capture/comments.h"
#include "input/shell_command.h"
#include "base/terminal/fold.h"

/* The message for captures without telemetry. */

/* Says on standard error that there is no telemetry, what was found instead, and what to do. */
void no_telemetry_report(const struct armtap_streams *streams, const struct replay_totals *totals);
/* Clients spoke to telemetry ports in the language of others, which is all that there is to tell. */
bool no_telemetry_but_speech(const struct armtap_streams *streams);
/* Whether robots were asked and no record came. */
bool no_telemetry_came(const struct replay_source *source, const struct armtap_streams *streams);
/* Says so, and what came instead; for that case. */
void no_telemetry_report_robots(const struct replay_source *source, const struct armtap_streams *streams);

/* Says of times of day which day they took, if not the first; and where nothing is in that time, what was asked for. */
void range_report(const struct timestamp *from, const struct timestamp *to, const struct replay_totals *totals,
                  enum timestamp_zone zone, bool is_empty);

/* Comments of captures, as info and diagnose show them. */

/* "packet 12", "interface 0", "the capture": what a comment is about. Returns `to`. */
#define COMMENT_PLACE_MAX 40
const char *comments_place(char to[COMMENT_PLACE_MAX], const struct capture_comment *comment);
/* The name of its file; NULL if the source has only one. */
const char *comments_file(const struct capture_comment *comment, const struct replay_source *source);
/* A section of text; nothing without comments. */
void comments_print(const struct capture_comments *comments, const struct replay_source *source,
                    enum timestamp_zone zone);
/* The key `comments`; nothing without any. */
void comments_json(struct json *json, const struct capture_comments *comments, const struct replay_source *source);

/* "CB3", "PolyScope X"; "CB3 or e-Series" if the controller's version is not known; "": nothing is. */
const char *model_controller(enum armtap_generation generation, const char *version);
/* The robot models whose geometry explains a stream's poses. */

#define MODEL_NAMES_MAX 200
/* "UR5", "UR10 or UR10e", "UR3, UR3e or UR7e"; cut if `to` is too small. Returns `to`. */
const char *model_names(char to[MODEL_NAMES_MAX], const struct armtap_kinematics_result *result);
/* The same as an array. */
void model_names_json(struct json *json, const struct armtap_kinematics_result *result);
/* What the joints and poses of a stream say; UNKNOWN if it has none. */
struct armtap_kinematics_result model_of_stream(const struct armtap_stream_summary *summary);

/* Prints what to do about a kind of finding. */

#define REMEDY_MAX 1000

/* The first replies that refused part of a set-up: for these recipe --accepted prints something. */
struct remedy_offers {
    size_t count;
    struct armtap_where places[64];
};
void remedy_offer(struct remedy_offers *offers, const struct armtap_refused_setup *setup);
/* Whether the remedy of `kind` has a command that would print something for that finding. */
bool remedy_is_offered(const struct remedy_offers *offers, const struct armtap_note_kind *kind,
                       const struct replay_source *source, const struct shell_subject *subject);

/* What to do, and the commands that do it or show more, with all that the finding says in place of their words in
 * capitals, so that they can be pasted. */
struct remedy {
    struct remedy_step {
        char advice[REMEDY_MAX];
        char command[SHELL_MAX]; /* "": none */
    } steps[3];
    size_t count;
};
/* All of it, as it stands in the table. */
void remedy_whole(char to[REMEDY_MAX], const struct armtap_note_kind *kind);
/* About the finding that explains the kind best. */
void remedy_find(struct remedy *remedy, const struct armtap_note_kind *kind, const struct replay_source *source,
                 const struct remedy_offers *offers, const struct shell_subject *subject);
/* Adds a command. */
void remedy_add(struct remedy *remedy, const char *offer, const char *command, const struct replay_source *source,
                const struct shell_subject *subject);
/* Ends the line of `wrap` with it. Commands get lines of their own, which only a narrow terminal breaks. */
void remedy_print(struct text_wrap *wrap, const struct remedy *remedy);

#endif
