/* The libraries that AUBO's decoder uses. */
#include <json-c/json.h>
#include <wslay/wslay.h>
#include <zlib.h>

#include "armtap.h"
#include "inside.h"

const char *armtap_aubo_libraries(void)
{
    return "json-c " JSON_C_VERSION ", wslay " WSLAY_VERSION ", zlib " ZLIB_VERSION;
}
