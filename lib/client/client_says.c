/* What a client tells its caller, what it decides, and what it writes. */
#include "client.h"

#define SILENCE (2 * SECOND) /* without data; a controller sends each 8 ms or less, and SDU's client gives up here */

int64_t armtap_client_later(const struct armtap_client *client, int64_t ns)
{
    return client->now > INT64_MAX - ns ? INT64_MAX : client->now + ns;
}

static int tell(struct armtap_client *client, enum armtap_client_event_type type, enum armtap_severity severity,
                const char *text)
{
    struct armtap_client_event event = {type, severity, text};
    if (!client->options.on_event || client->doomed)
        return client->doomed ? ARMTAP_ERR_STOPPED : ARMTAP_OK;
    return client->options.on_event(client->user, &event) == 0 && !client->doomed ? ARMTAP_OK : ARMTAP_ERR_STOPPED;
}

int armtap_client_tell(struct armtap_client *client, enum armtap_client_event_type type, enum armtap_severity severity,
                       const char *format, ...)
{
    struct armtap_line line;
    va_list arguments;
    armtap_line_begin(&line);
    va_start(arguments, format);
    armtap_line_arguments(&line, format, arguments);
    va_end(arguments);
    return tell(client, type, severity, line.text);
}

static int decide(struct armtap_client *client, enum armtap_client_decision what, int64_t at, const char *format,
                  va_list arguments)
{
    armtap_line_begin(&client->reason);
    armtap_line_arguments(&client->reason, format, arguments);
    client->verdict.what = what;
    client->verdict.at = at;
    client->state = what == ARMTAP_CLIENT_RECONNECT ? ARMTAP_CLIENT_STATE_CONNECTING : ARMTAP_CLIENT_STATE_CLOSED;
    client->deadline = INT64_MAX;
    client->link.awaiting = false;
    return tell(client, ARMTAP_CLIENT_EVENT_VERDICT,
                what == ARMTAP_CLIENT_DONE        ? ARMTAP_INFO
                : what == ARMTAP_CLIENT_RECONNECT ? ARMTAP_WARNING
                                                  : ARMTAP_ERROR,
                client->reason.text);
}

int armtap_client_lose(struct armtap_client *client, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int error =
        decide(client, ARMTAP_CLIENT_RECONNECT, armtap_client_later(client, client->backoff), format, arguments);
    va_end(arguments);
    client->backoff = 2 * client->backoff < BACKOFF_MAX ? 2 * client->backoff : BACKOFF_MAX;
    return error;
}

int armtap_client_finish(struct armtap_client *client, enum armtap_client_decision what, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int error = decide(client, what, 0, format, arguments);
    va_end(arguments);
    return error;
}

int armtap_client_has_data(struct armtap_client *client)
{
    bool again = client->state != ARMTAP_CLIENT_STATE_STREAMING;
    client->good = client->now;
    if (client->now >= client->link.lasting)
        client->backoff = BACKOFF_FIRST;
    client->link.unconfirmed = client->link.told_waiting = false;
    client->state = ARMTAP_CLIENT_STATE_STREAMING;
    client->deadline = armtap_client_later(client, SILENCE);
    return again ? armtap_client_tell(client, ARMTAP_CLIENT_EVENT_DATA, ARMTAP_INFO, "data arrives") : ARMTAP_OK;
}

int armtap_client_wait(struct armtap_client *client)
{
    client->state = ARMTAP_CLIENT_STATE_WAITING;
    client->deadline = armtap_client_later(client, SILENCE);
    return client->link.unconfirmed ? armtap_client_miss_data(client) : ARMTAP_OK;
}

/* Silence is no reason to connect again: a robot may have nothing to send, and keep-alives of the socket tell whether
 * it is there. */
int armtap_client_miss_data(struct armtap_client *client)
{
    client->state = ARMTAP_CLIENT_STATE_WAITING;
    client->deadline = INT64_MAX;
    if (client->link.told_waiting)
        return ARMTAP_OK;
    client->link.told_waiting = true;
    if (client->link.unconfirmed)
        return armtap_client_tell(client, ARMTAP_CLIENT_EVENT_WAITING, ARMTAP_WARNING,
                                  "connected, but no data arrives; the robot sent: %s", client->said.text);
    return armtap_client_tell(client, ARMTAP_CLIENT_EVENT_WAITING, ARMTAP_WARNING,
                              "connected, but no data has arrived for 2 s%s%s",
                              client->said.length > 0 ? "; the robot's last text: " : "", client->said.text);
}

int armtap_client_put(struct armtap_client *client, const struct armtap_rtde_package *package, size_t spare)
{
    size_t room = OUT_BYTES - client->out_length;
    int length = armtap_rtde_write(package, client->out + client->out_length, room > spare ? room - spare : 0);
    if (length < 0)
        return length;
    client->out_length += (size_t)length;
    return ARMTAP_OK;
}
