/* Runs captures, raw dumps or a live interface through the library, whatever a command's sink does with the outcome. */
#ifndef INPUT_REPLAY_H
#define INPUT_REPLAY_H

#include "armtap.h"

enum exit_status { EXIT_DONE = 0, EXIT_FOUND = 1, EXIT_FAILED = 2 };

/* What a callback of a sink given to replay() returns. Any other number counts as REPLAY_NO_MEMORY, so that no callback
 * ends a reading without a message. */
enum replay_answer {
    REPLAY_GO_ON = 0,
    REPLAY_NO_MEMORY = -1, /* replay() reports it */
    REPLAY_GAVE_UP = -2,   /* the callback has reported why */
    REPLAY_HAS_ENOUGH = 1  /* all that was wanted has come: no failure */
};

struct replay_totals {
    uint64_t packets;
    uint64_t bytes;     /* captured */
    int64_t first_time; /* ARMTAP_NO_TIME without one */
    bool interrupted;   /* Ctrl-C broke off the reading of what does not go on */
    bool broken_off;    /* a callback or a lack of memory ended it, not the input: what came is not what was captured */
};

struct inputs;
struct capture;

struct replay_source {
    const char *const *names; /* files in order; "-" is standard input */
    size_t count;
    struct inputs *inputs; /* the files of these names, opened */
    const char *interface; /* live instead of files, or NULL */
    struct capture *live;  /* the interface, opened by replay_open_interface */
    const char *filter;    /* capture filter; NULL: the telemetry ports */
    enum armtap_protocol raw;
    const struct armtap_port *ports; /* --port */
    size_t port_count;
    const struct armtap_recipe *recipe; /* --recipe */
    const char *recipe_name;            /* as it was given; NULL without one */
    struct armtap_knowledge *knowledge; /* what the reading learns or knows already; NULL: it keeps that to itself */
    bool no_guess;                      /* data whose handshake was not captured stays opaque */
    unsigned threads;                   /* more than one: gzip is inflated in one beside that of the decoding */
    /* called with each packet, and a few times a second while a source that goes on is silent; NULL: nobody cares */
    enum replay_answer (*on_turn)(void *user, const struct replay_totals *totals);
    bool follow;   /* at the end of the last file, wait for more until Ctrl-C */
    bool progress; /* may draw a progress bar on standard error */
    bool quiet;    /* what is damaged was reported by an earlier reading */
};

/* Everything is pushed to the sink, in order; what is damaged is reported on standard error with file, place and
 * remedy, after all that came before it was pushed. `totals` counts while it goes: its first_time is known before the
 * first record comes. Each raw dump is a connection of its own, with a number above those of the captures. EXIT_DONE,
 * or EXIT_FAILED, after a message, where something could not be read, memory was lacking or a callback gave up. */
enum exit_status replay(const struct replay_source *source, const struct armtap_sink *sink, void *user,
                        struct replay_totals *totals);
/* Opens source->interface, and gives up the rights that it needed: outputs are opened later, as the user that is left.
 * The caller closes it with replay_close_interface. NULL after a message. */
struct capture *replay_open_interface(const struct replay_source *source);
void replay_close_interface(struct capture *live);
/* Whether the source goes on while it is read: an interface, a pipe or a terminal, or a file that is followed. */
bool replay_is_live(const struct replay_source *source);
/* Whether the source can be read a second time: ordinary files only. */
bool replay_is_repeatable(const struct replay_source *source);

/* As replay(), and the same once more where the source is repeatable and the first reading, into source->knowledge,
 * learned what explains more of it. `forget` is called between the two: it empties what the sink has collected, and
 * returns 0, or -1 without memory. */
enum exit_status replay_learning(const struct replay_source *source, const struct armtap_sink *sink, void *user,
                                 int (*forget)(void *user), struct replay_totals *totals);

/* The protocols, also those that this build lacks: "a, b or c" with ", " and " or " between them. */
#define REPLAY_PROTOCOLS_MAX 64
void replay_protocols(char names[REPLAY_PROTOCOLS_MAX], const char *between, const char *before_last);

#endif
