/* What the terminal can show, by its own answer. */
#ifndef PLOT_TERMINAL_H
#define PLOT_TERMINAL_H

enum terminal_pictures { TERMINAL_NO_PICTURES, TERMINAL_SIXEL, TERMINAL_KITTY };

struct terminal {
    enum terminal_pictures pictures;
    unsigned width; /* in pixels; 0: unknown */
};

/* Asks the terminal on standard output; waits a second for the answer. A terminal that cannot be asked safely (it is
 * not this program's, somebody has typed ahead, it is known not to take questions) shows no pictures. */
struct terminal terminal_ask(void);

#endif
