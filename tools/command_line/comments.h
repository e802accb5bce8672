/* Comments of captures, as info and diagnose show them. */
#ifndef COMMAND_LINE_COMMENTS_H
#define COMMAND_LINE_COMMENTS_H

#include "base/text/json_writer.h"
#include "base/numbers/timestamp.h"
#include "input/capture/capture_comments.h"
#include "input/replay/replay.h"

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

#endif
