# A decoder is a line here, a line in decoders.def and its files.
lib_libinside_la_SOURCES += \
	decoders/aubo_info.h \
	decoders/decoders.def \
	decoders/realtime.c \
	decoders/realtime_describe.c \
	decoders/realtime_describe.h \
	decoders/realtime_packet.h \
	decoders/realtime_recipe.c \
	decoders/realtime_recipe.h \
	decoders/realtime_sizes.def \
	decoders/rtde.c \
	decoders/rtde_content.c \
	decoders/rtde_content.h \
	decoders/rtde_describe.c \
	decoders/rtde_describe.h \
	decoders/rtde_evidence.c \
	decoders/rtde_evidence.def \
	decoders/rtde_evidence.h \
	decoders/rtde_doubt.c \
	decoders/rtde_guess.c \
	decoders/rtde_inputs.c \
	decoders/rtde_inputs.h \
	decoders/rtde_known.c \
	decoders/rtde_known.def \
	decoders/rtde_known.h \
	decoders/rtde_messages.def \
	decoders/rtde_package.c \
	decoders/rtde_package.h \
	decoders/rtde_recipe.c \
	decoders/rtde_recipe.h \
	decoders/rtde_refused.c \
	decoders/rtde_reply.c \
	decoders/rtde_reply.h \
	decoders/rtde_requests.c \
	decoders/rtde_session.c \
	decoders/rtde_session.h \
	decoders/rtde_sniff.c \
	decoders/rtde_sniff.h \
	decoders/rtde_support.c \
	decoders/rtde_support.h

if WITH_AUBO
lib_libinside_la_SOURCES += \
	decoders/aubo.c \
	decoders/aubo_describe.c \
	decoders/aubo_describe.h \
	decoders/aubo_describe_list.c \
	decoders/aubo_describe_web.c \
	decoders/aubo_json.c \
	decoders/aubo_json.h \
	decoders/aubo_libraries.c \
	decoders/aubo_scan.c \
	decoders/aubo_scan.h \
	decoders/aubo_session.c \
	decoders/aubo_session.h \
	decoders/aubo_sniff.c \
	decoders/aubo_sniff.h \
	decoders/aubo_topics.def \
	decoders/aubo_web.c \
	decoders/aubo_web.h \
	decoders/aubo_words.c \
	decoders/aubo_words.h \
	decoders/websocket.c \
	decoders/websocket.h
else
lib_libinside_la_SOURCES += \
	decoders/aubo_none.c
endif

EXTRA_DIST += decoders/README.md
