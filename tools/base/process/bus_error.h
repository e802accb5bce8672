/* Reading a mapped file whose bytes may be gone, since another program cut it or its disk fails: the kernel then raises
 * SIGBUS, which ends a program that does not expect it. */
#ifndef BASE_BUS_ERROR_H
#define BASE_BUS_ERROR_H

#include <stdbool.h>

/* Calls `read`, which stops at the first byte that is gone, and returns whether it came to its end. It must not take
 * what it would have to give back, memory or a lock, nor use this itself. Thread-safe. */
bool bus_error_guard(void (*read)(void *user), void *user);

#endif
