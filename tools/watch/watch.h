/* The command: what it was asked for, and what it does with the model and the pages. */
#ifndef WATCH_WATCH_H
#define WATCH_WATCH_H

#include "command_line/options.h"
#include "sheet.h"
#include "model.h"
#include "pages.h"

struct watch {
    struct options options;
    struct timestamp from, to;
    struct timestamp_range range;
    bool is_range_known;
    bool json, once, no_primary;
    struct view view;
    struct model *model;
    struct armtap_knowledge *knowledge;
    struct sheet sheet;
    struct replay_totals totals;
    int64_t begun;   /* when the reading began, by this machine's clock */
    bool is_stopped; /* what was asked for has been read */
    int64_t told;    /* the time of the last lines of --json; ARMTAP_NO_TIME: none */
    bool has_told;
    enum exit_status status;

    /* On a terminal. */
    struct screen *screen; /* NULL: there is none */
    struct sheet shown;
    struct recorder *recorder;  /* of robots; else NULL */
    struct watch_scene *frozen; /* NULL: the present is shown */
    bool is_quitting;
    bool is_playing;               /* a capture, from `from` on */
    int64_t play_time, play_clock; /* the first packet's time, and when that was, by a clock that nobody sets */
    int64_t served, drawn;         /* by the same clock */
};

/* Takes the terminal. 0, or -1 after a message. */
int watch_screen_begin(struct watch *watch);
/* While data comes: keys, and a page ten times a second. */
void watch_screen_turn(struct watch *watch);
/* Waits until a packet of that time is due. */
void watch_screen_play(struct watch *watch, int64_t time);
/* Shows the last page until the user quits. */
void watch_screen_stay(struct watch *watch);
/* Gives the terminal back. */
void watch_screen_end(struct watch *watch);

/* This machine's clock: ns since the epoch. */
int64_t watch_clock(void);

/* Prints the lines of --json that are due. */
void watch_json_turn(struct watch *watch);
/* The same for the end. */
void watch_json_end(struct watch *watch);

#endif
