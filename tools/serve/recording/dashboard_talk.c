#include "other_ports.h"

#include <string.h>

void dashboard_talk_begin(struct dashboard_talk *talk, bool from_start)
{
    *talk = (struct dashboard_talk){.greets = from_start};
}

/* A reply or a request may be among what is missing: from here on a line might answer another one. */
void dashboard_talk_gap(struct dashboard_talk *talk)
{
    talk->is_lost = true;
}

size_t dashboard_line_trim(const char *line, size_t length)
{
    while (length > 0 && strchr(" \r\t", line[length - 1]))
        length--;
    return length;
}

static void take_request(struct dashboard_talk *talk, const struct dashboard_line *line)
{
    bool is_kept = !line->is_too_long && line->length <= DASHBOARD_REQUEST_MAX;
    if (talk->count == DASHBOARD_PENDING_MAX) {
        talk->is_lost = true;
        return;
    }
    char *to = talk->pending[(talk->first + talk->count++) % DASHBOARD_PENDING_MAX];
    memcpy(to, line->text, is_kept ? line->length + 1 : 0);
    if (!is_kept)
        to[0] = '\0';
}

/* A line that answers nothing was sent before the capture began. */
static int take_reply(struct dashboard_talk *talk, const struct dashboard_line *line, dashboard_talk_take *take,
                      void *user)
{
    const char *request = talk->pending[talk->first];
    if (talk->greets) {
        talk->greets = false;
        return line->is_too_long ? 0 : take(user, "", line->text);
    }
    if (talk->count == 0)
        return 0;
    talk->count--;
    talk->first = (talk->first + 1) % DASHBOARD_PENDING_MAX;
    return request[0] == '\0' || line->is_too_long ? 0 : take(user, request, line->text);
}

static int end_line(struct dashboard_talk *talk, bool from_robot, dashboard_talk_take *take, void *user)
{
    struct dashboard_line *line = &talk->said[!from_robot];
    int outcome = 0;
    line->length = dashboard_line_trim(line->text, line->length);
    line->text[line->length] = '\0';
    if (from_robot)
        outcome = take_reply(talk, line, take, user);
    else
        take_request(talk, line);
    line->length = 0;
    line->is_too_long = false;
    return outcome;
}

int dashboard_talk_bytes(struct dashboard_talk *talk, bool from_robot, const uint8_t *bytes, size_t length,
                         dashboard_talk_take *take, void *user)
{
    struct dashboard_line *line = &talk->said[!from_robot];
    int outcome = 0;
    for (size_t i = 0; i < length && outcome == 0 && !talk->is_lost; i++) {
        if (bytes[i] == '\n')
            outcome = end_line(talk, from_robot, take, user);
        else if (line->length == DASHBOARD_REPLY_MAX)
            line->is_too_long = true;
        else if (bytes[i] != '\0')
            line->text[line->length++] = (char)bytes[i];
    }
    return outcome;
}
