/* There is none: what is printed goes straight to the terminal, which scrolls. */
#include "base/os/pager.h"

#include "base/os/console.h"
#include "base/os/names.h"

void pager_start(bool is_live)
{
    (void)is_live;
}

void pager_offer(void)
{
}

bool pager_has(int descriptor)
{
    (void)descriptor;
    return false;
}

bool pager_is_shown(int descriptor)
{
    return isatty(descriptor);
}

int pager_columns(int descriptor)
{
    return isatty(descriptor) ? console_columns(descriptor) : 0;
}

void pager_finish(void)
{
}
