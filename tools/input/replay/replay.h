/* Runs captures, raw dumps, a live interface or robots through the library into a command's sink. */
#ifndef INPUT_REPLAY_H
#define INPUT_REPLAY_H

#include "armtap.h"
#include "base/numbers/timestamp.h"
#include "inside.h"

enum exit_status { EXIT_DONE = 0, EXIT_FOUND = 1, EXIT_FAILED = 2 };

/* What the callbacks of a sink given to replay() return. Any other number counts as REPLAY_NO_MEMORY, so that a reading
 * never ends without a message. */
enum replay_answer {
    REPLAY_GO_ON = 0,
    REPLAY_NO_MEMORY = -1, /* replay() reports it */
    REPLAY_GAVE_UP = -2,   /* the callback has reported why */
    REPLAY_HAS_ENOUGH = 1  /* the callback has all it wanted: not a failure */
};

enum { REPLAY_UNREAD_KINDS = 16 };

struct replay_totals {
    uint64_t packets;
    uint64_t bytes;                                   /* captured */
    int64_t first_time, last_time;                    /* so far; ARMTAP_NO_TIME if unknown */
    uint32_t file;                                    /* that is being read */
    int64_t file_time;                                /* of its first packet; ARMTAP_NO_TIME if unknown */
    bool is_beside;                                   /* others are being read, too */
    bool interrupted;                                 /* Ctrl-C broke off a source that would have ended by itself */
    bool elsewhere;                                   /* what is pushed now is of another capture of the archive */
    struct armtap_unread unread[REPLAY_UNREAD_KINDS]; /* packets that cannot be read; `what` NULL: no more kinds */
    bool broken_off; /* a callback or a lack of memory ended it before the input did: the results are incomplete */
};

struct archive;
struct inputs;
struct capture;
struct capture_comments;
struct section_comment;
struct robot_sources;
struct labels;

/* Where a reading ends before its input does: once what is wanted was read, and nothing that comes later can change it.
 * Wanted are packets up to a time, or up to one packet. */
struct replay_end {
    const struct timestamp *from, *to; /* NULL: `packet` counts */
    enum timestamp_zone zone;
    uint32_t file;
    uint64_t packet;
    /* Whether what was read until now will do; NULL: it always will. */
    bool (*is_enough)(const void *user);
};
/* By how much packets of a capture may be out of order. */
#define REPLAY_END_MARGIN_NS 1000000000

/* What is read of an archive. */
enum replay_part {
    REPLAY_SIDECARS, /* what is known about all its captures */
    REPLAY_CAPTURE,  /* the capture itself, after what is known about those before it */
    REPLAY_AMONG     /* the capture itself, and what is known about those before and after it */
};

/* The digest of a capture that was read. */
struct replay_indexed {
    uint32_t file;
    uint64_t packets;
    int64_t first_time, last_time; /* of its packets; ARMTAP_NO_TIME without any */
    const struct section_comment *section;
    const struct armtap_digest *digest;
    bool is_damaged; /* it was read up to the damage only */
};

struct replay_source {
    const char *const *names; /* files in order; "-" is standard input */
    size_t count;
    struct inputs *inputs;              /* these files, opened */
    const char *interface;              /* live instead of files, or NULL */
    struct capture *live;               /* the interface, opened by replay_open_interface */
    const struct robot_sources *robots; /* live instead of files, or NULL */
    const char *robot_command;          /* for a remedy: that reads robots; NULL: info */
    const char *filter;                 /* capture filter; NULL: the telemetry ports */
    enum armtap_protocol raw;
    const struct armtap_port *ports; /* --port */
    size_t port_count;
    const struct armtap_recipe *recipe; /* --recipe */
    const char *recipe_name;            /* as given; NULL if there is none */
    const struct labels *labels;        /* of labels.h: --label, --labels */
    struct armtap_knowledge *knowledge; /* what readings have learned; NULL: not shared */
    bool no_guess;                      /* leave data whose handshake was not captured opaque */
    const struct replay_end *end;       /* files are read no further than there; NULL: to their ends */
    /* called for each packet, and a few times a second while a live source is silent; may be NULL */
    enum replay_answer (*on_turn)(void *user, const struct replay_totals *totals);
    /* called for each packet before it is decoded; NULL: never */
    void (*on_packet)(void *user, const struct armtap_packet *packet);
    struct capture_comments *comments; /* gets those of the captures that were read; NULL: nobody wants them */
    struct archive *archive;           /* other captures around the only file; NULL: none */
    enum replay_part part;
    /* called when that capture begins and when it ends; NULL: never */
    enum replay_answer (*on_capture)(void *user, bool begins);
    /* called with the digest of each capture, in order; NULL: none are made */
    enum replay_answer (*on_indexed)(void *user, const struct replay_indexed *indexed);
    bool in_turn;  /* of files whose times overlap, read only those that hold one direction each side by side */
    bool follow;   /* at the end of the last file, wait for more until Ctrl-C */
    bool progress; /* may draw a progress bar on standard error */
    bool quiet;    /* an earlier reading has reported damage */
};

