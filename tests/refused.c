/* Loaded into armtap by tests/privileges-check.py: where packets are read it asks the kernel for what nobody needs
 * there, and says on standard error what it got: a line for each, "probe NAME ERRNO", 0 where it was done. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static void say(const char *name, long outcome)
{
    dprintf(2, "probe %s %d\n", name, outcome < 0 ? errno : 0);
}

static void *be_a_thread(void *argument)
{
    return argument;
}

static void try_what_is_refused(void)
{
    char page[4096] __attribute__((aligned(4096)));
    char *arguments[] = {(char *)"true", NULL};
    say("socket", syscall(SYS_socket, AF_INET, SOCK_STREAM, 0));
    say("connect", syscall(SYS_connect, 0, page, 16));
    say("sendto", syscall(SYS_sendto, 1, page, 1, 0, NULL, 0));
    say("ptrace", syscall(SYS_ptrace, 0, 0, 0, 0));
    say("process_vm_readv", syscall(SYS_process_vm_readv, getpid(), NULL, 0, NULL, 0, 0));
    say("setuid", syscall(SYS_setuid, getuid()));
    say("capset", syscall(SYS_capset, NULL, NULL));
    say("prctl", prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));
    say("kill", syscall(SYS_kill, getpid(), 0));
    say("tgkill", syscall(SYS_tgkill, getppid(), getppid(), 0));
    say("mount", syscall(SYS_mount, NULL, NULL, NULL, 0, NULL));
    say("bpf", syscall(SYS_bpf, 0, NULL, 0));
    say("unshare", syscall(SYS_unshare, 0));
    say("clone3", syscall(SYS_clone3, NULL, 0));
    say("TIOCSTI", ioctl(0, TIOCSTI, "x"));
    say("mmap", mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0);
    say("mprotect", mprotect(page, sizeof page, PROT_READ | PROT_WRITE | PROT_EXEC));
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    say("fork", child);
    say("execve", syscall(SYS_execve, "/bin/true", arguments, NULL));
}

int pcap_next_ex(void *pcap, void *header, void *data)
{
    static int calls;
    int (*next)(void *, void *, void *) = (int (*)(void *, void *, void *))dlsym(RTLD_NEXT, "pcap_next_ex");
    if (calls++ == 0) {
        pthread_t thread;
        errno = pthread_create(&thread, NULL, be_a_thread, NULL);
        say("thread", errno == 0 && pthread_join(thread, NULL) == 0 ? 0 : -1);
        try_what_is_refused();
    }
    return next(pcap, header, data);
}
