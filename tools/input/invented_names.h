/* Names that the library invents for fields of which only the types were captured. */
#ifndef INPUT_INVENTED_NAMES_H
#define INPUT_INVENTED_NAMES_H

#include "armtap.h"

/* How many of a recipe's fields have one: "value_" and their place. */
size_t invented_names(const struct armtap_recipe *recipe);

#endif
