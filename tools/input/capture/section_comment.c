#include "section_comment.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "armtap.h"

static const char writer[] = "armtap ", from_socket[] = ": from a socket", recording[] = "; recording ",
                  part[] = ", part ", repeated[] = "; its first ", hex[] = "0123456789abcdef";

size_t section_comment_write(char to[SECTION_COMMENT_MAX], const struct section_comment *comment)
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

struct section_comment section_comment_read(const char *text, size_t length)
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

bool section_comment_follows(const struct section_comment *before, const struct section_comment *next)
{
    return before->recording[0] != '\0' && strcmp(before->recording, next->recording) == 0 &&
           next->part == before->part + 1;
}
