#include "armtap.h"

const char *armtap_strerror(int error)
{
#define ERROR_TEXT(name, value, text)                                                                                  \
    case value:                                                                                                        \
        return text;
    switch (error) {
    case ARMTAP_OK:
        return "no error";
        ARMTAP_ERRORS(ERROR_TEXT)
    default:
        return "unknown error";
    }
#undef ERROR_TEXT
}

const char *armtap_version(void)
{
    return ARMTAP_VERSION;
}
