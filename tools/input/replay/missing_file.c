/* A name that is no file: what was probably meant. */
#define _POSIX_C_SOURCE 200809L
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/names.h"
#include "base/os/path.h"
#include "base/process/message.h"
#include "base/text/nearest_word.h"
#include "base/os/shell_word.h"
#include "input/robots/robot_link.h"

#define PATH_ROOM 4096
#define NAMES_MAX 10000 /* in a folder, that are looked at */

/* Ends with NULL; NULL without memory. */
static char **read_names(DIR *folder)
{
    char **names = calloc(NAMES_MAX + 1, sizeof *names);
    const struct dirent *entry;
    for (size_t count = 0; names && count < NAMES_MAX && (entry = readdir(folder));)
        if (entry->d_name[0] != '.' && (names[count] = strdup(entry->d_name)))
            count++;
    return names;
}

/* Appends the nearest name in the folder to `path`, which is the folder's, as a word for a shell. False: none is near.
 */
static bool find_nearest(char to[SHELL_MAX], const char *path, const char *name)
{
    char whole[SHELL_MAX];
    DIR *folder = opendir(*path != '\0' ? path : ".");
    char **names = folder ? read_names(folder) : NULL;
    size_t count = 0;
    while (names && names[count])
        count++;
    const char *nearest = word_nearest(name, (const char *const *)names, count);
    to[0] = '\0';
    int length = nearest ? snprintf(whole, sizeof whole, "%s%s", path, nearest) : -1;
    bool found = length >= 0 && (size_t)length < sizeof whole && shell_word(to, SHELL_MAX, whole);
    while (count > 0)
        free(names[--count]);
    free(names);
    if (folder)
        closedir(folder);
    return found;
}

/* Shortens a path, which ends in a slash or is empty, until it is a folder that exists. Whether it was none before. */
static bool shorten(char *path)
{
    struct file_status status;
    bool is_missing = false;
    for (size_t length = strlen(path); length > 0 && file_status(path, &status) != 0; is_missing = true) {
        while (length > 0 && path_is_separator(path[length - 1]))
            length--;
        while (length > 0 && !path_is_separator(path[length - 1]))
            length--;
        path[length] = '\0';
    }
    return is_missing;
}

/* What to type for a robot; compare needs both of its streams. */
static void put_urls(char to[SHELL_MAX], const char *url, const char *command)
{
    static const char *const schemes[] = {"rtde", "realtime"};
    const char *place = strstr(url, "//") + 2;
    int length = (int)(*place == '[' ? strcspn(place, "]") + 1 : strcspn(place, ":"));
    if (strcmp(command, "compare") != 0) {
        shell_word(to, SHELL_MAX, url);
        return;
    }
    for (size_t i = 0; i < 2; i++) {
        char other[ROBOT_URL_MAX];
        snprintf(other, sizeof other, "%s://%.*s", schemes[i], length, place);
        shell_put(to, SHELL_MAX, " ", i);
        shell_word(to, SHELL_MAX, strncmp(url, other, strlen(schemes[i]) + 3) == 0 ? url : other);
    }
}

void run_report_missing(const char *name, const char *command)
{
    char url[ROBOT_URL_MAX], typed[SHELL_MAX] = "", path[PATH_ROOM], there[SHELL_MAX] = "", list[SHELL_MAX] = "";
    enum robot_likeness robot = robot_address_guess(url, name);
    const char *base = path_base(name);
    command = command ? command : "info";
    if (robot != ROBOT_NOT)
        put_urls(typed, url, command);
    snprintf(path, sizeof path, "%.*s", (int)(base - name), name);
    bool is_missing = shorten(path);
    if (robot == ROBOT_SURELY)
        message_error("%s: no such file; to read the robot: armtap %s %s", name, command, typed);
    else if (!is_missing && find_nearest(there, path, base))
        message_error("%s: no such file; did you mean %s?", name, there);
    else if (robot == ROBOT_MAYBE)
        message_error("%s: no such file; if it is a robot: armtap %s %s", name, command, typed);
    else
        message_error("%s: no such %s%s%s", name, is_missing ? "folder" : "file",
                      shell_list(list, sizeof list, path) ? "; to see what is there: " : "", list);
}
