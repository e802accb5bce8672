/* The comments that people wrote into captures: bounded, since anybody may have written them. */
#ifndef INPUT_CAPTURE_COMMENTS_H
#define INPUT_CAPTURE_COMMENTS_H

#include "pcapng_blocks.h"

#define COMMENTS_MAX 100
#define COMMENT_BYTES 1000

struct capture_comment {
    enum comment_about about;
    size_t interface; /* in its section */
    uint32_t file;
    uint64_t packet; /* 0: the comment is not about a packet */
    int64_t time;    /* the packet's; ARMTAP_NO_TIME if unknown */
    bool is_cut;     /* it was longer */
    char *text;      /* not checked: it may have any bytes but NUL */
};

/* Starts as zeros. */
struct capture_comments {
    struct capture_comment *list;
    size_t count, room;
    uint64_t left_out; /* beyond COMMENTS_MAX */
};

/* Copies the text. False without memory. */
bool comments_add(struct capture_comments *comments, const struct capture_comment *comment, const char *text,
                  size_t length);
/* Adds those of a file, which gets this number. False without memory. */
bool comments_append(struct capture_comments *comments, const struct capture_comments *of_file, uint32_t file);
/* Leaves zeros. */
void comments_free(struct capture_comments *comments);

#endif
