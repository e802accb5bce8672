/* A recipe from a file: UR's XML, plain lines "name type", or AUBO's subscription. */
#ifndef INPUT_RECIPE_FILE_H
#define INPUT_RECIPE_FILE_H

#include "armtap.h"

/* "@NAME" is the recipe of that well-known client. Reads the recipe with key "out", or else the first. 0, or -1 after a
 * message. The caller releases it. */
int recipe_file_read(const char *name, struct armtap_recipe **recipe);

/* The XML library and its version. */
const char *recipe_file_library(void);

#endif
