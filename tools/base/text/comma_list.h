/* Lists that users type: "actual_q, robot_mode". */
#ifndef BASE_COMMA_LIST_H
#define BASE_COMMA_LIST_H

#include <stddef.h>

/* The next entry that is not empty, without the blanks around it, and its length; NULL after the last. Moves the cursor
 * behind it. */
const char *comma_list_next(const char **cursor, size_t *length);

#endif
