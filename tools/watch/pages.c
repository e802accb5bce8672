/* The frame of all pages: title, tabs, robots, keys, verdict; help; keys. */
#include "pages.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command_line/shared_text.h"
#include "diagnose/diagnosis.h"

#define VERDICT_ROWS 3

static const struct {
    const char *title;
    page_body *body;
} pages[] = {
#define PAGE(id, title) {title, page_##id},
#include "pages.def"
};

const char *page_title(enum page page)
{
    return page < PAGES ? pages[page].title : NULL;
}

/* ---- the frame --------------------------------------------------------------------------------------------------- */

/* Puts a text at the right end of a row. */
static void put_right(struct sheet *sheet, int row, struct style style, const char *text)
{
    int width = text_width(text, strlen(text));
    struct pen pen = pen_at(sheet, row, width + 1 < sheet->columns ? sheet->columns - width - 1 : 0);
    pen.style = style;
    pen_put(&pen, text);
}

static void draw_title(struct sheet *sheet, const struct watch_scene *scene, const struct view *view,
                       const struct watch_robot *robot)
{
    struct pen pen = pen_at(sheet, 0, 0);
    char clock[CELL_MAX], right[160];
    pen.style = (struct style){PAINT_HEADING, false, true};
    pen_to(&pen, sheet->columns);
    pen.column = 1;
    pen_say(&pen, "armtap watch  %s", robot ? robot->name : view->source);
    if (robot && robot->arm > 1)
        pen_say(&pen, " R%u", robot->arm);
    if (robot) {
        const char *series = model_controller(robot->generation, robot->version);
        pen_say(&pen, "%s%s%s%s", *series ? "  " : "", series, robot->version[0] ? " " : "", robot->version);
    }
    const char *state = view->is_frozen ? "FROZEN" : view->is_over ? "END" : view->is_live ? "live" : "played";
    snprintf(right, sizeof right, "%s%s%s  %s", view->recording, view->recording[0] ? "  " : "", state,
             cell_clock(clock, scene->now, view->zone));
    put_right(sheet, 0, pen.style, right);
}

static void draw_tabs(struct sheet *sheet, const struct watch_scene *scene, const struct view *view, size_t at)
{
    struct pen pen = pen_at(sheet, 1, 1);
    char right[64];
    for (enum page page = 0; page < PAGES; page++) {
        pen.style = (struct style){PAINT_NONE, page != view->page, page == view->page};
        pen_say(&pen, page == view->page ? "[%s]" : " %s ", page_title(page));
        pen.style = plain;
        pen_put(&pen, " ");
    }
    if (scene->robot_count < 2)
        return;
    snprintf(right, sizeof right, "robot %zu of %zu%s", at + 1, scene->robot_count,
             scene->robots_left_out > 0 ? " and more" : "");
    put_right(sheet, 1, plain, right);
}

/* What an arm is, in a word. */
static void put_state(struct pen *pen, const struct watch_robot *robot, int64_t now)
{
    struct word mode, safety, program;
    char span[SPAN_MAX];
    double silent = silence_of_robot(robot, now);
    word_of_mode(&mode, robot, now);
    word_of_safety(&safety, robot, now);
    word_of_program(&program, robot, now);
    const struct word *said = safety.paint > PAINT_GOOD ? &safety : mode.paint > PAINT_GOOD ? &mode : &program;
    if (silent > 0) {
        pen->style.paint = PAINT_BAD;
        pen_say(pen, "no data for %s", span_say(span, silent));
    } else if (said->text) {
        pen->style.paint = said->paint;
        pen_put(pen, said->text);
    } else {
        pen_put(pen, mode.text ? mode.text : "-");
    }
    pen->style.paint = PAINT_NONE;
}

/* All robots in a line; the chosen one begins it if not all fit. */
static void draw_robots(struct body *body, size_t at)
{
    struct pen pen = body_line(body);
    const struct watch_scene *scene = body->scene;
    size_t from = scene->robot_count > 3 && at > 1 ? at - 1 : 0;
    for (size_t i = from; i < scene->robot_count && pen.column < pen.end; i++) {
        const struct watch_robot *robot = scene->robots[i];
        pen.style = (struct style){PAINT_NONE, i != at, i == at};
        pen_say(&pen, "%s", robot->name);
        if (robot->arm > 1)
            pen_say(&pen, " R%u", robot->arm);
        pen.style = plain;
        pen_put(&pen, " ");
        put_state(&pen, robot, scene->now);
        pen_put(&pen, "   ");
    }
}

