bin_PROGRAMS += armtap
armtap_SOURCES = tools/armtap.c
armtap_LDFLAGS = $(AM_LDFLAGS) $(HARDENING_PROGRAM_LDFLAGS)
armtap_LDADD = tools/libtools.a lib/libinside.la $(PCAP_LIBS) $(ZLIB_LIBS) $(EXPAT_LIBS) $(SECCOMP_LIBS) $(PTHREAD_LIBS) -lm

# All but main(), for the unit tests to link.
noinst_LIBRARIES += tools/libtools.a
tools_libtools_a_SOURCES = \
	tools/ahead.c \
	tools/ahead.h \
	tools/allowance.c \
	tools/allowance.h \
	tools/annotate.c \
	tools/annotate.h \
	tools/annotate_aubo.c \
	tools/annotate_primary.c \
	tools/annotate_rtde.c \
	tools/annotate_web.c \
	tools/arrivals.c \
	tools/arrivals.h \
	tools/attempts.c \
	tools/attempts.h \
	tools/batches.c \
	tools/batches.h \
	tools/blocks.c \
	tools/blocks.h \
	tools/buffer.h \
	tools/by_connection.c \
	tools/by_connection.h \
	tools/capture.c \
	tools/capture.h \
	tools/captured.c \
	tools/captured.h \
	tools/cells.c \
	tools/cells.h \
	tools/choice.c \
	tools/clocks.c \
	tools/clocks.h \
	tools/cmd_diagnose.c \
	tools/cmd_compare.c \
	tools/cmd_explain.c \
	tools/cmd_export.c \
	tools/cmd_fields.c \
	tools/cmd_info.c \
	tools/cmd_recipe.c \
	tools/columns.c \
	tools/columns.h \
	tools/commands.def \
	tools/commands.h \
	tools/comparison.c \
	tools/comparison.h \
	tools/counterparts.c \
	tools/counterparts.h \
	tools/diagnosis.c \
	tools/dialogue.c \
	tools/dialogue.h \
	tools/diagnosis.h \
	tools/diagnosis_json.c \
	tools/diagnosis_text.c \
	tools/differences.c \
	tools/differences.h \
	tools/drops.c \
	tools/drops.h \
	tools/explain.h \
	tools/explain_hex.c \
	tools/explain_packet.c \
	tools/explain_packet.h \
	tools/explain_print.c \
	tools/export.c \
	tools/export.h \
	tools/export_report.c \
	tools/findings.c \
	tools/findings.h \
	tools/ends.c \
	tools/ends.h \
	tools/growth.c \
	tools/growth.h \
	tools/gzip.c \
	tools/gzip.h \
	tools/hash.c \
	tools/hash.h \
	tools/holes.c \
	tools/holes.h \
	tools/input.c \
	tools/input.h \
	tools/interrupt.c \
	tools/interrupt.h \
	tools/job.h \
	tools/json.c \
	tools/json.h \
	tools/layouts.c \
	tools/layouts.h \
	tools/leaves.c \
	tools/leaves.h \
	tools/mapping.c \
	tools/mapping.h \
	tools/live.c \
	tools/live.h \
	tools/lockstep.c \
	tools/lockstep.h \
	tools/message.c \
	tools/message.h \
	tools/missing.c \
	tools/missing.h \
	tools/mode_names.c \
	tools/mode_names.h \
	tools/modes.c \
	tools/modes.h \
	tools/moments.c \
	tools/moments.h \
	tools/number.cc \
	tools/number.h \
	tools/options.c \
	tools/options.h \
	tools/out_csv.c \
	tools/out_gnuplot.c \
	tools/out_ndjson.c \
	tools/out_recordpy.c \
	tools/outlets.c \
	tools/outlets.h \
	tools/output.h \
	tools/outputs.def \
	tools/pace.c \
	tools/pace.h \
	tools/pairs.c \
	tools/pairs.h \
	tools/privileges.c \
	tools/privileges.h \
	tools/progress.c \
	tools/progress.h \
	tools/rates.c \
	tools/rates.h \
	tools/reader.c \
	tools/reader.h \
	tools/recipe_file.c \
	tools/recipe_file.h \
	tools/recipe_map.c \
	tools/recipe_map.h \
	tools/recipe_write.c \
	tools/recipe_write.h \
	tools/remedy.c \
	tools/remedy.h \
	tools/replay.c \
	tools/replay.h \
	tools/replay_stop.c \
	tools/replay_stop.h \
	tools/row_columns.c \
	tools/row_columns.def \
	tools/row_columns.h \
	tools/sandbox.c \
	tools/sandbox.h \
	tools/select.c \
	tools/select.h \
	tools/shell.c \
	tools/shell.h \
	tools/sink_file.c \
	tools/sink_file.h \
	tools/spread.c \
	tools/spread.h \
	tools/stalls.c \
	tools/stalls.h \
	tools/streams.c \
	tools/streams.h \
	tools/syscalls.def \
	tools/tables.c \
	tools/tables.h \
	tools/text.c \
	tools/text.h \
	tools/utf8.c \
	tools/utf8.h \
	tools/value.h \
	tools/verdict.c \
	tools/verdict.h \
	tools/watches.c \
	tools/watches.h \
	tools/when.c \
	tools/when.h
tools_libtools_a_CPPFLAGS = $(AM_CPPFLAGS) $(DRAGONBOX_CPPFLAGS) $(PCAP_CFLAGS) $(ZLIB_CFLAGS) $(EXPAT_CFLAGS) $(SECCOMP_CFLAGS)

# The manual's table of notes comes from lib/notes.def.
man_MANS += tools/armtap.1
CLEANFILES += tools/armtap.1
note_sources = $(srcdir)/tools/modes.c $(srcdir)/tools/pace.c $(srcdir)/tools/watches.c
tools/armtap.1: tools/armtap.1.in tools/manual-notes lib/notes.def $(note_sources)
	$(AM_V_GEN)$(MKDIR_P) tools && \
	sh $(srcdir)/tools/manual-notes $(srcdir)/tools/armtap.1.in $(srcdir)/lib/notes.def $(note_sources) >$@.new && mv $@.new $@

EXTRA_DIST += \
	tools/README.md \
	tools/armtap.1.in \
	tools/manual-notes