/* Pushes everything to the sink, in order. Damage is reported on standard error with file, place and remedy, after
 * everything before it was pushed. `totals` is updated on the way: first_time is set before the first record. Each raw
 * dump is its own connection, numbered above those of the captures. EXIT_DONE, or EXIT_FAILED after a message if
 * something could not be read, memory ran out or a callback gave up. */
enum exit_status replay(const struct replay_source *source, const struct armtap_sink *sink, void *user,
                        struct replay_totals *totals);
/* Opens source->interface, then drops the privileges that this needed, so outputs are opened later as the remaining
 * user. The caller closes it with replay_close_interface. NULL after a message. */
struct capture *replay_open_interface(const struct replay_source *source);
void replay_close_interface(struct capture *live);
/* The name of a file, as in struct armtap_where; NULL if it has none. */
const char *replay_file_name(const struct replay_source *source, uint32_t file);
/* Whether there are several files, or the only one is part of an archive. */
bool replay_has_several_files(const struct replay_source *source);
/* Whether the source may grow while it is read: an interface, a robot, a pipe, a terminal or a followed file. */
bool replay_is_live(const struct replay_source *source);
/* Whether it has no end of its own: an interface or a robot. */
bool replay_is_endless(const struct replay_source *source);
/* Whether it is robots that were asked for fields by name: what they lack was told. */
bool replay_asks_for_fields(const struct replay_source *source);
/* Whether the source can be read twice: ordinary files only. */
bool replay_is_repeatable(const struct replay_source *source);
/* Makes times before the last packet absolute, which takes a reading of its own. 0, or -1 after a message. */
int replay_count_back(const struct replay_source *source, struct timestamp *from, struct timestamp *to);

/* As replay(), but reads a repeatable source twice if the first reading added to source->knowledge something that
 * explains more of it. Between the two readings `forget` must empty what the sink has collected, and return 0, or -1 if
 * memory runs out. */
enum exit_status replay_learning(const struct replay_source *source, const struct armtap_sink *sink, void *user,
                                 int (*forget)(void *user), struct replay_totals *totals);

/* Where the wanted part of a reading begins. All before it is decoded, too: it holds the streams' set-ups, and the
 * numbers of streams, packages and counts follow from it. */

/* From so many bytes of files on, this takes long enough to be worth a message. */
#define REPLAY_START_SAY_BYTES ((uint64_t)256 << 20)

/* Says so on standard error, if `from` is given and the files are that large. */
void replay_start_say(const struct replay_source *source, const struct timestamp *from);

/* Puts captures in order of time, since names do not tell it (x1, x10, x2): that of the first packet. Files without
 * one, raw dumps and files that cannot be read go last; files of one time stay as they are. 0, or -1 after a message.
 * Standard input cannot be sorted. */
int file_order_sort(char **names, size_t count);

/* All protocols, including those that this build lacks, such as "a, b or c" with `between` ", " and `before_last` " or
 * ". */
#define REPLAY_PROTOCOLS_MAX 256
void replay_protocols(char names[REPLAY_PROTOCOLS_MAX], const char *between, const char *before_last);

#endif
