/* Terminals of Windows are not asked: few show pictures, and the answer would come as keys that were pressed. */
#include "base/os/terminal.h"

struct terminal terminal_ask(void)
{
    return (struct terminal){.pictures = TERMINAL_NO_PICTURES};
}
