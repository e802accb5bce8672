#define _GNU_SOURCE /* setresuid */
#include "base/os/privileges.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__)
#include <linux/capability.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include "base/process/message.h"

#define NOBODY 65534

struct person {
    uid_t user;
    gid_t group;
    char name[64]; /* empty: unknown to the system */
};

/* Global, like the process's user; empty: root was not given up. */
static char given_up_for[64];

static int failed(const char *what)
{
    message_error(
        "cannot drop privileges that armtap does not need (%s: %s), and armtap refuses to read with them; capture with "
        "tcpdump -w FILE, then read the file as an ordinary user",
        what, strerror(errno));
    return -1;
}

/* Reads a numeric id from an environment variable. */
static bool read_id(const char *variable, unsigned long *id)
{
    const char *text = getenv(variable);
    char *end;
    if (!text || *text < '0' || *text > '9')
        return false;
    errno = 0;
    *id = strtoul(text, &end, 10);
    return *end == '\0' && errno == 0 && *id < UINT32_MAX;
}

/* The user that root works for. */
static struct person find_person(void)
{
    struct person person = {.user = NOBODY, .group = NOBODY};
    unsigned long user = 0, group = 0;
    bool is_sudo = read_id("SUDO_UID", &user) && read_id("SUDO_GID", &group) && user != 0;
    const struct passwd *entry = is_sudo ? getpwuid((uid_t)user) : getpwnam("nobody");
    if (entry) {
        person.user = entry->pw_uid;
        person.group = entry->pw_gid;
        strncpy(person.name, entry->pw_name, sizeof person.name - 1);
    }
    if (is_sudo) {
        person.user = (uid_t)user;
        person.group = (gid_t)group;
    }
    return person;
}

static int give_up_root(void)
{
    struct person person = find_person();
    uid_t user[3];
    gid_t group[3];
    if (person.user == 0)
        person.user = NOBODY;
    if (person.group == 0)
        person.group = NOBODY;
    int outcome = person.name[0] != '\0' ? initgroups(person.name, person.group) : setgroups(1, &person.group);
    if (outcome != 0)
        return failed("its groups");
    if (setresgid(person.group, person.group, person.group) != 0)
        return failed("its group");
    if (setresuid(person.user, person.user, person.user) != 0)
        return failed("its user");
    errno = EPERM;
    if (getresuid(&user[0], &user[1], &user[2]) != 0 || getresgid(&group[0], &group[1], &group[2]) != 0)
        return failed("its user");
    for (unsigned i = 0; i < 3; i++)
        if (user[i] != person.user || group[i] != person.group)
            return failed("its user");
    if (setuid(0) == 0)
        return failed("it came back");
    if (person.name[0] != '\0')
        memcpy(given_up_for, person.name, sizeof given_up_for);
    else
        snprintf(given_up_for, sizeof given_up_for, "user %lu", (unsigned long)person.user);
    return 0;
}

#if defined(__linux__)
static int give_up_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {{0}};
    if (syscall(SYS_capset, &header, none) != 0)
        return failed("capabilities");
#if defined(PR_CAP_AMBIENT)
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0 && errno != EINVAL)
        return failed("capabilities");
#endif
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : failed("new privileges");
}
#else
static int give_up_capabilities(void)
{
    return 0;
}
#endif

bool privileges_are_own(void)
{
    if (getuid() == geteuid() && getgid() == getegid())
        return true;
    message_error(
        "armtap refuses to run setuid or setgid: it would open every file with its owner's rights; for -i, run "
        "chmod ug-s, then setcap cap_net_raw+ep, on the program");
    return false;
}

int privileges_drop(void)
{
    if (geteuid() == 0 && give_up_root() != 0)
        return -1;
    return give_up_capabilities();
}

int privileges_drop_lent(void)
{
#if defined(__linux__)
    bool is_lent = geteuid() != 0 && getauxval(AT_SECURE) != 0;
#else
    bool is_lent = false;
#endif
    return is_lent ? give_up_capabilities() : 0;
}

const char *privileges_given_up_for(void)
{
    return given_up_for[0] == '\0' ? NULL : given_up_for;
}
