# The libraries that the program needs, and what its sources need to include their headers.
FOREIGN_LIBS = $(PCAP_LIBS) $(ZLIB_LIBS) $(EXPAT_LIBS) $(MD_LIBS) $(OPTIONAL_LIBS) $(PTHREAD_LIBS) -lm
TOOLS_LIBS = tools/libtools.a lib/libcapture.la lib/libanalysis.la lib/libinside.la $(SECCOMP_LIBS) $(FOREIGN_LIBS)
TOOLS_CFLAGS = $(PCAP_CFLAGS) $(ZLIB_CFLAGS) $(EXPAT_CFLAGS) $(MD_CFLAGS) $(OPTIONAL_CFLAGS)

bin_PROGRAMS += armtap
armtap_SOURCES = tools/main/main.c
armtap_LDFLAGS = $(AM_LDFLAGS) $(HARDENING_PROGRAM_LDFLAGS)
armtap_LDADD = $(TOOLS_LIBS)

# Everything except main(), for the unit tests to link.
noinst_LIBRARIES += tools/libtools.a
tools_libtools_a_SOURCES = \
	tools/base/bytes/checksum.c \
	tools/base/bytes/checksum.h \
	tools/base/bytes/compression.c \
	tools/base/bytes/compression.h \
	tools/base/bytes/packer.c \
	tools/base/bytes/spool.c \
	tools/base/bytes/spool.h \
	tools/base/numbers/byte_order.h \
	tools/base/numbers/number_digits.h \
	tools/base/numbers/number_lanes.h \
	tools/base/numbers/number_text.cc \
	tools/base/numbers/number_text.h \
	tools/base/numbers/timestamp.c \
	tools/base/numbers/timestamp.h \
	tools/base/process/interrupt.c \
	tools/base/process/interrupt.h \
	tools/base/process/libraries.c \
	tools/base/process/libraries.def \
	tools/base/process/libraries.h \
	tools/base/process/message.c \
	tools/base/process/message.h \
	tools/base/process/privileges.c \
	tools/base/process/privileges.h \
	tools/base/process/sandbox.c \
	tools/base/process/syscalls.def \
	tools/base/terminal/fold.c \
	tools/base/terminal/fold.h \
	tools/base/terminal/pager.c \
	tools/base/terminal/pager.h \
	tools/base/terminal/paint.c \
	tools/base/terminal/progress.c \
	tools/base/terminal/progress.h \
	tools/base/terminal/word_wrap.c \
	tools/base/terminal/word_wrap.h \
	tools/base/text/base64.c \
	tools/base/text/base64.h \
	tools/base/text/buffer.h \
	tools/base/text/comma_list.c \
	tools/base/text/comma_list.h \
	tools/base/text/field_bits.c \
	tools/base/text/field_bits.h \
	tools/base/text/json_reader.c \
	tools/base/text/json_reader.h \
	tools/base/text/json_writer.c \
	tools/base/text/json_writer.h \
	tools/base/text/names_apart.c \
	tools/base/text/nearest_word.c \
	tools/base/text/names_apart.h \
	tools/base/text/nearest_word.h \
	tools/base/text/shell_word.c \
	tools/base/text/shell_word.h \
	tools/base/text/utf8.c \
	tools/base/text/utf8.h \
	tools/input/shell_command.c \
	tools/input/shell_command.h \
	tools/input/stream_kinds.c \
	tools/input/stream_kinds.h \
	tools/input/stream_rank.c \
	tools/input/stream_rank.h \
	tools/input/capture/capture.c \
	tools/input/capture/capture.h \
	tools/input/capture/file_kind.c \
	tools/input/capture/file_kind.h \
	tools/input/capture/file_kinds.def \
	tools/input/files/file_bytes.c \
	tools/input/files/file_bytes.h \
	tools/input/files/file_growth.c \
	tools/input/files/file_reader.c \
	tools/input/files/file_reader.h \
	tools/input/files/input_files.c \
	tools/input/files/input_files.h \
	tools/input/files/recipe_file.c \
	tools/input/files/recipe_file.h \
	tools/input/replay/file_order.c \
	tools/input/replay/raw_kind.c \
	tools/input/replay/raw_kind.h \
	tools/input/replay/missing_file.c \
	tools/input/replay/read_archive.c \
	tools/input/replay/read_by_time.c \
	tools/input/replay/read_dump.c \
	tools/input/replay/read_file.c \
	tools/input/replay/read_interface.c \
	tools/input/replay/read_packets.c \
	tools/input/replay/read_robots.c \
	tools/input/replay/record_binary.c \
	tools/input/replay/replay.c \
	tools/input/replay/replay.h \
	tools/input/replay/run.c \
	tools/input/replay/run.h \
	tools/input/replay/sink_answers.c \
	tools/input/replay/source.c \
	tools/input/robots/event_loop.c \
	tools/input/robots/event_loop.h \
	tools/input/robots/labels.c \
	tools/input/robots/labels.h \
	tools/input/robots/ring.c \
	tools/input/robots/ring.h \
	tools/input/robots/robot_address.c \
	tools/input/robots/robot_guess.c \
	tools/input/robots/robot_capture.c \
	tools/input/robots/robot_event.c \
	tools/input/robots/robot_event.h \
	tools/input/robots/robot_link.c \
	tools/input/robots/robot_link.h \
	tools/input/robots/robot_reader.c \
	tools/input/robots/robot_traffic.c \
	tools/input/robots/robot_traffic.h \
	tools/input/robots/setup_keeper.c \
	tools/input/robots/synthetic_tcp.c \
	tools/input/robots/synthetic_tcp.h \
	tools/input/robots/tcp_socket.c \
	tools/input/robots/tcp_socket.h \
	tools/input/sidecars/archive.c \
	tools/input/sidecars/sidecar.c \
	tools/input/sidecars/sidecar.h \
	tools/command_line/commands.def \
	tools/command_line/comments.c \
	tools/command_line/commands.h \
	tools/command_line/completion.c \
	tools/command_line/model_names.c \
	tools/command_line/no_telemetry.c \
	tools/command_line/range_text.c \
	tools/command_line/shared_text.h \
	tools/command_line/option_help.c \
	tools/command_line/option_rows.c \
	tools/command_line/option_rules.c \
	tools/command_line/option_values.c \
	tools/command_line/options.c \
	tools/command_line/options.def \
	tools/command_line/options.h \
	tools/command_line/remedy.c \
	tools/command_line/robot_request.c \
	tools/mcap/chunk.c \
	tools/mcap/file.c \
	tools/mcap/mcap.h \
	tools/mcap/record.c \
	tools/mcap/record.h \
	tools/arrow/arrow.h \
	tools/arrow/batch.c \
	tools/arrow/field.h \
	tools/arrow/file.c \
	tools/arrow/flatbuffer.c \
	tools/arrow/flatbuffer.h \
	tools/arrow/schema.c \
	tools/arrow/types.def \
	tools/columns/file.c \
	tools/columns/pieces.c \
	tools/columns/table.c \
	tools/columns/table.h \
	tools/matlab/block.c \
	tools/matlab/classes.def \
	tools/matlab/content.h \
	tools/matlab/file.c \
	tools/matlab/hdf5.c \
	tools/matlab/hdf5_names.def \
	tools/matlab/matlab.h \
	tools/matlab/store.c \
	tools/matlab/store.h \
	tools/matlab/texts.c \
	tools/matlab/types.def \
	tools/matlab/v5.c \
	tools/npz/file.c \
	tools/npz/npy.c \
	tools/npz/npy.h \
	tools/npz/npz.h \
	tools/npz/types.def \
	tools/npz/zip.c \
	tools/npz/zip.h \
	tools/parquet/file.c \
	tools/parquet/footer.c \
	tools/parquet/footer.h \
	tools/parquet/page.c \
	tools/parquet/page.h \
	tools/parquet/parquet.h \
	tools/parquet/thrift.c \
	tools/parquet/thrift.h \
	tools/parquet/thrift_read.c \
	tools/parquet/types.def \
	tools/ros/cdr.c \
	tools/ros/cdr.h \
	tools/ros/inputs.def \
	tools/ros/messages.c \
	tools/ros/ros.h \
	tools/ros/schemas.c \
	tools/ros/schemas.def \
	tools/ros/topics.def \
	tools/export/changes.c \
	tools/export/changes.h \
	tools/export/check_options.c \
	tools/export/check_data.c \
	tools/export/cmd_export.c \
	tools/export/format_commands.c \
	tools/export/export.c \
	tools/export/export.h \
	tools/export/grid.c \
	tools/export/grid_union.c \
	tools/export/grid_union.h \
	tools/export/rows/grid_axis.c \
	tools/export/rows/grid_axis.h \
	tools/export/write_commands.c \
	tools/export/job.c \
	tools/export/job.h \
	tools/export/report_missing.c \
	tools/export/write_rows.c \
	tools/export/sinks.c \
	tools/export/choose_tables.c \
	tools/export/choose_columns.c \
	tools/export/remarks.c \
	tools/export/remarks.h \
	tools/export/files/atomic_file.c \
	tools/export/files/atomic_file.h \
	tools/export/files/bag.c \
	tools/export/files/bag.h \
	tools/export/files/gzip_text.c \
	tools/export/files/gzip_text.h \
	tools/export/files/manifest.c \
	tools/export/files/output_files.c \
	tools/export/files/output_files.h \
	tools/export/files/partial_file.c \
	tools/export/files/partition.c \
	tools/export/files/partition.h \
	tools/export/files/provenance.c \
	tools/export/formats/column_target.c \
	tools/export/formats/column_target.h \
	tools/export/formats/columns.c \
	tools/export/formats/format.h \
	tools/export/formats/format_arrow.c \
	tools/export/formats/format_csv.c \
	tools/export/formats/format_gnuplot.c \
	tools/export/formats/format_matlab.c \
	tools/export/formats/format_ndjson.c \
	tools/export/formats/format_npz.c \
	tools/export/formats/format_parquet.c \
	tools/export/formats/format_threads.c \
	tools/export/formats/formats.c \
	tools/export/formats/formats.def \
	tools/export/formats/formats.h \
	tools/export/formats/json_rows.c \
	tools/export/formats/line_cells.c \
	tools/export/formats/line_cells.h \
	tools/export/formats/row_above.c \
	tools/export/formats/row_above.h \
	tools/export/formats/target.c \
	tools/export/formats/target.h \
	tools/export/lanes.c \
	tools/export/messages/format_mcap.c \
	tools/export/messages/mcap_channels.c \
	tools/export/messages/mcap_json.c \
	tools/export/messages/mcap_messages.c \
	tools/export/messages/mcap_messages.h \
	tools/export/messages/mcap_output.h \
	tools/export/messages/mcap_ros2.c \
	tools/export/messages/mcap_schemas.c \
	tools/export/messages/ros_rows.c \
	tools/export/messages/ros_rows.h \
	tools/export/rows/field_notes.c \
	tools/export/rows/field_notes.h \
	tools/export/rows/field_selection.c \
	tools/export/rows/field_selection.h \
	tools/export/rows/live_numbering.c \
	tools/export/rows/gaps.c \
	tools/export/rows/gaps.h \
	tools/export/rows/missing_data.c \
	tools/export/rows/missing_data.h \
	tools/export/rows/mode_names.c \
	tools/export/rows/output_allowance.c \
	tools/export/rows/output_allowance.h \
	tools/export/rows/robot_clock.c \
	tools/export/rows/robot_clock.h \
	tools/export/rows/row_columns.c \
	tools/export/rows/row_columns.def \
	tools/export/rows/row_columns.h \
	tools/export/rows/table_columns.c \
	tools/export/rows/tables.c \
	tools/export/rows/tables.h \
	tools/serve/cmd_serve.c \
	tools/serve/serve_options.c \
	tools/serve/serve_options.h \
	tools/serve/bridge/bridge.c \
	tools/serve/bridge/bridge.h \
	tools/serve/bridge/legacy_layout.c \
	tools/serve/bridge/legacy_layout.h \
	tools/serve/bridge/legacy_report.c \
	tools/serve/bridge/script_forwarder.c \
	tools/serve/playing/player.c \
	tools/serve/playing/tick_maker.c \
	tools/serve/playing/timeline.c \
	tools/serve/playing/timeline.h \
	tools/serve/ports/clients.c \
	tools/serve/ports/clients.h \
	tools/serve/ports/ports.c \
	tools/serve/recording/dashboard_talk.c \
	tools/serve/recording/far_times.h \
	tools/serve/recording/fill.c \
	tools/serve/recording/other_ports.c \
	tools/serve/recording/other_ports.h \
	tools/serve/recording/presence.c \
	tools/serve/recording/presence.h \
	tools/serve/recording/primary_stream.c \
	tools/serve/recording/recorded_ports.c \
	tools/serve/recording/recording.c \
	tools/serve/recording/recording.h \
	tools/serve/recording/robot_view.c \
	tools/serve/recording/variables.c \
	tools/serve/recording/variables.h \
	tools/serve/robot/controller_release.c \
	tools/serve/robot/dashboard_stub.c \
	tools/serve/robot/field_watch.c \
	tools/serve/robot/latest.c \
	tools/serve/robot/primary_message.c \
	tools/serve/robot/primary_server.c \
	tools/serve/robot/realtime_server.c \
	tools/serve/robot/rtde_peer.h \
	tools/serve/robot/rtde_peer.c \
	tools/serve/robot/rtde_server.c \
	tools/serve/robot/servers.h \
	tools/serve/robot/rtde_setup.c \
	tools/serve/robot/script_text.c \
	tools/serve/robot/script_text.h \
	tools/serve/robot/server.h \
	tools/recipe/cmd_recipe.c \
	tools/recipe/column_ranges.c \
	tools/recipe/migration_map.c \
	tools/recipe/recipe_from_capture.c \
	tools/recipe/recipe.h \
	tools/recipe/recipe_write.c \
	tools/proxy/cmd_proxy.c \
	tools/proxy/proxy_pair.c \
	tools/proxy/proxy_pair.h \
	tools/proxy/traffic_writer.c \
	tools/record/amount.c \
	tools/record/amount.h \
	tools/record/capture_file.c \
	tools/record/capture_series.c \
	tools/record/capture_series.h \
	tools/record/cmd_record.c \
	tools/record/kept_parts.c \
	tools/record/part_name.c \
	tools/record/rotation.h \
	tools/explain/cmd_explain.c \
	tools/explain/explain.h \
	tools/explain/from_capture.c \
	tools/explain/from_hex.c \
	tools/explain/hex_dump.c \
	tools/explain/hex_frame.c \
	tools/explain/hex_list.c \
	tools/explain/hex_quoted.c \
	tools/explain/hex_text.c \
	tools/explain/hex_text.h \
	tools/explain/icmp.c \
	tools/explain/icmp.h \
	tools/explain/pieces.c \
	tools/explain/pieces.h \
	tools/explain/report.c \
	tools/diagnose/alike.c \
	tools/diagnose/cell_text.c \
	tools/diagnose/cmd_diagnose.c \
	tools/diagnose/companions.c \
	tools/diagnose/diagnosis.c \
	tools/diagnose/diagnosis.h \
	tools/diagnose/live_findings.c \
	tools/diagnose/report_json.c \
	tools/diagnose/report_text.c \
	tools/diagnose/stop_table.c \
	tools/diagnose/summary.c \
	tools/diagnose/incidents.c \
	tools/html/html.c \
	tools/html/html.h \
	tools/plot/canvas.h \
	tools/plot/cairo_names.def \
	tools/plot/canvas_cairo.c \
	tools/plot/canvas_svg.c \
	tools/plot/chart.c \
	tools/plot/chart.h \
	tools/plot/cmd_plot.c \
	tools/plot/draw.c \
	tools/plot/draw.h \
	tools/plot/kinds.c \
	tools/plot/kinds.def \
	tools/plot/kinds.h \
	tools/plot/page.c \
	tools/plot/plot_reading.c \
	tools/plot/plot_reading.h \
	tools/plot/series.c \
	tools/plot/terminal_pictures.c \
	tools/plot/terminal.c \
	tools/plot/terminal.h \
	tools/plot/thinning.c \
	tools/plot/ticks.c \
	tools/plot/usual_panels.def \
	tools/report/cmd_report.c \
	tools/report/findings.c \
	tools/report/sections.h \
	tools/report/streams.c \
	tools/stats/cmd_stats.c \
	tools/stats/report.c \
	tools/stats/stats.h \
	tools/stats/sums.c \
	tools/compare/choose_streams.c \
	tools/compare/compare.h \
	tools/compare/cmd_compare.c \
	tools/compare/report.c \
	tools/compare/side_by_side.c \
	tools/index/cmd_index.c \
	tools/infer/cmd_infer.c \
	tools/infer/infer.h \
	tools/infer/report.c \
	tools/merge/cmd_merge.c \
	tools/merge/diagnoses.c \
	tools/merge/facts.c \
	tools/merge/infos.c \
	tools/merge/streams.c \
	tools/merge/summaries.c \
	tools/merge/summaries.h \
	tools/merge/values.c \
	tools/merge/values.h \
	tools/info/cmd_info.c \
	tools/info/info.h \
	tools/info/report_json.c \
	tools/info/report_text.c \
	tools/info/part.c \
	tools/info/stream_numbers.c \
	tools/dissector/cmd_dissector.c \
	tools/dissector/dissector.h \
	tools/dissector/tables.c \
	tools/manual/pages.c \
	tools/manual/pages.h \
	tools/kaitai/kaitai.h \
	tools/kaitai/ksy.c \
	tools/kaitai/primary.c \
	tools/kaitai/primary_states.c \
	tools/kaitai/realtime.c \
	tools/kaitai/rtde.c \
	tools/fields/cmd_fields.c \
	tools/fields/robot_errors.c \
	tools/fields/robot_errors.h \
	tools/fields/wire_names.c \
	tools/fields/wire_names.def \
	tools/fields/wire_names.h
