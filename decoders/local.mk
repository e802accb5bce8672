# A decoder is a line here, a line in decoders.def and its files.
lib_libinside_la_SOURCES += \
	decoders/decoders.def \
	decoders/realtime.c \
	decoders/realtime_sizes.def \
	decoders/rtde.c \
	decoders/rtde_guess.c \
	decoders/rtde_known.def \
	decoders/rtde_messages.def \
	decoders/rtde_package.c \
	decoders/rtde_package.h \
	decoders/rtde_session.c \
	decoders/rtde_session.h

EXTRA_DIST += decoders/README.md
