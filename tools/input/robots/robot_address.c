#include "robot_link.h"

#include <stdio.h>
#include <string.h>

#include "base/process/message.h"
#include "protocol/port.h"

static const struct robot_scheme schemes[] = {
    {"rtde", ARMTAP_RTDE, 30004, "a robot, by RTDE", "is its RTDE service on, under Settings > Security > Services?"},
    {"realtime", ARMTAP_REALTIME, 30013, "a robot, by its legacy interface",
     "is its Real-Time Client service on, under Settings > Security > Services? If it has only RTDE, read rtde://HOST, "
     "and give programs the old packets with armtap serve --layout"},
    {"primary", ARMTAP_PRIMARY, 30001, "a robot, by its primary interface: errors, popups, programs",
     "is its Primary Client service on, under Settings > Security > Services?"},
};

const struct robot_scheme *robot_scheme_at(size_t i)
{
    return i < sizeof schemes / sizeof *schemes ? &schemes[i] : NULL;
}

const struct robot_scheme *robot_scheme_of(enum armtap_protocol protocol)
{
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (schemes[i].protocol == protocol)
            return &schemes[i];
    return NULL;
}

void robot_url(char url[ROBOT_URL_MAX], const struct robot_scheme *scheme, const char *host, uint16_t port)
{
    int length = snprintf(url, ROBOT_URL_MAX, strchr(host, ':') ? "%s://[%s]" : "%s://%s", scheme->name, host);
    if (port != 0)
        snprintf(url + length, ROBOT_URL_MAX - (size_t)length, ":%u", (unsigned)port);
}

bool robot_address_is(const char *word)
{
    return strstr(word, "://") != NULL;
}

static int fail(const struct robot_address *robot, const char *problem)
{
    message_error("%s: %s; name a robot as " ROBOT_URLS
                  ", with :PORT if it is not UR's own, and an IPv6 address in brackets",
                  robot->url, problem);
    return -1;
}

const struct robot_scheme *robot_scheme_find(const char *url)
{
    size_t length = (size_t)(strstr(url, "://") - url);
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (strlen(schemes[i].name) == length && memcmp(schemes[i].name, url, length) == 0)
            return &schemes[i];
    return NULL;
}

static int parse_port(struct robot_address *robot, const char *text)
{
    unsigned long number = 0;
    size_t length = strspn(text, "0123456789");
    for (size_t i = 0; i < length && number <= UINT16_MAX; i++)
        number = number * 10 + (unsigned)(text[i] - '0');
    if (length == 0 || text[length] != '\0' || number == 0 || number > UINT16_MAX)
        return fail(robot, "the port is no number from 1 to 65535");
    robot->port = (uint16_t)number;
    return 0;
}

/* HOST, HOST:PORT, [HOST] or [HOST]:PORT. */
static int parse_place(struct robot_address *robot, const char *place)
{
    bool bracketed = place[0] == '[';
    const char *host = place + (bracketed ? 1 : 0);
    size_t length = strcspn(host, bracketed ? "]" : ":");
    const char *after = host + length;
    if (bracketed && *after++ != ']')
        return fail(robot, "a bracket is not closed");
    if (length == 0)
        return fail(robot, "the host is missing");
    if (length >= sizeof robot->host)
        return fail(robot, "the host is too long");
    if (!bracketed && *after == ':' && strchr(after + 1, ':'))
        return fail(robot, "there is more than one colon");
    if (*after != '\0' && *after != ':')
        return fail(robot, "something follows the bracket");
    memcpy(robot->host, host, length);
    robot->host[length] = '\0';
    if (robot->host[strcspn(robot->host, "/?#@ \t")] != '\0')
        return fail(robot, "a host's name has no such characters");
    return *after == ':' ? parse_port(robot, after + 1) : 0;
}

int robot_address_parse(struct robot_address *robot, const char *url)
{
    char place[ROBOT_HOST_MAX + 16];
    *robot = (struct robot_address){.url = url};
    const struct robot_scheme *scheme = robot_scheme_find(url);
    if (!scheme)
        return fail(robot, "not an address of a robot");
    robot->protocol = scheme->protocol;
    robot->port = scheme->port;
    const char *rest = strstr(url, "://") + 3;
    size_t length = strlen(rest);
    if (length > 0 && rest[length - 1] == '/')
        length--;
    if (length >= sizeof place)
        return fail(robot, "the host is too long");
    memcpy(place, rest, length);
    place[length] = '\0';
    return parse_place(robot, place);
}

int robot_address_resolve(struct robot_address *robot)
{
    const char *problem = NULL;
    robot->count = tcp_resolve(robot->host, robot->port, robot->addresses, ROBOT_ADDRESSES, &problem);
    if (robot->count > 0)
        return 0;
    message_error("%s: host '%s': %s; give its address, as the pendant shows it under Settings > System > "
                  "Network",
                  robot->url, robot->host, problem);
    return -1;
}

bool robot_address_companion(const struct robot_address *robot, struct robot_address *companion)
{
    const struct robot_scheme *scheme = robot_scheme_of(ARMTAP_PRIMARY);
    *companion = *robot;
    companion->protocol = scheme->protocol;
    companion->port = scheme->port;
    for (size_t i = 0; i < companion->count; i++)
        tcp_address_set_port(&companion->addresses[i], scheme->port);
    return armtap_port_protocol(robot->port) == robot->protocol;
}

bool robot_address_is_same_host(const struct robot_address *one, const struct robot_address *other)
{
    for (size_t i = 0; i < one->count; i++)
        for (size_t k = 0; k < other->count; k++)
            if (tcp_address_same_host(&one->addresses[i], &other->addresses[k]))
                return true;
    return false;
}

bool robot_address_has(const struct robot_address *robot, const char *text)
{
    char own[TCP_ADDRESS_MAX];
    for (size_t i = 0; i < robot->count; i++) {
        tcp_address_text(&robot->addresses[i], own);
        if (strcmp(own, text) == 0)
            return true;
    }
    return false;
}

const struct robot_address *robot_companion_at(const struct robot_sources *sources, const char *text)
{
    for (size_t i = sources->named; i < sources->count; i++)
        if (robot_address_has(&sources->robots[i], text))
            return &sources->robots[i];
    return NULL;
}