/* Rows that the verdict takes. */
static int verdict_rows(const struct watch_scene *scene, int columns)
{
    int rows = sheet_wrap(NULL, 0, 0, columns - 2, VERDICT_ROWS, plain, scene->found.verdict.text);
    return rows > 0 ? rows : 1;
}

static void draw_verdict(struct sheet *sheet, const struct watch_scene *scene)
{
    const struct verdict *verdict = &scene->found.verdict;
    int rows = verdict_rows(scene, sheet->columns);
    sheet_wrap(sheet, sheet->rows - rows, 1, sheet->columns - 2, rows, painted(verdict->paint), verdict->text);
}

/* What the last key did, the filter, or the keys. */
static void draw_note(struct sheet *sheet, int row, const struct view *view)
{
    struct pen pen = pen_at(sheet, row, 1);
    if (view->note[0] != '\0' && !view->is_typing) {
        pen.style = painted(PAINT_PACKET);
        pen_put(&pen, view->note);
    } else if (view->is_typing || (view->filter[0] != '\0' && view->page == PAGE_fields)) {
        pen_say(&pen, "/%s", view->filter);
        pen_styled(&pen, dim, view->is_typing ? "_  Enter: done" : "  Esc: all fields");
    } else if (view->has_keys) {
        pen.style = dim;
        pen_put(&pen, "q quit  ? help  Tab page  arrows robot, list  / filter  p freeze  s save  r rec");
    }
}

static void draw_help(struct body *body)
{
    static const char *const lines[] = {
        "q              quit",
        "Tab, Shift-Tab next page, page before",
        "left, right    robot before, next robot",
        "up, down       scroll a list; PgUp, PgDn: by ten lines",
        "/              all fields whose name contains what you type; Esc: all",
        "p              freeze the page while data goes on; p again: the present",
        "s              save the page as text in a file, whose name is shown",
        "r              record robots, from 30 s back on; r again ends the capture",
        "?              close this help",
        "Nothing that you press changes anything on a robot.",
        "",
        "Dim values have not changed for a second. Bars show positions and speeds",
        "against the limits that the robot reported on port 30001, else against 360",
        "degrees and 180 degrees/s. Curves show the last 30 s, up to now. late: how",
        "much later than the soonest of the last 30 s the newest record came, by the",
        "robot's clock.",
    };
    body_heading(body, "help");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct pen pen = body_line(body);
        pen_put(&pen, lines[i]);
    }
}

static void draw_nothing(struct body *body)
{
    struct pen pen = body_line(body);
    char span[SPAN_MAX];
    double age = body->scene->begun == ARMTAP_NO_TIME ? 0 : (double)(body->scene->now - body->scene->begun) / 1e9;
    pen.style = painted(PAINT_WARNING);
    pen_say(&pen, "%s: no data for %s", body->view->source, span_say(span, age));
}

static void draw_body(struct body *body, size_t at)
{
    const struct watch_scene *scene = body->scene;
    if (scene->robot_count > 1)
        draw_robots(body, at);
    if (body->view->has_help)
        draw_help(body);
    else if (!body->robot)
        draw_nothing(body);
    else
        pages[body->view->page].body(body);
}

/* Says what a terminal lacks, and what matters all the same. */
static void draw_small(struct sheet *sheet, const struct watch_scene *scene, const struct watch_robot *robot)
{
    char text[160];
    snprintf(text, sizeof text, "This terminal has %d x %d; armtap watch needs %d x %d.", sheet->columns, sheet->rows,
             VIEW_COLUMNS, VIEW_ROWS);
    int row = sheet_wrap(sheet, 0, 0, sheet->columns, sheet->rows, painted(PAINT_WARNING), text);
    if (robot) {
        struct pen pen = pen_at(sheet, row++, 0);
        pen_say(&pen, "%s ", robot->name);
        put_state(&pen, robot, scene->now);
    }
    sheet_wrap(sheet, row, 0, sheet->columns, sheet->rows - row, painted(scene->found.verdict.paint),
               scene->found.verdict.text);
}

