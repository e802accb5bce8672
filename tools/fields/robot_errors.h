/* The error codes of UR's controllers, looked up. */
#ifndef FIELDS_ROBOT_ERRORS_H
#define FIELDS_ROBOT_ERRORS_H

#include <stdbool.h>

/* Shows the errors that `wanted` names: a code as C204A3, C204 or 204, or words of a title or meaning; NULL: all.
 * Returns an exit status. */
int robot_errors_show(const char *wanted, bool json);

#endif
