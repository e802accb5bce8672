#include "shared_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/terminal/fold.h"
#include "input/files/file_reader.h"

const char *comments_place(char to[COMMENT_PLACE_MAX], const struct capture_comment *comment)
{
    if (comment->about == COMMENT_PACKET)
        snprintf(to, COMMENT_PLACE_MAX, "packet %" PRIu64, comment->packet);
    else if (comment->about == COMMENT_INTERFACE)
        snprintf(to, COMMENT_PLACE_MAX, "interface %zu", comment->interface);
    else
        snprintf(to, COMMENT_PLACE_MAX, "the capture");
    return to;
}

const char *comments_file(const struct capture_comment *comment, const struct replay_source *source)
{
    return replay_has_several_files(source) ? replay_file_name(source, comment->file) : NULL;
}

static void print_comment(const struct capture_comment *comment, const char *file, enum timestamp_zone zone)
{
    char place[COMMENT_PLACE_MAX], date[WHEN_DATE_MAX];
    struct text_wrap wrap = text_wrap_begin(stdout, printf(" "), 4);
    text_wrap_words(&wrap, comments_place(place, comment));
    if (file) {
        text_wrap_word(&wrap, "of");
        text_wrap_word(&wrap, reader_name(file));
    }
    if (comment->time != ARMTAP_NO_TIME) {
        timestamp_date(date, comment->time, zone);
        text_wrap_word(&wrap, date);
    }
    text_wrap_word(&wrap, "-");
    text_wrap_words(&wrap, comment->text);
    if (comment->is_cut)
        text_wrap_word(&wrap, "...");
    text_wrap_end(&wrap);
}

void comments_print(const struct capture_comments *comments, const struct replay_source *source,
                    enum timestamp_zone zone)
{
    if (comments->count > 0)
        text_heading(stdout, 2, "\ncomments in the capture");
    for (size_t i = 0; i < comments->count; i++)
        print_comment(&comments->list[i], comments_file(&comments->list[i], source), zone);
    if (comments->left_out > 0)
        text_line(stdout, 4, "  and %" PRIu64 " more", comments->left_out);
}

static void comment_json(struct json *json, const struct capture_comment *comment, const char *file)
{
    static const char *const about[] = {"section", "interface", "packet"};
    json_object(json, false);
    if (file)
        json_member_text(json, "file", reader_name(file));
    json_member_text(json, "about", about[comment->about]);
    json_key(json, "packet");
    if (comment->about == COMMENT_PACKET)
        json_unsigned(json, comment->packet);
    else
        json_null(json);
    json_key(json, "time");
    if (comment->time == ARMTAP_NO_TIME)
        json_null(json);
    else
        json_decimal(json, comment->time, 9);
    json_member_text(json, "text", comment->text);
    json_close(json);
}

void comments_json(struct json *json, const struct capture_comments *comments, const struct replay_source *source)
{
    if (comments->count == 0)
        return;
    json_member_array(json, "comments", true);
    for (size_t i = 0; i < comments->count; i++)
        comment_json(json, &comments->list[i], comments_file(&comments->list[i], source));
    json_close(json);
    if (comments->left_out == 0)
        return;
    json_member_unsigned(json, "more_comments", comments->left_out);
}
