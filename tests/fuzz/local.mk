# The corpus of the fuzz targets, replayed without a fuzzer. A target is a line in targets.def and here.
check_PROGRAMS += tests/fuzz/replay
TESTS += tests/fuzz/replay
tests_fuzz_replay_SOURCES = \
	tests/fuzz/amplify.c \
	tests/fuzz/amplify_program.c \
	tests/fuzz/capture.c \
	tests/fuzz/change.c \
	tests/fuzz/client.c \
	tests/fuzz/command.c \
	tests/fuzz/command.h \
	tests/fuzz/conn.c \
	tests/fuzz/dashboard.c \
	tests/fuzz/describe.c \
	tests/fuzz/external_control.c \
	tests/fuzz/facts.c \
	tests/fuzz/honest.c \
	tests/fuzz/honest.h \
	tests/fuzz/json.c \
	tests/fuzz/judge.h \
	tests/fuzz/judge_json.c \
	tests/fuzz/judge_mcap.c \
	tests/fuzz/judge_parquet.c \
	tests/fuzz/judge_recipe.c \
	tests/fuzz/judge_rows.c \
	tests/fuzz/judge_table.c \
	tests/fuzz/judge_text.c \
	tests/fuzz/messages.c \
	tests/fuzz/outputs.c \
	tests/fuzz/outputs.h \
	tests/fuzz/package.c \
	tests/fuzz/packet.c \
	tests/fuzz/packets.c \
	tests/fuzz/ports.c \
	tests/fuzz/primary.c \
	tests/fuzz/program.c \
	tests/fuzz/realtime.c \
	tests/fuzz/recipe.c \
	tests/fuzz/recipe_file.c \
	tests/fuzz/replay.c \
	tests/fuzz/replay.h \
	tests/fuzz/rtde.c \
	tests/fuzz/scene.c \
	tests/fuzz/scene.h \
	tests/fuzz/script.c \
	tests/fuzz/script.h \
	tests/fuzz/serve.c \
	tests/fuzz/sidecar.c \
	tests/fuzz/target.c \
	tests/fuzz/target.h \
	tests/fuzz/targets.def \
	tests/fuzz/uncounted.c \
	tests/fuzz/watch.c \
	tests/fuzz/watch.h \
	tests/fuzz/work.c \
	tests/fuzz/work.h
if WINDOWS
tests_fuzz_replay_SOURCES += tests/fuzz/replay_windows.c
else
tests_fuzz_replay_SOURCES += tests/fuzz/replay_posix.c
endif
if WITH_AUBO
tests_fuzz_replay_SOURCES += \
	tests/fuzz/aubo.c \
	tests/fuzz/websocket.c
endif
tests_fuzz_replay_LDADD = $(TOOLS_LIBS)

if WITH_AUBO
AUBO_DEFINES = -DARMTAP_WITH_AUBO
endif

SECONDS = 60
SEEDS = 1 2 3
FUZZ_ENVIRONMENT = \
	srcdir='$(srcdir)' FUZZ_SOURCES='$(lib_libwords_la_SOURCES) $(lib_libevidence_la_SOURCES) $(lib_libinside_la_SOURCES) $(lib_libanalysis_la_SOURCES) $(lib_libcapture_la_SOURCES) $(tools_libtools_a_SOURCES) $(nodist_tools_libtools_a_SOURCES)' \
	FUZZ_CPPFLAGS='-iquote $(abs_top_builddir)/lib $(AUBO_DEFINES) $(DRAGONBOX_CPPFLAGS) $(TOOLS_CFLAGS)' \
	FUZZ_LIBS='$(AUBO_LIBS) $(FOREIGN_LIBS)'
fuzz: $(nodist_tools_libtools_a_SOURCES)
	$(FUZZ_ENVIRONMENT) sh $(srcdir)/tests/fuzz/run '$(SECONDS)' $(FUZZ)
put-back: $(nodist_tools_libtools_a_SOURCES)
	$(FUZZ_ENVIRONMENT) $(srcdir)/tests/fuzz/put-back '$(SECONDS)' '$(SEEDS)' $(CAUSES)
clean-local:
	rm -rf emulated-build fuzz-build
.PHONY: fuzz put-back

EXTRA_DIST += \
	tests/fuzz/causes \
	tests/fuzz/corpus \
	tests/fuzz/counting.c \
	tests/fuzz/mutator.c \
	tests/fuzz/put-back \
	tests/fuzz/run \
	tests/fuzz/seeds
