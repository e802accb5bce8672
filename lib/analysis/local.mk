# libarmtap-analysis, built like libarmtap: compiled once, and linked whole inside the build.
noinst_LTLIBRARIES += lib/libanalysis.la
lib_libanalysis_la_SOURCES = \
	lib/analysis/armtap-analysis.h \
	lib/analysis/clock_drift.c \
	lib/analysis/commands.h \
	lib/analysis/comparison.c \
	lib/analysis/comparison.h \
	lib/analysis/detectors.h \
	lib/analysis/diagnosis.c \
	lib/analysis/difference.c \
	lib/analysis/difference.h \
	lib/analysis/driver_commands.c \
	lib/analysis/failed_attempts.c \
	lib/analysis/field_differences.c \
	lib/analysis/findings.c \
	lib/analysis/findings.h \
	lib/analysis/flow_rate.c \
	lib/analysis/flow_rate.h \
	lib/analysis/hash.c \
	lib/analysis/histogram.c \
	lib/analysis/inference.c \
	lib/analysis/inference.h \
	lib/analysis/inference_columns.c \
	lib/analysis/inference_fields.c \
	lib/analysis/inference_fields.def \
	lib/analysis/inference_noise.c \
	lib/analysis/inference_pairs.c \
	lib/analysis/inference_relations.c \
	lib/analysis/inference_sample.c \
	lib/analysis/inference_tiling.c \
	lib/analysis/input_holders.c \
	lib/analysis/inside.h \
	lib/analysis/judge/incident_text.c \
	lib/analysis/judge/judge.c \
	lib/analysis/judge/judge.h \
	lib/analysis/judge/rules.c \
	lib/analysis/kinematics.c \
	lib/analysis/kinematics.h \
	lib/analysis/missing_records.c \
	lib/analysis/mode_timeline.c \
	lib/analysis/mode_timeline.h \
	lib/analysis/numbers.c \
	lib/analysis/numbers.h \
	lib/analysis/recipe_map.c \
	lib/analysis/record_pairing.c \
	lib/analysis/robot_commands.c \
	lib/analysis/robot_model.c \
	lib/analysis/robot_models.def \
	lib/analysis/safety_state.c \
	lib/analysis/safety_words.def \
	lib/analysis/stop_window.c \
	lib/analysis/stream_entry.c \
	lib/analysis/stream_list.c \
	lib/analysis/stream_list.h \
	lib/analysis/stream_monitor.c \
	lib/analysis/stream_monitor.h \
	lib/analysis/stream_rates.c \
	lib/analysis/unanswered_requests.c \
	lib/analysis/usual_motions.c \
	lib/analysis/waiting_arrivals.c \
	lib/analysis/window_stalls.c

armtapinclude_HEADERS += lib/analysis/armtap-analysis.h

lib_LTLIBRARIES += lib/libarmtap-analysis.la
lib_libarmtap_analysis_la_SOURCES =
lib_libarmtap_analysis_la_LIBADD = lib/libanalysis.la lib/libwords.la lib/libarmtap.la -lm
lib_libarmtap_analysis_la_LDFLAGS = $(AM_LDFLAGS) -no-undefined -version-info 0:0:0

pkgconfig_DATA += lib/analysis/armtap-analysis.pc

man_MANS += lib/libarmtap-analysis.3
CLEANFILES += lib/libarmtap-analysis.3
lib/libarmtap-analysis.3: lib/analysis/libarmtap-analysis.3.in lib/manual-types lib/analysis/armtap-analysis.h
	$(AM_V_GEN)$(MKDIR_P) lib && \
	sh $(srcdir)/lib/manual-types $(srcdir)/lib/analysis/libarmtap-analysis.3.in $(srcdir)/lib/analysis/armtap-analysis.h >$@.new && mv $@.new $@

EXTRA_DIST += \
	lib/analysis/README.md \
	lib/analysis/libarmtap-analysis.3.in