tools_libtools_a_SOURCES += generated/pages.c
nodist_tools_libtools_a_SOURCES = generated/embedded.c generated/dissector.c
DISSECTOR_LUA = \
	$(srcdir)/tools/dissector/common.lua \
	$(srcdir)/tools/dissector/watch.lua \
	$(srcdir)/tools/dissector/realtime.lua \
	$(srcdir)/tools/dissector/rtde.lua \
	$(srcdir)/tools/dissector/primary.lua \
	$(srcdir)/tools/dissector/dashboard.lua \
	$(srcdir)/tools/dissector/control.lua \
	$(srcdir)/tools/dissector/json.lua \
	$(srcdir)/tools/dissector/aubo.lua
CLEANFILES += generated/dissector.c
generated/dissector.c: tools/dissector/embed $(DISSECTOR_LUA)
	$(AM_V_GEN)$(MKDIR_P) generated && sh $(srcdir)/tools/dissector/embed $(DISSECTOR_LUA) >$@.new && mv $@.new $@
# A function for MATLAB and Octave.
matlabdir = $(pkgdatadir)/matlab
dist_matlab_DATA = tools/matlab/armtap_read.m
if INSTALL_DISSECTOR
wireshark_DATA = generated/armtap.lua
endif
CLEANFILES += generated/armtap.lua
generated/armtap.lua: armtap$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) generated && ./armtap$(EXEEXT) dissector >$@.new && mv $@.new $@
CLEANFILES += generated/embedded.c
generated/embedded.c: tools/html/embed tools/html/viewer.js tools/html/style.css
	$(AM_V_GEN)$(MKDIR_P) generated && sh $(srcdir)/tools/html/embed $(srcdir)/tools/html/viewer.js $(srcdir)/tools/html/style.css >$@.new && mv $@.new $@

