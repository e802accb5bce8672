bin_PROGRAMS += armtap
armtap_SOURCES = tools/main/main.c
armtap_LDFLAGS = $(AM_LDFLAGS) $(HARDENING_PROGRAM_LDFLAGS)
armtap_LDADD = tools/libtools.a lib/libanalysis.la lib/libinside.la $(PCAP_LIBS) $(ZLIB_LIBS) $(EXPAT_LIBS) $(SECCOMP_LIBS) $(PTHREAD_LIBS) -lm

# Everything except main(), for the unit tests to link.
noinst_LIBRARIES += tools/libtools.a
tools_libtools_a_SOURCES = \
	tools/base/buffer.h \
	tools/base/interrupt.c \
	tools/base/interrupt.h \
	tools/base/json_elements.c \
	tools/base/json_elements.h \
	tools/base/json_writer.c \
	tools/base/json_writer.h \
	tools/base/message.c \
	tools/base/message.h \
	tools/base/number_text.cc \
	tools/base/number_text.h \
	tools/base/privileges.c \
	tools/base/privileges.h \
	tools/base/progress.c \
	tools/base/progress.h \
	tools/base/sandbox.c \
	tools/base/sandbox.h \
	tools/base/syscalls.def \
	tools/base/timestamp.c \
	tools/base/timestamp.h \
	tools/base/utf8.c \
	tools/base/utf8.h \
	tools/base/word_wrap.c \
	tools/base/word_wrap.h \
	tools/input/capture.c \
	tools/input/capture.h \
	tools/input/capture_drops.c \
	tools/input/capture_drops.h \
	tools/input/event_loop.c \
	tools/input/event_loop.h \
	tools/input/file_bytes.c \
	tools/input/file_bytes.h \
	tools/input/file_ends.c \
	tools/input/file_ends.h \
	tools/input/file_growth.c \
	tools/input/file_growth.h \
	tools/input/file_order.c \
	tools/input/file_order.h \
	tools/input/file_reader.c \
	tools/input/file_reader.h \
	tools/input/input_files.c \
	tools/input/input_files.h \
	tools/input/pcapng_blocks.c \
	tools/input/pcapng_blocks.h \
	tools/input/read_ahead.c \
	tools/input/read_ahead.h \
	tools/input/recipe_file.c \
	tools/input/recipe_file.h \
	tools/input/replay.c \
	tools/input/replay.h \
	tools/input/replay_side_by_side.c \
	tools/input/replay_side_by_side.h \
	tools/input/replay_stop.c \
	tools/input/replay_stop.h \
	tools/input/section_comment.c \
	tools/input/section_comment.h \
	tools/input/shell_command.c \
	tools/input/shell_command.h \
	tools/input/synthetic_tcp.c \
	tools/input/synthetic_tcp.h \
	tools/input/tcp_socket.c \
	tools/input/tcp_socket.h \
	tools/command_line/commands.def \
	tools/command_line/commands.h \
	tools/command_line/no_telemetry.c \
	tools/command_line/no_telemetry.h \
	tools/command_line/options.c \
	tools/command_line/options.h \
	tools/command_line/remedy.c \
	tools/command_line/remedy.h \
	tools/export/atomic_file.c \
	tools/export/atomic_file.h \
	tools/export/check_request.c \
	tools/export/cmd_export.c \
	tools/export/columns.c \
	tools/export/columns.h \
	tools/export/export.c \
	tools/export/export.h \
	tools/export/export_job.c \
	tools/export/export_job.h \
	tools/export/export_report.c \
	tools/export/field_selection.c \
	tools/export/field_selection.h \
	tools/export/format.h \
	tools/export/format_csv.c \
	tools/export/format_gnuplot.c \
	tools/export/format_ndjson.c \
	tools/export/format_recordpy.c \
	tools/export/format_threads.c \
	tools/export/format_threads.h \
	tools/export/formats.c \
	tools/export/formats.def \
	tools/export/formats.h \
	tools/export/gzip_text.c \
	tools/export/gzip_text.h \
	tools/export/line_cells.c \
	tools/export/line_cells.h \
	tools/export/live_numbering.c \
	tools/export/live_numbering.h \
	tools/export/missing_data.c \
	tools/export/missing_data.h \
	tools/export/mode_names.c \
	tools/export/mode_names.h \
	tools/export/output_allowance.c \
	tools/export/output_allowance.h \
	tools/export/output_files.c \
	tools/export/output_files.h \
	tools/export/row_columns.c \
	tools/export/row_columns.def \
	tools/export/row_columns.h \
	tools/export/table_columns.c \
	tools/export/table_columns.h \
	tools/export/tables.c \
	tools/export/tables.h \
	tools/export/target.c \
	tools/export/target.h \
	tools/serve/legacy_layout.c \
	tools/serve/legacy_layout.h \
	tools/serve/script_text.c \
	tools/serve/script_text.h \
	tools/recipe/cmd_recipe.c \
	tools/recipe/column_ranges.c \
	tools/recipe/column_ranges.h \
	tools/recipe/migration_map.c \
	tools/recipe/migration_map.h \
	tools/recipe/recipe_from_capture.c \
	tools/recipe/recipe_from_capture.h \
	tools/recipe/recipe_write.c \
	tools/recipe/recipe_write.h \
	tools/record/capture_file.c \
	tools/record/capture_file.h \
	tools/explain/annotate.c \
	tools/explain/annotate.h \
	tools/explain/cmd_explain.c \
	tools/explain/explain.h \
	tools/explain/from_capture.c \
	tools/explain/from_capture.h \
	tools/explain/from_hex.c \
	tools/explain/pieces.c \
	tools/explain/pieces.h \
	tools/explain/primary.c \
	tools/explain/primary.h \
	tools/explain/report.c \
	tools/diagnose/cmd_diagnose.c \
	tools/diagnose/diagnosis.c \
	tools/diagnose/diagnosis.h \
	tools/diagnose/live_findings.c \
	tools/diagnose/live_findings.h \
	tools/diagnose/report_json.c \
	tools/diagnose/report_text.c \
	tools/diagnose/verdicts.c \
	tools/compare/choose_streams.c \
	tools/compare/choose_streams.h \
	tools/compare/cmd_compare.c \
	tools/compare/report.c \
	tools/compare/report.h \
	tools/info/cmd_info.c \
	tools/info/info.h \
	tools/info/report_json.c \
	tools/info/report_text.c \
	tools/info/stream_numbers.c \
	tools/fields/cmd_fields.c
