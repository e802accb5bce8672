/* A word that names no file, as the robot that it may be meant for. */
#include "robot_link.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOST_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-."
#define PORT_DIGITS 5

/* Endings of files, which host names do not have. */
static const char *const file_endings[] = {"pcap", "pcapng", "cap", "gz",   "zst", "xz",  "lz4", "bz2",  "zip",
                                           "csv",  "json",   "txt", "html", "log", "bin", "raw", "dump", "dat"};

/* By the protocol of the port, if robots are read by it, else RTDE's. */
static const struct robot_scheme *scheme_of(unsigned long port)
{
    const struct robot_scheme *scheme;
    for (size_t i = 0; (scheme = robot_scheme_at(i)); i++)
        for (const uint16_t *of = armtap_protocol_info(scheme->protocol)->ports; *of != 0; of++)
            if (*of == port)
                return scheme;
    return robot_scheme_of(ARMTAP_RTDE);
}

static bool is_file_name(const char *host)
{
    const char *dot = strrchr(host, '.');
    for (size_t i = 0; dot && i < sizeof file_endings / sizeof *file_endings; i++)
        if (strcmp(dot + 1, file_endings[i]) == 0)
            return true;
    return false;
}

/* Splits HOST, HOST:PORT, [HOST] or [HOST]:PORT; an IPv6 address needs no brackets. False for anything else. */
static bool split(char host[ROBOT_HOST_MAX], const char **port, const char *word)
{
    bool bracketed = word[0] == '[', is_bare = !bracketed && strchr(word, ':') != strrchr(word, ':');
    const char *from = word + (bracketed ? 1 : 0);
    size_t length = is_bare ? strlen(from) : strcspn(from, bracketed ? "]" : ":");
    const char *after = from + length + (bracketed && from[length] == ']' ? 1 : 0);
    *port = *after == ':' ? after + 1 : "";
    if (length == 0 || length >= ROBOT_HOST_MAX || (*after != '\0' && *after != ':'))
        return false;
    if (*after == ':' && (**port == '\0' || strlen(*port) > PORT_DIGITS || strspn(*port, "0123456789") < strlen(*port)))
        return false;
    memcpy(host, from, length);
    host[length] = '\0';
    return true;
}

/* What follows "rtde:" or "rtde:/", a URL that lacks a slash, and its scheme. NULL for anything else. */
static const char *after_scheme(const struct robot_scheme **scheme, const char *word)
{
    for (size_t i = 0; (*scheme = robot_scheme_at(i)); i++) {
        size_t length = strlen((*scheme)->name);
        if (strncmp(word, (*scheme)->name, length) != 0 || word[length] != ':')
            continue;
        const char *place = word + length + strspn(word + length, ":/");
        return strspn(place, "0123456789") < strlen(place) ? place : NULL;
    }
    return NULL;
}

enum robot_likeness robot_address_guess(char url[ROBOT_URL_MAX], const char *word)
{
    char host[ROBOT_HOST_MAX];
    struct in6_addr address;
    const struct robot_scheme *named;
    const char *port, *place = after_scheme(&named, word);
    if (!split(host, &port, place ? place : word))
        return ROBOT_NOT;
    bool is_ipv6 = inet_pton(AF_INET6, host, &address) == 1, is_address = is_ipv6 || inet_pton(AF_INET, host, &address);
    if (!is_address && (host[strspn(host, HOST_CHARACTERS)] != '\0' || strchr("-.", host[0]) || is_file_name(host)))
        return ROBOT_NOT;
    unsigned long number = strtoul(port, NULL, 10);
    const struct robot_scheme *scheme = place ? named : scheme_of(number);
    if (*port != '\0' && number <= UINT16_MAX)
        robot_url(url, scheme, host, (uint16_t)number);
    else
        snprintf(url, ROBOT_URL_MAX, is_ipv6 ? "%s://[%s]" : "%s://%s", scheme->name, host);
    return is_address || place || *port != '\0' ? ROBOT_SURELY : ROBOT_MAYBE;
}
