/* A word that names no file, as the robot that it may be meant for. */
#define _POSIX_C_SOURCE 200809L
#include "robot_link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/os/tcp_socket.h"
#include "protocol/port.h"

#define DIGITS "0123456789"
#define HOST_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" DIGITS "-."
#define PORT_DIGITS 5

/* Endings of files, which host names do not have. */
static const char *const file_endings[] = {"pcap", "pcapng", "cap",  "gz",  "zst",     "xz",    "lz4",   "bz2",
                                           "zip",  "csv",    "json", "txt", "html",    "log",   "bin",   "raw",
                                           "dump", "dat",    "md",   "xml", "parquet", "mcap",  "arrow", "npz",
                                           "mat",  "h5",     "svg",  "png", "pdf",     "ndjson"};

/* Ends in one of these, also with a number behind it (x.pcap3), or in a number (x.pcapng.1), which no name of a host
 * does. */
static bool is_file_name(const char *host)
{
    const char *dot = strrchr(host, '.'), *last = dot ? dot + 1 : host;
    if (last[strspn(last, DIGITS)] == '\0')
        return true;
    for (size_t i = 0; dot && i < sizeof file_endings / sizeof *file_endings; i++) {
        size_t length = strlen(file_endings[i]);
        if (strncasecmp(last, file_endings[i], length) == 0 && last[length + strspn(last + length, DIGITS)] == '\0')
            return true;
    }
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
    if (*after == ':' && (**port == '\0' || strlen(*port) > PORT_DIGITS || strspn(*port, DIGITS) < strlen(*port)))
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
        return strspn(place, DIGITS) < strlen(place) ? place : NULL;
    }
    return NULL;
}

enum robot_likeness robot_address_guess(char url[ROBOT_URL_MAX], const char *word)
{
    char host[ROBOT_HOST_MAX];
    uint8_t address[16];
    const struct robot_scheme *named;
    const char *port, *place = after_scheme(&named, word);
    if (!split(host, &port, place ? place : word))
        return ROBOT_NOT;
    bool is_address = ip_read(address, host, 6) || ip_read(address, host, 4);
    if (!is_address && (host[strspn(host, HOST_CHARACTERS)] != '\0' || strchr("-.", host[0]) || is_file_name(host)))
        return ROBOT_NOT;
    unsigned long number = strtoul(port, NULL, 10);
    uint16_t port_number = number <= UINT16_MAX ? (uint16_t)number : 0;
    enum armtap_protocol carried = armtap_port_protocol(port_number);
    const struct robot_scheme *scheme = robot_scheme_of(carried);
    bool is_usable = place || scheme || carried == ARMTAP_PROTOCOL_NONE;
    scheme = place ? named : scheme ? scheme : robot_scheme_of(ARMTAP_RTDE);
    robot_url(url, scheme, host, is_usable ? port_number : 0);
    return is_address || place || carried != ARMTAP_PROTOCOL_NONE ? ROBOT_SURELY : ROBOT_MAYBE;
}
