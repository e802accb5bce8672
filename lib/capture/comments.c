#define _POSIX_C_SOURCE 200809L
#include "comments.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "armtap.h"

static const char writer[] = "armtap ", from_socket[] = ": from a socket", recording[] = "; recording ",
                  part[] = ", part ", repeated[] = "; its first ", hex[] = "0123456789abcdef";

size_t armtap_section_comment_write(char to[SECTION_COMMENT_MAX], const struct section_comment *comment)
{
    int length = snprintf(to, SECTION_COMMENT_MAX, "%s%s%s", writer, armtap_version(), from_socket);
    if (comment->recording[0] != '\0')
        length += snprintf(to + length, SECTION_COMMENT_MAX - (size_t)length, "%s%s%s%" PRIu32, recording,
                           comment->recording, part, comment->part);
    if (comment->repeated > 0)
        length += snprintf(to + length, SECTION_COMMENT_MAX - (size_t)length,
                           "%s%" PRIu32 " packets repeat the handshake", repeated, comment->repeated);
    return (size_t)length;
}

/* Moves *at past `word` if the text goes on with it. */
static bool skip(const char **at, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0)
        return false;
    *at += length;
    return true;
}

static uint32_t number(const char **at)
{
    uint32_t value = 0;
    for (; **at >= '0' && **at <= '9' && value < UINT32_MAX / 10; (*at)++)
        value = value * 10 + (uint32_t)(**at - '0');
    return value;
}

static void read_recording(const char **at, struct section_comment *comment)
{
    const char *begin = *at;
    size_t length = strspn(begin, hex);
    *at += length;
    if (length != RECORDING_ID || !skip(at, part))
        return;
    memcpy(comment->recording, begin, length);
    comment->part = number(at);
}

struct section_comment armtap_section_comment_read(const char *text, size_t length)
{
    struct section_comment comment = {.part = 0};
    char copy[SECTION_COMMENT_MAX];
    const char *at = copy;
    length = length < sizeof copy - 1 ? length : sizeof copy - 1;
    memcpy(copy, text, length);
    copy[length] = '\0';
    if (!skip(&at, writer))
        return comment;
    at += strcspn(at, ":");
    comment.from_socket = skip(&at, from_socket);
    if (comment.from_socket && skip(&at, recording))
        read_recording(&at, &comment);
    if (comment.recording[0] != '\0' && skip(&at, repeated))
        comment.repeated = number(&at);
    return comment;
}

bool armtap_section_comment_follows(const struct section_comment *before, const struct section_comment *next)
{
    return before->recording[0] != '\0' && strcmp(before->recording, next->recording) == 0 &&
           next->part == before->part + 1;
}

bool armtap_comments_add(struct capture_comments *comments, const struct capture_comment *comment, const char *text,
                         size_t length)
{
    if (comments->count == COMMENTS_MAX) {
        comments->left_out++;
        return true;
    }
    length = strnlen(text, length);
    size_t kept = length < COMMENT_BYTES ? length : COMMENT_BYTES;
    char *copy = MAKE_ROOM(comments->list, comments->count) ? malloc(kept + 1) : NULL;
    if (!copy)
        return false;
    memcpy(copy, text, kept);
    copy[kept] = '\0';
    struct capture_comment *added = &comments->list[comments->count++];
    *added = *comment;
    added->text = copy;
    added->is_cut = comment->is_cut || kept < length;
    return true;
}

bool armtap_comments_append(struct capture_comments *comments, const struct capture_comments *of_file, uint32_t file)
{
    for (size_t i = 0; i < of_file->count; i++) {
        struct capture_comment comment = of_file->list[i];
        comment.file = file;
        if (!armtap_comments_add(comments, &comment, comment.text, strlen(comment.text)))
            return false;
    }
    comments->left_out += of_file->left_out;
    return true;
}

void armtap_comments_free(struct capture_comments *comments)
{
    for (size_t i = 0; i < comments->count; i++)
        free(comments->list[i].text);
    free(comments->list);
    *comments = (struct capture_comments){.list = NULL};
}
