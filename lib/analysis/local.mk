# libarmtap-analysis, built like libarmtap: compiled once, and linked whole inside the build.
noinst_LTLIBRARIES += lib/libanalysis.la
lib_libanalysis_la_SOURCES = \
	lib/analysis/armtap-analysis.h \
	lib/analysis/facts/clock_drift.c \
	lib/analysis/facts/commands.h \
	lib/analysis/arm/comparison.c \
	lib/analysis/arm/comparison.h \
	lib/analysis/facts/detectors.h \
	lib/analysis/diagnosis.c \
	lib/analysis/arm/difference.c \
	lib/analysis/arm/difference.h \
	lib/analysis/facts/driver_commands.c \
	lib/analysis/facts/failed_attempts.c \
	lib/analysis/arm/field_differences.c \
	lib/analysis/facts/findings.c \
	lib/analysis/facts/findings.h \
	lib/analysis/facts/flow_rate.c \
	lib/analysis/arm/following.c \
	lib/analysis/facts/flow_rate.h \
	lib/analysis/hash.c \
	lib/analysis/facts/histogram.c \
	lib/analysis/names/inference.c \
	lib/analysis/names/inference.h \
	lib/analysis/names/inference_noise.c \
	lib/analysis/names/inference_pairs.c \
	lib/analysis/names/inference_poses.c \
	lib/analysis/names/inference_sample.c \
	lib/analysis/names/inference_tiling.c \
	lib/analysis/names/inference_verdict.c \
	lib/analysis/facts/input_holders.c \
	lib/analysis/inside.h \
	lib/analysis/judge/incident_text.c \
	lib/analysis/judge/judge.c \
	lib/analysis/judge/judge.h \
	lib/analysis/judge/rules.c \
	lib/analysis/judge/rules.def \
	lib/analysis/arm/kinematics.c \
	lib/analysis/arm/kinematics.h \
	lib/analysis/facts/missing_records.c \
	lib/analysis/facts/mode_timeline.c \
	lib/analysis/facts/mode_timeline.h \
	lib/analysis/numbers.c \
	lib/analysis/numbers.h \
	lib/analysis/recipe_map.c \
	lib/analysis/robot_changes.c \
	lib/analysis/robot_changes.h \
	lib/analysis/arm/record_pairing.c \
	lib/analysis/arm/repeats.c \
	lib/analysis/arm/watch.h \
	lib/analysis/facts/robot_commands.c \
	lib/analysis/arm/robot_model.c \
	lib/analysis/arm/robot_models.def \
	lib/analysis/facts/safety_state.c \
	lib/analysis/facts/safety_words.def \
	lib/analysis/facts/stop_window.c \
	lib/analysis/stream_entry.c \
	lib/analysis/stream_list.c \
	lib/analysis/stream_list.h \
	lib/analysis/facts/stream_monitor.c \
	lib/analysis/facts/stream_monitor.h \
	lib/analysis/facts/stream_rates.c \
	lib/analysis/facts/unanswered_requests.c \
	lib/analysis/facts/usual_motions.c \
	lib/analysis/facts/waiting_arrivals.c \
	lib/analysis/facts/window_stalls.c

armtapinclude_HEADERS += lib/analysis/armtap-analysis.h

lib_LTLIBRARIES += lib/libarmtap-analysis.la
lib_libarmtap_analysis_la_SOURCES =
lib_libarmtap_analysis_la_LIBADD = lib/libanalysis.la lib/libwords.la lib/libevidence.la lib/libarmtap.la -lm
lib_libarmtap_analysis_la_LDFLAGS = $(AM_LDFLAGS) $(LIBRARY_LDFLAGS)
if WINDOWS
EXTRA_lib_libarmtap_analysis_la_DEPENDENCIES = lib/libarmtap-analysis.def
endif

pkgconfig_DATA += lib/analysis/armtap-analysis.pc

man_MANS += lib/libarmtap-analysis.3
CLEANFILES += lib/libarmtap-analysis.3
lib/libarmtap-analysis.3: lib/analysis/libarmtap-analysis.3.in lib/manual-types lib/analysis/armtap-analysis.h
	$(AM_V_GEN)$(MKDIR_P) lib && \
	sh $(srcdir)/lib/manual-types $(srcdir)/lib/analysis/libarmtap-analysis.3.in $(srcdir)/lib/analysis/armtap-analysis.h >$@.new && mv $@.new $@

EXTRA_DIST += \
	lib/analysis/README.md \
	lib/analysis/libarmtap-analysis.3.in