tools_libtools_a_CPPFLAGS = $(AM_CPPFLAGS) $(DRAGONBOX_CPPFLAGS) $(TOOLS_CFLAGS) $(SECCOMP_CFLAGS)

# The pages: what the tables know is put into their sources. `make install` installs them, and the program has them, rendered
# and packed; a tarball has those, so that it needs neither mandoc nor groff.
PAGES = \
	generated/armtap.1 \
	generated/armtap-info.1 \
	generated/armtap-diagnose.1 \
	generated/armtap-stats.1 \
	generated/armtap-compare.1 \
	generated/armtap-export.1 \
	generated/armtap-plot.1 \
	generated/armtap-report.1 \
	generated/armtap-dissector.1 \
	generated/armtap-fields.1 \
	generated/armtap-recipe.1 \
	generated/armtap-infer.1 \
	generated/armtap-record.1 \
	generated/armtap-proxy.1 \
	generated/armtap-index.1 \
	generated/armtap-merge.1 \
	generated/armtap-explain.1 \
	generated/armtap-serve.1 \
	generated/armtap-findings.7 \
	generated/armtap-formats.7 \
	generated/armtap-sources.7
PAGES_IN = \
	tools/manual/armtap.1.in \
	tools/info/armtap-info.1.in \
	tools/diagnose/armtap-diagnose.1.in \
	tools/stats/armtap-stats.1.in \
	tools/compare/armtap-compare.1.in \
	tools/export/armtap-export.1.in \
	tools/plot/armtap-plot.1.in \
	tools/report/armtap-report.1.in \
	tools/dissector/armtap-dissector.1.in \
	tools/fields/armtap-fields.1.in \
	tools/recipe/armtap-recipe.1.in \
	tools/infer/armtap-infer.1.in \
	tools/record/armtap-record.1.in \
	tools/proxy/armtap-proxy.1.in \
	tools/index/armtap-index.1.in \
	tools/merge/armtap-merge.1.in \
	tools/explain/armtap-explain.1.in \
	tools/serve/armtap-serve.1.in \
	tools/manual/armtap-findings.7.in \
	tools/manual/armtap-formats.7.in \
	tools/manual/armtap-sources.7.in
