/* Npcap's library, loaded when somebody wants it. */
#include "base/os/libpcap.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <windows.h>

#include "base/os/privileges.h"
#include "base/os/tcp_socket.h"

#define DEVICE "\\Device\\NPF_"

const char libpcap_remedy[] = "start armtap as administrator, or install Npcap without restricting it to "
                              "administrators, or capture with another program and read its file";

static struct libpcap loaded;
static HANDLE (*event_of)(pcap_t *);

static HMODULE open_library(void)
{
    static const char name[] = "\\Npcap\\wpcap.dll";
    char path[MAX_PATH];
    UINT length = GetSystemDirectoryA(path, sizeof path - sizeof name);
    if (length == 0 || length > sizeof path - sizeof name)
        return NULL;
    memcpy(path + length, name, sizeof name);
    return LoadLibraryExA(path, NULL, LOAD_WITH_ALTERED_SEARCH_PATH); /* it needs others of its folder */
}

/* `to` is a pointer to a function. */
static bool find(HMODULE library, const char *name, void *to)
{
    FARPROC found = GetProcAddress(library, name);
    memcpy(to, &found, sizeof found);
    return found != NULL;
}

static bool load(void)
{
    HMODULE library = open_library();
    if (!library)
        return false;
#define LIBPCAP(type, name, arguments) &&find(library, "pcap_" #name, &loaded.name)
    return find(library, "pcap_getevent", &event_of)
#include "base/os/libpcap.def"
        ;
#undef LIBPCAP
}

/* Called by the main thread only. */
const struct libpcap *libpcap(void)
{
    static bool was_tried, is_there;
    if (!was_tried)
        is_there = load();
    was_tried = true;
    return is_there ? &loaded : NULL;
}

void libpcap_wait(pcap_t *pcap, int ms)
{
    WaitForSingleObject(event_of(pcap), (DWORD)ms);
}

struct sought {
    const char *name;
    char *device;
};

static void compare(void *user, const char *name, const char *driver)
{
    struct sought *sought = user;
    if (strcmp(name, sought->name) == 0)
        snprintf(sought->device, LIBPCAP_DEVICE_MAX, DEVICE "%s", driver);
}

/* A name that is none of these may be a device's. */
const char *libpcap_device(const char *name, char device[LIBPCAP_DEVICE_MAX])
{
    struct sought sought = {name, device};
    device[0] = '\0';
    interfaces_each(compare, &sought);
    return device[0] == '\0' ? name : device;
}

struct list {
    char *text;
    size_t length, room;
};

/* Names have blanks. */
static void add(void *user, const char *name, const char *driver)
{
    struct list *list = user;
    (void)driver;
    if (list->length + strlen(name) + 5 < list->room)
        list->length += (size_t)snprintf(list->text + list->length, list->room - list->length, "%s\"%s\"",
                                         list->length == 0 ? "" : ", ", name);
}

void libpcap_interfaces(char *text, size_t room)
{
    struct list list = {.text = text, .room = room};
    text[0] = '\0';
    interfaces_each(add, &list);
}

/* ---- privileges: none to give up, as Npcap opens interfaces by a service of its own ------------------------------ */

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
