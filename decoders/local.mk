# A decoder is a line here, a line in decoders.def and its files.
lib_libinside_la_SOURCES += \
	decoders/aubo_describe.h \
	decoders/decoders.def \
	decoders/realtime.c \
	decoders/realtime_describe.c \
	decoders/realtime_layout.c \
	decoders/realtime_packet.h \
	decoders/realtime_sizes.def \
	decoders/robot_message.c \
	decoders/rtde.c \
	decoders/rtde_content.c \
	decoders/rtde_describe.c \
	decoders/rtde_judge.h \
	decoders/rtde_messages.def \
	decoders/rtde_package.c \
	decoders/rtde_package.h \
	decoders/rtde_properties.c \
	decoders/rtde_recipe.c \
	decoders/rtde_refused.c \
	decoders/rtde_reply.c \
	decoders/rtde_reply.h \
	decoders/rtde_requests.c \
	decoders/rtde_session.c \
	decoders/rtde_session.h \
	decoders/rtde_set_up.c \
	decoders/rtde_sniff.c \
	decoders/sent_program.c \
	decoders/urscript.c \
	decoders/urscript.h

# configure --enable-decoders leaves these out.
if BUILD_PRIMARY
lib_libinside_la_SOURCES += \
	decoders/primary.c \
	decoders/primary_describe.c \
	decoders/primary_frame.c \
	decoders/primary_layout.c \
	decoders/primary_layout.h \
	decoders/primary_layouts.def \
	decoders/primary_message.c \
	decoders/primary_message.h \
	decoders/primary_messages.def \
	decoders/primary_program.c \
	decoders/primary_sources.def \
	decoders/primary_value_types.def \
	decoders/primary_values.c \
	decoders/primary_variable.c
endif
if BUILD_DASHBOARD
lib_libinside_la_SOURCES += \
	decoders/dashboard.c \
	decoders/dashboard_lines.def
endif
if BUILD_EXTERNAL_CONTROL
lib_libinside_la_SOURCES += \
	decoders/external_control.c \
	decoders/external_control_describe.c \
	decoders/external_control_layout.c \
	decoders/external_control_layout.h \
	decoders/external_control_layouts.def \
	decoders/external_control_words.h
endif
if BUILD_RTDE_GUESS
lib_libinside_la_SOURCES += \
	decoders/rtde_checks.c \
	decoders/rtde_doubt.c \
	decoders/rtde_guess.c \
	decoders/rtde_judge.c \
	decoders/rtde_known.c \
	decoders/rtde_known.def
else
lib_libinside_la_SOURCES += \
	decoders/rtde_guess_none.c
endif

if WITH_AUBO
lib_libinside_la_SOURCES += \
	decoders/aubo.c \
	decoders/aubo_describe.c \
	decoders/aubo_describe_list.c \
	decoders/aubo_describe_web.c \
	decoders/aubo_scan.c \
	decoders/aubo_robot_message.c \
	decoders/aubo_session.c \
	decoders/aubo_session.h \
	decoders/aubo_sniff.c \
	decoders/aubo_text.h \
	decoders/aubo_topics.def \
	decoders/aubo_values.c \
	decoders/aubo_web.c \
	decoders/websocket.c \
	decoders/websocket.h
else
lib_libinside_la_SOURCES += \
	decoders/aubo_none.c
endif

EXTRA_DIST += decoders/README.md

# config.status makes it.
DISTCLEANFILES = decoders/chosen.def