PAGE_TABLES = \
	tools/manual/page \
	tools/command_line/commands.def \
	tools/command_line/options.def \
	tools/export/formats/formats.def \
	tools/export/rows/row_columns.def \
	decoders/decoders.def \
	lib/protocol/findings.def
man_MANS += $(PAGES)
CLEANFILES += $(PAGES)
$(PAGES): $(PAGES_IN) $(PAGE_TABLES)
	$(AM_V_GEN)$(MKDIR_P) generated && sh $(srcdir)/tools/manual/page $(srcdir) $(@F) >$@.new && mv $@.new $@
MAINTAINERCLEANFILES = generated/pages.c
generated/pages.c: tools/manual/embed $(PAGES_IN) $(PAGE_TABLES)
	$(AM_V_GEN)$(MKDIR_P) generated && \
	MANDOC='$(MANDOC)' GROFF='$(GROFF)' sh $(srcdir)/tools/manual/embed $(srcdir) $(PAGES) >$@.new && mv $@.new $@

if INSTALL_bash_COMPLETION
bashcompletion_DATA = tools/completions/bash/armtap
endif
if INSTALL_zsh_COMPLETION
zshcompletion_DATA = tools/completions/zsh/_armtap
endif
if INSTALL_fish_COMPLETION
fishcompletion_DATA = tools/completions/fish/armtap.fish
endif

