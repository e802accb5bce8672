/* The libraries that AUBO's decoder uses. */
#include <wslay/wslay.h>
#include <zlib.h>

#include "armtap.h"
#include "inside.h"

const char *armtap_aubo_libraries(void)
{
    return "wslay " WSLAY_VERSION ", zlib " ZLIB_VERSION;
}
