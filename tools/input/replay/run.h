/* A run of replay(): what its sources share, and a function for each of them. For this folder alone. */
#ifndef INPUT_RUN_H
#define INPUT_RUN_H

#include "protocol/fact.h"
#include "base/terminal/progress.h"
#include "input/capture/capture.h"
#include "replay.h"

/* The packets of a file. */
struct reading {
    struct capture *capture; /* NULL: none is open */
    uint64_t repeated;       /* packets at its beginning that the file before had */
    uint64_t copies;         /* the same, if another file had them, read or not */
    struct replay_indexed indexed;
    struct armtap_where last;
    enum capture_outcome outcome;
    bool is_live;
};

/* Whether the files of a capture were taken at the same time, as a passive tap writes one for each direction: then they
 * are read side by side, by time. */

struct file_turns {
    struct file_turn {
        uint32_t file;
        int64_t first; /* time of its first packet */
    } * turns;         /* by time; NULL: the files are read one after another, as they are given */
    size_t count;
    const char *unread; /* a file whose times could not be read, so that the order may be wrong; NULL: none */
};

/* Looks at ordinary files; one that goes on, sidecars and dumps are read as they are given. 0, or -1 if memory runs
 * out. Problems are reported when a file is read; `unread` says that there was one. */
int file_turns_find(struct file_turns *turns, const struct replay_source *source);
void file_turns_free(struct file_turns *turns);

/* Start with zeros, but for `wish`. */
struct replay_ending {
    const struct replay_end *wish; /* NULL: the reading ends with its input */
    bool has_time;
    int64_t time;
    int64_t latest, back;     /* of the packets so far; how far their times went back */
    struct armtap_where last; /* of the packets that are wanted */
    unsigned patience;        /* packets until the net is asked again */
};

/* Remembers why a callback stopped the reading: the library only says that one did. */

struct replay_stop {
    const struct replay_source *source; /* whose packets the snapshot length cut is said once; NULL: never */
    const struct armtap_sink *sink;
    void *user;
    enum replay_answer why; /* the first answer other than REPLAY_GO_ON */
};

/* The sink to give to the library, with the replay_stop as its user: it forwards to the callbacks of `stop->sink`. */
struct armtap_sink replay_stop_wrap(const struct replay_stop *stop);

struct run {
    const struct replay_source *source;
    struct replay_stop stop;
    struct replay_ending ending;
    struct armtap_sink sink; /* its user is `stop` */
    struct replay_totals *totals;
    struct armtap_net *net;
    struct progress progress;
    uint64_t read_before; /* bytes in the files before this one */
    uint64_t turns;
    struct section_comment section; /* of the file before */
    struct beginning {
        int64_t time; /* of its first packet; ARMTAP_NO_TIME: there was none */
        char hosts[2][64];
        uint32_t file;
    } before; /* the beginning of the file before */
    struct drops drops;
    enum armtap_origin origin;    /* of the packets of this file */
    struct armtap_digest *digest; /* of the current file; NULL: none */
    bool by_time;                 /* several files are read side by side */
    bool damaged;
    bool stopped; /* by the sink, or by an error of the library */
    bool ended;   /* by Ctrl-C, as at the end of the source */
};

/* Stops the reading; prints a message once, unless the callback already did. */
void run_stop(struct run *run, int outcome);
/* Stops if a call of the library, or a callback in its place, returned an error. */
void run_check(struct run *run, int outcome);
/* Damage in one file does not stop the other files; a lack of memory or a changed file does. */
void run_fail_input(struct run *run, enum capture_outcome outcome);
/* Shows the progress. */
void run_advance(struct run *run, const struct capture *capture);
/* Gives the command, and Ctrl-C, their turn. */
void run_turn(struct run *run);
void run_note_dropped(struct run *run, enum armtap_note_code code, const struct armtap_where *where,
                      const struct armtap_arguments *arguments);
int64_t run_clock_time(void);

/* ---- packets ---- */

/* Gives the library a packet. */
void run_give_packet(struct run *run, struct armtap_packet *packet);
/* Says how many packets at the beginning of a file repeat what the part before it had, and was just read: with both, a
 * connection simply goes on. */
uint64_t run_begin_section(struct run *run, const struct section_comment *section);
void run_begin_packets(struct run *run, struct reading *reading, struct capture *capture, uint32_t file);
/* Takes a packet that was read; false at the end. */
bool run_take_next(struct run *run, struct reading *reading, struct armtap_packet *packet);
void run_end_packets(struct run *run, struct reading *reading);
/* All three. */
void run_packets(struct run *run, struct capture *capture, uint32_t file);

/* ---- other sources, each in its file ---- */

/* Reports why a file that has no packets is not read. */
void run_refuse_dump(struct run *run, struct capture *capture, const char *name);
/* Says that there is no such file, and which file or robot was probably meant. `command` reads robots; NULL: info. */
void run_report_missing(const char *name, const char *command);
/* NULL after a message. */
struct capture *run_open_file(struct run *run, uint32_t file);
void run_close_file(struct run *run, struct capture *capture);
void run_file(struct run *run, uint32_t file);
void run_by_time(struct run *run, const struct file_turns *turns);
void run_raw(struct run *run, struct capture *capture, uint32_t file, const char *name);
void run_robots(struct run *run);
void run_interface(struct run *run);
void run_archive(struct run *run);

#endif
