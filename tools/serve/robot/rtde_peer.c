/* What the RTDE server says to its user and sends to a client. */
#include "rtde_peer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void rtde_say(struct rtde_peer *peer, const char *format, ...)
{
    char line[512];
    va_list arguments;
    if (peer->lines > RTDE_LINES_MAX)
        return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    peer->wish.say(peer->wish.user, peer->wish.client,
                   peer->lines++ < RTDE_LINES_MAX ? line : "too many requests: further ones are not shown");
}

void rtde_send(const struct rtde_peer *peer, struct armtap_rtde_package *package, struct buffer *out)
{
    char *to = buffer_room(out, RTDE_PACKAGE_MAX);
    if (!to)
        return;
    package->direction = ARMTAP_FROM_ROBOT;
    package->protocol = peer->protocol;
    int length = armtap_rtde_write(package, to, RTDE_PACKAGE_MAX);
    if (length > 0)
        out->length += (size_t)length;
}

bool rtde_is_listed(const struct rtde_names *names, const char *name, size_t length)
{
    for (size_t i = 0; i < names->count; i++)
        if (strlen(names->names[i]) == length && memcmp(names->names[i], name, length) == 0)
            return true;
    return false;
}
