/* Keys: characters as they are, others by these numbers. */
#ifndef WATCH_KEYS_H
#define WATCH_KEYS_H

enum {
    VIEW_TAB = '\t',
    VIEW_ENTER = '\n',
    VIEW_ESCAPE = 27,
    VIEW_SPECIAL = 0x110000, /* beyond all characters */
    VIEW_UP,
    VIEW_DOWN,
    VIEW_LEFT,
    VIEW_RIGHT,
    VIEW_PAGE_UP,
    VIEW_PAGE_DOWN,
    VIEW_BACK_TAB,
    VIEW_ERASE
};

#endif