int page_draw(struct sheet *sheet, int rows, int columns, const struct watch_scene *scene, const struct view *view)
{
    size_t at = view->robot < scene->robot_count ? view->robot : 0;
    const struct watch_robot *robot = scene->robot_count > 0 ? scene->robots[at] : NULL;
    if (sheet_begin(sheet, rows, columns) != 0)
        return -1;
    if (rows < VIEW_ROWS || columns < VIEW_COLUMNS) {
        draw_small(sheet, scene, robot);
        return 0;
    }
    int end = sheet->rows - verdict_rows(scene, sheet->columns) - 1;
    struct body body = {.sheet = sheet, .row = 2, .end = end, .scene = scene, .view = view, .robot = robot};
    draw_title(sheet, scene, view, robot);
    draw_tabs(sheet, scene, view, at);
    draw_body(&body, at);
    draw_note(sheet, end, view);
    draw_verdict(sheet, scene);
    return 0;
}

/* ---- keys -------------------------------------------------------------------------------------------------------- */

static void type_filter(struct view *view, int key)
{
    size_t length = strlen(view->filter);
    view->scroll = 0;
    if (key == VIEW_ESCAPE)
        view->filter[0] = '\0';
    if (key == VIEW_ENTER || key == '\r' || key == VIEW_ESCAPE) {
        view->is_typing = false;
    } else if (key == VIEW_ERASE || key == '\b' || key == 127) {
        view->filter[length > 0 ? length - 1 : 0] = '\0';
    } else if (key > ' ' && key < 127 && length + 1 < FILTER_MAX) {
        view->filter[length] = (char)key;
        view->filter[length + 1] = '\0';
    }
}

static void turn_page(struct view *view, int by)
{
    view->page = (enum page)(((int)view->page + PAGES + by) % PAGES);
    view->scroll = 0;
    view->has_help = false;
}

static void scroll(struct view *view, int by)
{
    view->scroll = view->scroll + by < 0 ? 0 : view->scroll + by;
}

static void change_robot(struct view *view, int by, size_t robots)
{
    if (robots > 0)
        view->robot = (view->robot + robots + (size_t)(by + (int)robots)) % robots;
    view->scroll = 0;
}

static enum wish command(struct view *view, int key)
{
    switch (key) {
    case 'q':
        return WISH_QUIT;
    case 'p':
        return WISH_FREEZE;
    case 's':
        return WISH_SAVE;
    case 'r':
        return WISH_RECORD;
    case '?':
        view->has_help = !view->has_help;
        break;
    case '/':
        view->page = PAGE_fields;
        view->is_typing = true;
        view->has_help = false;
        view->filter[0] = '\0';
        break;
    case VIEW_ESCAPE:
        view->has_help = false;
        view->filter[0] = '\0';
        break;
    default:
        break;
    }
    return WISH_NONE;
}

enum wish view_key(struct view *view, int key, size_t robots)
{
    if (view->is_typing && key < VIEW_SPECIAL) {
        type_filter(view, key);
        return WISH_NONE;
    }
    view->note[0] = '\0';
    switch (key) {
    case VIEW_TAB:
    case VIEW_BACK_TAB:
        turn_page(view, key == VIEW_TAB ? 1 : -1);
        break;
    case VIEW_ERASE:
        type_filter(view, key);
        break;
    case VIEW_UP:
    case VIEW_DOWN:
        scroll(view, key == VIEW_UP ? -1 : 1);
        break;
    case VIEW_PAGE_UP:
    case VIEW_PAGE_DOWN:
        scroll(view, key == VIEW_PAGE_UP ? -10 : 10);
        break;
    case VIEW_LEFT:
    case VIEW_RIGHT:
        change_robot(view, key == VIEW_LEFT ? -1 : 1, robots);
        break;
    default:
        return command(view, key);
    }
    return WISH_NONE;
}
