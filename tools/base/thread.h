/* Threads beside the main one. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>

/* Begins a thread that leaves signals to those that were there before. 0, or the error number. */
int thread_begin(pthread_t *thread, void *(*work)(void *user), void *user);

/* The processor that this thread runs on; -1: not known. */
int thread_processor(void);
/* Moves this thread to another processor that it may use, where the system can. */
void thread_leave(int processor);

#endif
