# What differs between systems: headers that both sides have, and the sources of one side.
tools_libtools_a_SOURCES += \
	tools/base/os/console.h \
	tools/base/os/file.h \
	tools/base/os/interrupt.h \
	tools/base/os/libpcap.def \
	tools/base/os/libpcap.h \
	tools/base/os/names.h \
	tools/base/os/path.h \
	tools/base/os/privileges.h \
	tools/base/os/sha256.h \
	tools/base/os/shell_word.h \
	tools/base/os/system_address.h \
	tools/base/os/tcp_address.c \
	tools/base/os/tcp_socket.h \
	tools/base/os/wait.h

if WINDOWS
tools_libtools_a_SOURCES += \
	tools/base/os/windows/console.c \
	tools/base/os/windows/errors.c \
	tools/base/os/windows/errors.h \
	tools/base/os/windows/file.c \
	tools/base/os/windows/full_path.c \
	tools/base/os/windows/full_path.h \
	tools/base/os/windows/glob.c \
	tools/base/os/windows/interrupt.c \
	tools/base/os/windows/libpcap.c \
	tools/base/os/windows/names.c \
	tools/base/os/windows/path.c \
	tools/base/os/windows/pcap/pcap.h \
	tools/base/os/windows/sha256.c \
	tools/base/os/windows/tcp_socket.c \
	tools/base/os/windows/times.c \
	tools/base/os/windows/wait.c
else
tools_libtools_a_SOURCES += \
	tools/base/os/posix/console.c \
	tools/base/os/posix/file.c \
	tools/base/os/posix/interrupt.c \
	tools/base/os/posix/libpcap.c \
	tools/base/os/posix/pager.c \
	tools/base/os/posix/path.c \
	tools/base/os/posix/privileges.c \
	tools/base/os/posix/sandbox.c \
	tools/base/os/posix/sha256.c \
	tools/base/os/posix/shell_word.c \
	tools/base/os/posix/syscalls.def \
	tools/base/os/posix/tcp_socket.c \
	tools/base/os/posix/terminal.c \
	tools/base/os/posix/wait.c
endif

# The program's manifest, which Windows reads before it starts it.
EXTRA_DIST += \
	tools/base/os/windows/armtap.manifest \
	tools/base/os/windows/armtap.rc
if WINDOWS
armtap_LDADD += tools/base/os/windows/manifest.o
CLEANFILES += tools/base/os/windows/manifest.o
tools/base/os/windows/manifest.o: tools/base/os/windows/armtap.rc tools/base/os/windows/armtap.manifest
	$(AM_V_GEN)$(WINDRES) -I$(srcdir)/tools/base/os/windows $(srcdir)/tools/base/os/windows/armtap.rc $@
endif
