# Captures in files. The parts are compiled once: the program links them, the installed library is made of them.
noinst_LTLIBRARIES += lib/libcapture.la
lib_libcapture_la_CPPFLAGS = $(AM_CPPFLAGS) $(CAPTURE_CFLAGS)
lib_libcapture_la_SOURCES = \
	lib/capture/armtap-capture.h \
	lib/capture/capture.c \
	lib/capture/comments.c \
	lib/capture/comments.h \
	lib/capture/packet_file.c \
	lib/capture/packet_file.h \
	lib/capture/pcapng_blocks.c \
	lib/capture/pcapng_blocks.h \
	lib/capture/unpacker.c \
	lib/capture/unpacker.h \
	lib/capture/unpacking.c

armtapinclude_HEADERS += lib/capture/armtap-capture.h

lib_LTLIBRARIES += lib/libarmtap-capture.la
lib_libarmtap_capture_la_SOURCES =
lib_libarmtap_capture_la_LIBADD = lib/libcapture.la lib/libarmtap.la $(CAPTURE_LIBS)
lib_libarmtap_capture_la_LDFLAGS = $(AM_LDFLAGS) $(LIBRARY_LDFLAGS)
if WINDOWS
EXTRA_lib_libarmtap_capture_la_DEPENDENCIES = lib/libarmtap-capture.def
endif

pkgconfig_DATA += lib/capture/armtap-capture.pc

man_MANS += lib/capture/libarmtap-capture.3
EXTRA_DIST += \
	lib/capture/README.md \
	lib/capture/libarmtap-capture.3
