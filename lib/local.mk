# Everything is compiled into one library for use inside the build. The installed library is made from it and exports
# only what armtap.h declares; the program and the tests link all of it.
noinst_LTLIBRARIES += lib/libwords.la lib/libevidence.la lib/libinside.la
# Facts as sentences, and what values say of fields: each installed library has its own copy, since none exports it.
lib_libwords_la_SOURCES = \
	lib/protocol/fact.h \
	lib/protocol/findings.def \
	lib/protocol/line.c \
	lib/protocol/note.h \
	lib/protocol/words.c
lib_libevidence_la_SOURCES = \
	lib/evidence/columns.c \
	lib/evidence/evidence.h \
	lib/evidence/fields.c \
	lib/evidence/fields.def \
	lib/evidence/relations.c
lib_libinside_la_SOURCES = \
	lib/array.h \
	lib/by_connection.h \
	lib/bytes.h \
	lib/inside.h \
	lib/nanoseconds.h \
	lib/speed.h \
	lib/system.h \
	lib/try.h \
	lib/archive/conn_stretch.c \
	lib/archive/digest.c \
	lib/archive/digest.h \
	lib/archive/net_digest.c \
	lib/archive/net_pass.c \
	lib/archive/settled.c \
	lib/archive/stretch.c \
	lib/client/armtap-client.h \
	lib/client/client.c \
	lib/client/client.h \
	lib/client/client_known.c \
	lib/client/client_says.c \
	lib/client/name_list.c \
	lib/client/other_protocol.c \
	lib/client/rtde_client.c \
	lib/client/sink.c \
	lib/connection/beginning.c \
	lib/connection/buffer.c \
	lib/connection/conn.c \
	lib/connection/conn.h \
	lib/connection/connection.h \
	lib/connection/cut.c \
	lib/connection/deliver.c \
	lib/connection/frames.c \
	lib/connection/host.c \
	lib/connection/judge.c \
	lib/connection/knowledge.c \
	lib/connection/knowledge.h \
	lib/connection/seek.c \
	lib/connection/span.h \
	lib/connection/spoken.c \
	lib/layers/layer.h \
	lib/layers/mailbox_script.h \
	lib/network/attempt.c \
	lib/network/attempt.h \
	lib/network/flow.c \
	lib/network/flow.h \
	lib/network/hosts.c \
	lib/network/net.c \
	lib/network/net.h \
	lib/network/net_notes.c \
	lib/network/net_roles.c \
	lib/network/robot_ports.def \
	lib/network/traffic.c \
	lib/packet/fragments.c \
	lib/packet/fragments.h \
	lib/packet/header_pattern.c \
	lib/packet/link.c \
	lib/packet/link.h \
	lib/packet/tunnel.c \
	lib/packet/unreachable.c \
	lib/packet/walk.h \
	lib/protocol/account.c \
	lib/protocol/budget.c \
	lib/protocol/budget.h \
	lib/protocol/budgets.def \
	lib/protocol/clock.h \
	lib/protocol/decoder.c \
	lib/protocol/decoder.h \
	lib/protocol/describe.c \
	lib/protocol/describe.h \
	lib/protocol/note.c \
	lib/protocol/port.h \
	lib/protocol/raised.c \
	lib/protocol/release.c \
	lib/protocol/release.h \
	lib/protocol/robot.c \
	lib/protocol/robot.h \
	lib/protocol/sample.c \
	lib/table/cells.c \
	lib/table/control_modes.def \
	lib/table/enumeration.c \
	lib/table/enums.def \
	lib/table/error.c \
	lib/table/field.c \
	lib/table/field.h \
	lib/table/json.c \
	lib/table/json.h \
	lib/table/json_number.c \
	lib/table/layout.c \
	lib/table/layout.h \
	lib/table/misnomers.def \
	lib/table/plan.c \
	lib/table/plan.h \
	lib/table/plan_decode.c \
	lib/table/plan_step.c \
	lib/table/recipe.c \
	lib/table/recipe.h \
	lib/table/robot_errors.def \
	lib/table/spelling.c \
	lib/table/state.c \
	lib/table/types.def \
	lib/tcp/arrival.c \
	lib/tcp/arrival.h \
	lib/tcp/history.c \
	lib/tcp/history.h \
	lib/tcp/queue.c \
	lib/tcp/queue.h \
	lib/tcp/sender.c \
	lib/tcp/sender.h \
	lib/tcp/tcp.c \
	lib/tcp/tcp.h \
	lib/tcp/tcp_bytes.c \
	lib/tcp/tcp_deliver.c \
	lib/tcp/tcp_end.c \
	lib/tcp/tcp_deliver.h

