#define _POSIX_C_SOURCE 200809L
#include "capture_comments.h"

#include <stdlib.h>
#include <string.h>

static bool make_room(struct capture_comments *comments)
{
    if (comments->count < comments->room)
        return true;
    size_t room = 2 * comments->room + 4;
    struct capture_comment *more = realloc(comments->list, room * sizeof *more);
    if (!more)
        return false;
    comments->list = more;
    comments->room = room;
    return true;
}

bool comments_add(struct capture_comments *comments, const struct capture_comment *comment, const char *text,
                  size_t length)
{
    if (comments->count == COMMENTS_MAX) {
        comments->left_out++;
        return true;
    }
    length = strnlen(text, length);
    size_t kept = length < COMMENT_BYTES ? length : COMMENT_BYTES;
    char *copy = make_room(comments) ? malloc(kept + 1) : NULL;
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

bool comments_append(struct capture_comments *comments, const struct capture_comments *of_file, uint32_t file)
{
    for (size_t i = 0; i < of_file->count; i++) {
        struct capture_comment comment = of_file->list[i];
        comment.file = file;
        if (!comments_add(comments, &comment, comment.text, strlen(comment.text)))
            return false;
    }
    comments->left_out += of_file->left_out;
    return true;
}

void comments_free(struct capture_comments *comments)
{
    for (size_t i = 0; i < comments->count; i++)
        free(comments->list[i].text);
    free(comments->list);
    *comments = (struct capture_comments){.list = NULL};
}
