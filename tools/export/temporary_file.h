/* The file beside an output, in which the output is written until it is whole. Its name begins with a dot, so that
 * shells, DuckDB's patterns and Spark do not see it, and tells which process writes it: what a killed run left behind
 * is removed by the next run that writes the same output on the same machine. */
#ifndef EXPORT_TEMPORARY_FILE_H
#define EXPORT_TEMPORARY_FILE_H

/* Makes an empty file beside `place`. Returns its descriptor and sets *name, which the caller frees; or -1, errno. */
int temporary_file_make(const char *place, char **name);

#endif