EXTRA_DIST += \
	tools/README.md \
	tools/completions/README.md \
	tools/completions/bash/armtap \
	tools/completions/zsh/_armtap \
	tools/completions/fish/armtap.fish \
	tools/base/README.md \
	tools/input/README.md \
	tools/command_line/README.md \
	tools/mcap/README.md \
	tools/columns/README.md \
	tools/matlab/README.md \
	tools/arrow/README.md \
	tools/npz/README.md \
	tools/parquet/README.md \
	tools/ros/README.md \
	tools/export/README.md \
	tools/recipe/README.md \
	tools/proxy/README.md \
	tools/record/README.md \
	tools/explain/README.md \
	tools/diagnose/README.md \
	tools/compare/README.md \
	tools/stats/README.md \
	tools/plot/README.md \
	$(DISSECTOR_LUA) \
	tools/dissector/README.md \
	tools/dissector/embed \
	tools/html/README.md \
	tools/html/embed \
	tools/html/style.css \
	tools/html/viewer.js \
	tools/report/README.md \
	tools/index/README.md \
	tools/infer/README.md \
	tools/info/README.md \
	tools/merge/README.md \
	tools/fields/README.md \
	tools/kaitai/README.md \
	tools/serve/README.md \
	tools/main/README.md \
	$(PAGES_IN) \
	tools/manual/README.md \
	tools/manual/embed \
	tools/manual/page
