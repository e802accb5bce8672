/* Pages: from what is known and what the user looks at to a sheet. Nothing here reads a clock or a terminal, so that
 * the same scene and view always give the same sheet. */
#ifndef WATCH_PAGES_H
#define WATCH_PAGES_H

#include "sheet.h"
#include "keys.h"
#include "model.h"

enum page {
#define PAGE(id, title) PAGE_##id,
#include "pages.def"
    PAGES
};
/* "robot"; NULL beyond the last. */
const char *page_title(enum page page);

enum { VIEW_ROWS = 24, VIEW_COLUMNS = 80, FILTER_MAX = 40, VIEW_NOTE_MAX = 200 };

/* What the user looks at. */
struct view {
    enum page page;
    size_t robot;
    int scroll; /* rows of a list */
    char filter[FILTER_MAX];
    bool is_typing; /* the filter */
    bool has_help, is_frozen, is_over, has_keys;
    bool is_ascii; /* the terminal shows no other characters */
    bool is_live;  /* robots or an interface; else a capture */
    double speed;  /* of a capture; 0: as fast as possible */
    enum timestamp_zone zone;
    const char *source;       /* what is watched, while no robot is known */
    char recording[60];       /* "REC 12.3 MB", or "" */
    char note[VIEW_NOTE_MAX]; /* what the last key did, or a message; "" */
};

/* The page in a sheet of that size. 0, or -1 if memory runs out. */
int page_draw(struct sheet *sheet, int rows, int columns, const struct watch_scene *scene, const struct view *view);

/* ---- for the pages ----------------------------------------------------------------------------------------------- */

/* A page's body: rows from `row` to before `end`. */
struct body {
    struct sheet *sheet;
    int row, end;
    const struct watch_scene *scene;
    const struct view *view;
    const struct watch_robot *robot; /* NULL: none is known yet */
};
typedef void page_body(struct body *body);
#define PAGE(id, title) page_body page_##id;
#include "pages.def"

/* The next row; of a full body one that does not exist. */
struct pen body_line(struct body *body);
/* A line of words in bold. */
void body_heading(struct body *body, const char *text);

static const struct style plain = {PAINT_NONE, false, false}, dim = {PAINT_NONE, true, false};
static inline struct style painted(enum text_paint paint)
{
    return (struct style){paint, false, false};
}
/* Dim if the value stands still. */
struct style style_of(const struct body *body, unsigned field, unsigned element);
/* A number in so many columns with that many decimals, "-" if it is not known, and blanks behind it. */
void pen_number(struct pen *pen, struct style style, int width, int decimals, double number);
/* "since 12:00:01.256Z", or nothing if it was so when the watching began. */
void pen_since(struct pen *pen, const struct body *body, unsigned field);
/* A duration as people read it: "0.4 s", "3 min 12 s". */
#define SPAN_MAX 32
const char *span_say(char to[SPAN_MAX], double seconds);

/* What an arm's state is in one word, and whether it is well. */
struct word {
    const char *text;
    enum text_paint paint;
    double age; /* s, if it is an old one; else 0 */
    unsigned field;
    char digits[MODE_DIGITS];
};
void word_of_mode(struct word *word, const struct watch_robot *robot, int64_t now);
void word_of_safety(struct word *word, const struct watch_robot *robot, int64_t now);
void word_of_program(struct word *word, const struct watch_robot *robot, int64_t now);
/* s without data, if it is long enough to be worth a word; else 0. */
double silence_of_robot(const struct watch_robot *robot, int64_t now);
/* "the robot closed the connection"; NULL: it is not known. */
const char *silence_reason(enum silence silence);

/* Pictures in a line of text. */

/* A bar of that many columns, filled from the left to a share from 0 to 1. */
void pen_bar(struct pen *pen, bool is_ascii, struct style style, int columns, double share);
/* The same with a mark at the share. */
void pen_gauge(struct pen *pen, bool is_ascii, struct style style, int columns, double share);
void pen_lamp(struct pen *pen, bool is_ascii, bool is_on, bool is_dim);
/* s that curves show: half a minute, or less if there was less. */
double curve_span(const struct watch_robot *robot, int64_t now);
/* A curve. `least`: the smallest range that it is drawn in. */
void pen_curve(struct pen *pen, const struct body *body, enum curve curve, unsigned joint, int columns, double least);

/* The limits of a joint: its own if the robot reported them, else what UR's arms have at most. */
struct limits {
    double least, most, speed; /* rad, rad/s */
};
struct limits limits_of(const struct watch_robot *robot, unsigned joint);

/* Inputs and outputs by UR's names: a group of lamps. */
struct lamps {
    const char *name; /* "digital_in" */
    bool is_output;
    unsigned first, count; /* bits */
};
/* The i-th group of a robot of that generation; NULL beyond the last. */
const struct lamps *lamps_at(enum armtap_generation generation, size_t i);
/* The group of a bit; NULL: none. */
const struct lamps *lamps_of(enum armtap_generation generation, bool is_output, unsigned bit);
/* "digital_in[3] on at 12:00:01.256Z" */
void pen_edge(struct pen *pen, const struct body *body, const struct edge *edge);
/* Whether any is known. */
bool lamps_known(const struct watch_robot *robot, bool is_output);

/* ---- keys -------------------------------------------------------------------------------------------------------- */

/* What a key asks for that the view cannot do itself. */
enum wish { WISH_NONE, WISH_QUIT, WISH_FREEZE, WISH_SAVE, WISH_RECORD };
enum wish view_key(struct view *view, int key, size_t robots);

#endif
