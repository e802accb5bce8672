/* Npcap opens interfaces by a service of its own: the program has no rights to give up but its user's. */
#include "base/os/privileges.h"

#include <stddef.h>

bool privileges_are_own(void)
{
    return true;
}

int privileges_drop(void)
{
    return 0;
}

int privileges_drop_lent(void)
{
    return 0;
}

const char *privileges_given_up_for(void)
{
    return NULL;
}

int sandbox_enter(void)
{
    return 0;
}

const char *sandbox_library(char text[64])
{
    (void)text;
    return "no sandbox on Windows";
}