if BUILD_UR_RTDE
lib_libinside_la_SOURCES += \
	lib/layers/mailbox.c \
	lib/layers/mailbox_command.c \
	lib/layers/mailbox_command.h \
	lib/layers/mailbox_said.c \
	lib/layers/mailbox_script.c \
	lib/layers/mailbox_table.c \
	lib/layers/ur_rtde_commands.def \
	lib/layers/ur_rtde_operations.def \
	lib/layers/ur_rtde_recipes.def \
	lib/layers/ur_rtde_releases.def
else
lib_libinside_la_SOURCES += \
	lib/layers/mailbox_none.c
endif

if BUILD_RTDE_GUESS
EVIDENCE_LIBS = lib/libevidence.la
else
EVIDENCE_LIBS =
endif
lib_libinside_la_LIBADD = lib/libwords.la $(EVIDENCE_LIBS) $(AUBO_LIBS) -lm

armtapincludedir = $(includedir)/armtap
armtapinclude_HEADERS = \
	lib/client/armtap-client.h \
	lib/armtap.h \
	lib/armtap-fields.h
nodist_armtapinclude_HEADERS = lib/armtap-version.h

if WINDOWS
# Without a number in their names, which nothing there would choose by. They export what the headers declare.
LIBRARY_LDFLAGS = -no-undefined -avoid-version -static-libgcc -export-symbols $(@:.la=.def)
EXTRA_lib_libarmtap_la_DEPENDENCIES = lib/libarmtap.def
else
LIBRARY_LDFLAGS = -no-undefined -version-info 0:0:0
endif
CLEANFILES += lib/libarmtap.def lib/libarmtap-analysis.def lib/libarmtap-capture.def
lib/libarmtap.def: lib/armtap.h lib/client/armtap-client.h
lib/libarmtap-analysis.def: lib/analysis/armtap-analysis.h
lib/libarmtap-capture.def: lib/capture/armtap-capture.h
lib/libarmtap.def lib/libarmtap-analysis.def lib/libarmtap-capture.def: lib/declared
	$(AM_V_GEN){ echo 'LIBRARY "$(@F:.def=.dll)"' && echo EXPORTS && \
	sh $(srcdir)/lib/declared $(filter %.h,$^); } >$@.new && mv $@.new $@

lib_LTLIBRARIES += lib/libarmtap.la
lib_libarmtap_la_SOURCES =
lib_libarmtap_la_LIBADD = lib/libinside.la
lib_libarmtap_la_LDFLAGS = $(AM_LDFLAGS) $(LIBRARY_LDFLAGS)

pkgconfig_DATA = lib/armtap.pc

cmakedir = $(libdir)/cmake/armtap
cmake_DATA = lib/armtap-config.cmake lib/armtap-config-version.cmake

# The manual's types come from the header.
man_MANS += lib/libarmtap.3
CLEANFILES += lib/libarmtap.3
lib/libarmtap.3: lib/libarmtap.3.in lib/manual-types lib/armtap.h
	$(AM_V_GEN)$(MKDIR_P) lib && \
	sh $(srcdir)/lib/manual-types $(srcdir)/lib/libarmtap.3.in $(srcdir)/lib/armtap.h >$@.new && mv $@.new $@

man_MANS += lib/armtap-abi.7
EXTRA_DIST += lib/armtap-abi.7

man_MANS += lib/libarmtap-client.3
CLEANFILES += lib/libarmtap-client.3
lib/libarmtap-client.3: lib/client/libarmtap-client.3.in lib/manual-types lib/client/armtap-client.h
	$(AM_V_GEN)$(MKDIR_P) lib && \
	sh $(srcdir)/lib/manual-types $(srcdir)/lib/client/libarmtap-client.3.in $(srcdir)/lib/client/armtap-client.h >$@.new && mv $@.new $@

EXTRA_DIST += \
	lib/README.md \
	lib/declared \
	lib/client/README.md \
	lib/evidence/README.md \
	lib/layers/README.md \
	lib/client/libarmtap-client.3.in \
	lib/libarmtap.3.in \
	lib/manual-types

if ANALYSIS
include lib/analysis/local.mk
endif