tools_libtools_a_CPPFLAGS = $(AM_CPPFLAGS) $(DRAGONBOX_CPPFLAGS) $(PCAP_CFLAGS) $(ZLIB_CFLAGS) $(EXPAT_CFLAGS) $(SECCOMP_CFLAGS)

# The manual's table of notes comes from lib/notes.def, its formats from tools/export/formats.def.
man_MANS += tools/armtap.1
CLEANFILES += tools/armtap.1
tools/armtap.1: tools/manual/armtap.1.in tools/manual/manual-notes tools/manual/manual-formats lib/notes.def tools/export/formats.def
	$(AM_V_GEN)$(MKDIR_P) tools && \
	sh $(srcdir)/tools/manual/manual-formats $(srcdir)/tools/manual/armtap.1.in $(srcdir)/tools/export/formats.def | \
	sh $(srcdir)/tools/manual/manual-notes - $(srcdir)/lib/notes.def >$@.new && mv $@.new $@

EXTRA_DIST += \
	tools/README.md \
	tools/base/README.md \
	tools/input/README.md \
	tools/command_line/README.md \
	tools/export/README.md \
	tools/recipe/README.md \
	tools/record/README.md \
	tools/explain/README.md \
	tools/diagnose/README.md \
	tools/compare/README.md \
	tools/info/README.md \
	tools/fields/README.md \
	tools/main/README.md \
	tools/manual/armtap.1.in \
	tools/manual/manual-formats \
	tools/manual/manual-notes
