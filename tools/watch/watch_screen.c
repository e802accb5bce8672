/* The page on a terminal: playing a capture at its pace, drawing ten times a second, keys. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/os/file.h"
#include "base/os/interrupt.h"
#include "base/os/names.h"
#include "base/process/message.h"
#include "record/amount.h"
#include "recorder.h"
#include "screen.h"
#include "watch.h"

/* ns between two pages. */
#define TURN (SECOND / 10)
/* ns that data of robots may wait before it is taken, which costs less of the processor. */
#define PATIENCE (SECOND / 25)
/* Pages of one second that are saved. */
#define COPIES_MAX 1000

static int64_t steady_clock(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * SECOND + time.tv_nsec;
}

static const struct watch_scene *shown_scene(const struct watch *watch)
{
    return watch->frozen ? watch->frozen : model_scene(watch->model);
}

/* ---- keys -------------------------------------------------------------------------------------------------------- */

static void freeze(struct watch *watch)
{
    scene_free(watch->frozen);
    watch->frozen = watch->view.is_frozen ? NULL : scene_copy(model_scene(watch->model));
    watch->view.is_frozen = watch->frozen != NULL;
}

/* "armtap-watch-20260131T120001Z.txt", or a number behind it if there is such a file. */
static FILE *create_page(char name[VIEW_NOTE_MAX], int64_t time)
{
    char date[40], number[16] = "";
    time_t seconds = (time_t)(time / SECOND);
    struct tm parts;
    FILE *file = NULL;
    if (!gmtime_r(&seconds, &parts) || strftime(date, sizeof date, "%Y%m%dT%H%M%SZ", &parts) == 0)
        return NULL;
    for (int i = 1; !file && i < COPIES_MAX; i++) {
        if (i > 1)
            snprintf(number, sizeof number, "-%d", i);
        snprintf(name, VIEW_NOTE_MAX, "armtap-watch-%s%s.txt", date, number);
        int made = file_open(name, O_WRONLY | O_CREAT | O_EXCL);
        file = made >= 0 ? fdopen(made, "w") : NULL;
    }
    return file;
}

static void save(struct watch *watch)
{
    char name[VIEW_NOTE_MAX];
    FILE *file = create_page(name, shown_scene(watch)->now);
    if (file)
        sheet_print(file, &watch->shown, false);
    if (file && fclose(file) == 0)
        snprintf(watch->view.note, VIEW_NOTE_MAX, "this page was saved as %.*s", VIEW_NOTE_MAX - 40, name);
    else
        snprintf(watch->view.note, VIEW_NOTE_MAX, "the page cannot be saved here, in the current folder");
}

/* What the title and the note say of it. */
static void say_recording(struct watch *watch)
{
    char size[AMOUNT_MAX];
    struct view *view = &watch->view;
    bool was = view->recording[0] != '\0', is = recorder_is_running(watch->recorder);
    amount_text(size, recorder_bytes(watch->recorder));
    view->recording[0] = '\0';
    if (is)
        snprintf(view->recording, sizeof view->recording, "REC %s", size);
    else if (was)
        snprintf(view->note, VIEW_NOTE_MAX, "recorded %.120s, %s", recorder_name(watch->recorder), size);
}

static void record(struct watch *watch)
{
    if (!watch->recorder) {
        snprintf(watch->view.note, VIEW_NOTE_MAX, "only robots can be recorded: rtde://, realtime://, primary://");
        return;
    }
    int outcome =
        recorder_is_running(watch->recorder) ? recorder_end(watch->recorder) : recorder_begin(watch->recorder);
    if (outcome == 0)
        say_recording(watch);
    else
        snprintf(watch->view.note, VIEW_NOTE_MAX, "%s", screen_message(watch->screen));
}

static int on_robot_event(void *user, const struct robot_event *event)
{
    struct watch *watch = user;
    return recorder_take(watch->recorder, event);
}

static void take_key(struct watch *watch, int key)
{
    switch (view_key(&watch->view, key, shown_scene(watch)->robot_count)) {
    case WISH_QUIT:
        watch->is_quitting = true;
        break;
    case WISH_FREEZE:
        freeze(watch);
        break;
    case WISH_SAVE:
        save(watch);
        break;
    case WISH_RECORD:
        record(watch);
        break;
    case WISH_NONE:
        return;
    }
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

static void draw(struct watch *watch)
{
    int rows, columns;
    struct view view = watch->view;
    screen_size(watch->screen, &rows, &columns);
    const char *message = screen_message(watch->screen);
    if (view.note[0] == '\0' && *message && (!view.is_live || shown_scene(watch)->robot_count == 0))
        snprintf(view.note, sizeof view.note, "%s", message);
    if (page_draw(&watch->sheet, rows, columns, shown_scene(watch), &view) != 0 ||
        sheet_is_same(&watch->sheet, &watch->shown) || !screen_is_free(watch->screen))
        return;
    if (sheet_copy(&watch->shown, &watch->sheet) == 0)
        screen_show(watch->screen, &watch->sheet);
}

/* Keys, and a page if it is time for one. */
static void serve(struct watch *watch)
{
    int key;
    bool has_key = false;
    int64_t now = steady_clock();
    if (now - watch->served < TURN / 10)
        return;
    watch->served = now;
    if (watch->recorder) {
        recorder_turn(watch->recorder, now);
        say_recording(watch);
    }
    while ((key = screen_key(watch->screen)) != 0) {
        take_key(watch, key);
        has_key = true;
    }
    if (interrupt_asked() || screen_is_lost(watch->screen))
        watch->is_quitting = true;
    if (has_key || now - watch->drawn >= TURN) {
        watch->drawn = now;
        draw(watch);
    }
}

void watch_screen_turn(struct watch *watch)
{
    serve(watch);
}

void watch_screen_play(struct watch *watch, int64_t time)
{
    double speed = watch->view.speed;
    if (time < watch->range.from) {
        model_advance(watch->model, time);
        return;
    }
    if (!watch->is_playing) {
        watch->is_playing = true;
        watch->play_time = time;
        watch->play_clock = steady_clock();
    }
    while (!watch->is_quitting) {
        double passed = (double)(steady_clock() - watch->play_clock) * speed;
        double wanted = (double)(time - watch->play_time);
        bool is_due = speed == 0 || passed >= wanted;
        model_advance(watch->model, is_due ? time : watch->play_time + (int64_t)passed);
        serve(watch);
        if (is_due)
            return;
        double left = (wanted - passed) / speed;
        screen_wait(watch->screen, left < (double)TURN / 2 ? (int64_t)left + 1 : TURN / 2);
    }
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

int watch_screen_begin(struct watch *watch)
{
    struct robot_sources *robots = &watch->options.robots;
    interrupt_guard(screen_restore);
    watch->view.is_ascii = screen_is_ascii();
    watch->view.has_keys = true;
    if (robots->count > 0) {
        watch->recorder = recorder_new(robots->count);
        if (!watch->recorder)
            return message_no_memory();
        robots->on_event = on_robot_event;
        robots->user = watch;
        robots->patience = PATIENCE;
    }
    watch->screen = screen_open(text_is_coloured(stdout));
    return watch->screen ? 0 : -1;
}

void watch_screen_stay(struct watch *watch)
{
    while (!watch->is_quitting) {
        serve(watch);
        screen_wait(watch->screen, TURN / 2);
    }
}

void watch_screen_end(struct watch *watch)
{
    screen_close(watch->screen);
    watch->screen = NULL;
    recorder_free(watch->recorder);
    scene_free(watch->frozen);
    sheet_free(&watch->shown);
}
