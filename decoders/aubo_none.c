/* Replaces AUBO's decoder in builds without it (configure --without-aubo). */
#include "aubo_describe.h"
#include "inside.h"

const struct armtap_decoder armtap_decoder_aubo = {
    .info = {ARMTAP_AUBO_INFO, .left_out = "--without-aubo"},
};

const char *armtap_aubo_libraries(void)
{
    return NULL;
}

const char *armtap_recipe_aubo_problem(const char *message, size_t length, size_t *at)
{
    (void)message, (void)length;
    if (at)
        *at = 0;
    return armtap_strerror(ARMTAP_ERR_UNSUPPORTED);
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
