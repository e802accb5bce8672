/* Libraries that are loaded when they are needed: libhdf5 brings forty others, which would cost every command 6 ms and
 * 4 MB. */
#ifndef MATLAB_LOAD_H
#define MATLAB_LOAD_H

/* configure defines a file's name without quotes, which not every shell on the way to the compiler would keep. */
#define MATLAB_FILE_TEXT(name) #name
#define MATLAB_FILE(name) MATLAB_FILE_TEXT(name)

/* A handle for matlab_load_name(), or NULL after a message. The library stays loaded. */
void *matlab_load(const char *library);
/* Finds a function or a variable: stores its address in *pointer, which is a pointer of any type. 0, or -1 after a
 * message. */
int matlab_load_name(void *handle, const char *name, void *pointer);

#endif
