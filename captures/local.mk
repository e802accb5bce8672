# The program that makes the sample captures from their scenes.
noinst_PROGRAMS += captures/synth
captures_synth_SOURCES = \
	captures/arm.c \
	captures/arm.h \
	captures/aubo.c \
	captures/aubo.h \
	captures/aubo_session.c \
	captures/aubo_session.h \
	captures/deflate.c \
	captures/deflate.h \
	captures/driver.c \
	captures/driver.h \
	captures/json.c \
	captures/json.h \
	captures/motion.c \
	captures/motion.h \
	captures/number.c \
	captures/number.h \
	captures/pcapfile.c \
	captures/pcapfile.h \
	captures/primary.c \
	captures/primary.h \
	captures/scene.c \
	captures/scene.h \
	captures/session.c \
	captures/session.h \
	captures/session_state.c \
	captures/session_state.h \
	captures/synth.c \
	captures/topics.c \
	captures/topics.h \
	captures/ur_rtde.c \
	captures/ur_rtde.h \
	captures/websocket.c \
	captures/websocket.h \
	captures/wire.c \
	captures/wire.h
captures_synth_LDADD = lib/libinside.la $(ZLIB_LIBS) -lm

# The captures, and the scenes that they are made from.
CAPTURES = \
	captures/aubo-guide-tcp.pcap \
	captures/aubo-guide-tcp.scene \
	captures/aubo-guide-websocket.pcap \
	captures/aubo-guide-websocket.scene \
	captures/aubo-tcp.pcap.gz \
	captures/aubo-tcp.scene \
	captures/aubo-two-arms.pcap.gz \
	captures/aubo-two-arms.scene \
	captures/aubo-websocket.pcap.gz \
	captures/aubo-websocket.scene \
	captures/both-streams.pcap.gz \
	captures/both-streams.scene \
	captures/cb2-812.pcap.gz \
	captures/cb2-812.scene \
	captures/cb3-1060.pcap.gz \
	captures/cb3-1060.scene \
	captures/dashboard-refused.pcap \
	captures/dashboard-refused.scene \
	captures/driver-stop.pcap.gz \
	captures/driver-stop.scene \
	captures/e-series-1220.pcapng.gz \
	captures/e-series-1220.scene \
	captures/not-connected.pcap \
	captures/not-connected.scene \
	captures/primary-stop.pcap.gz \
	captures/primary-stop.scene \
	captures/rtde-refused.pcap \
	captures/rtde-refused.scene \
	captures/collision.pcap.gz \
	captures/collision.scene \
	captures/rtde-stop.pcap \
	captures/rtde-stop.scene \
	captures/rtde-two-recipes.pcap \
	captures/rtde-two-recipes.scene \
	captures/rtde-v1.pcap \
	captures/rtde-v1.scene \
	captures/rtde-v2.pcapng.gz \
	captures/rtde-v2.scene \
	captures/rtde-v3.pcapng \
	captures/rtde-v3.scene \
	captures/several-clients.pcapng \
	captures/several-clients.scene \
	captures/ur-rtde.pcap.gz \
	captures/ur-rtde.scene

EXTRA_DIST += \
	$(CAPTURES) \
	captures/INDEX \
	captures/README.md
