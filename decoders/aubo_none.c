/* What stands in for AUBO's decoder where it was left out (configure --without-aubo). */
#include "armtap.h"

const char *armtap_aubo_libraries(void)
{
    return NULL;
}

int armtap_recipe_aubo(const char *message, size_t length, struct armtap_recipe **recipe)
{
    (void)message;
    (void)length;
    if (!recipe)
        return ARMTAP_ERR_ARGUMENT;
    *recipe = NULL;
    return ARMTAP_ERR_UNSUPPORTED;
}
