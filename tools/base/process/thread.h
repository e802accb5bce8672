/* Threads beside the main one. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>

/* Begins a thread that leaves signals to those that were there before. 0, or the error number. */
int thread_begin(pthread_t *thread, void *(*work)(void *user), void *user);

#endif
