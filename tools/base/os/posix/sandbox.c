#define _GNU_SOURCE /* CLONE_THREAD */
#include "base/os/privileges.h"

/* Sanitizers need more system calls: to stop other threads, to read their memory maps. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#undef ARMTAP_WITH_SECCOMP
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#undef ARMTAP_WITH_SECCOMP
#endif

#if defined(ARMTAP_WITH_SECCOMP)
#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <errno.h>
#include <linux/sockios.h>
#include <sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/process/message.h"

/* On s390 clone's flags are the second argument, and mmap takes its arguments from memory, as on i386, where no filter
 * can check them. */
#if defined(__s390__)
#define CLONE_FLAGS SCMP_A1
#else
#define CLONE_FLAGS SCMP_A0
#endif
#if !defined(__s390__) && !defined(__i386__) && !defined(__m68k__)
#define MMAP_HAS_ARGUMENTS 1
#else
#define MMAP_HAS_ARGUMENTS 0
#endif

struct rule {
    const char *name;
    unsigned count; /* of comparisons */
    struct scmp_arg_cmp comparison;
};

/* The kernel uses the low 32 bits; some C libraries sign-extend the rest. */
static struct scmp_arg_cmp request_is(unsigned long request)
{
    return SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffff, request);
}

static int add_rules(scmp_filter_ctx filter)
{
#define SYSCALL(name) {#name, 0, {0}},
#define SYSCALL_IF(name, ...) {#name, 1, __VA_ARGS__},
    const struct rule rules[] = {
#include "syscalls.def"
    };
    int outcome = 0;
    for (size_t i = 0; i < sizeof rules / sizeof *rules && outcome == 0; i++) {
        int number = seccomp_syscall_resolve_name(rules[i].name);
        if (number >= 0) /* the rest belong to other machines, or are newer than the library */
            outcome = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, number, rules[i].count, &rules[i].comparison);
    }
    return outcome;
}

static int failed(int outcome)
{
    message_error("cannot install the seccomp filter (%s); capture with tcpdump -w FILE, then "
                  "read the file",
                  strerror(-outcome));
    return -1;
}

int sandbox_enter(void)
{
    /* Refused calls fail with ENOSYS, as on a kernel that lacks them, so that a C library newer than the table falls
     * back to an older call. SIGSYS or EPERM would end a capture that does nothing wrong. */
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
    if (!filter)
        return failed(-ENOMEM);
    int outcome = seccomp_attr_set(filter, SCMP_FLTATR_API_SYSRAWRC, 1); /* the kernel's own errors */
    if (outcome == 0)
        outcome = add_rules(filter);
    int entered = outcome == 0 ? seccomp_load(filter) : 0;
    seccomp_release(filter);
    if (entered == -ENOSYS || entered == -EINVAL)
        return 0;
    return outcome != 0 ? failed(outcome) : entered != 0 ? failed(entered) : 0;
}

const char *sandbox_library(char text[64])
{
    const struct scmp_version *version = seccomp_version();
    snprintf(text, 64, "libseccomp version %u.%u.%u", version->major, version->minor, version->micro);
    return text;
}
#else
#include <stddef.h>

int sandbox_enter(void)
{
    return 0;
}

const char *sandbox_library(char text[64])
{
    (void)text;
    return NULL;
}
#endif
