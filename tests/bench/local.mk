# Only `make bench` runs the bench. `make check` checks that it works, and ignores the times.
check_PROGRAMS += tests/bench/kernel tests/bench/live tests/bench/stream tests/bench/timed tests/bench/wire
TESTS += tests/bench/smoke.py
EXTRA_PROGRAMS = tests/bench/shortest
CLEANFILES += $(EXTRA_PROGRAMS)

tests_bench_kernel_SOURCES = tests/bench/kernel.c
tests_bench_kernel_LDADD = lib/libinside.la
tests_bench_live_SOURCES = tests/bench/live.c
tests_bench_live_LDADD =
tests_bench_shortest_SOURCES = tests/bench/shortest.cc
tests_bench_shortest_LDADD = -lstdc++
tests_bench_stream_SOURCES = tests/bench/stream.c
tests_bench_stream_LDADD =
tests_bench_timed_SOURCES = tests/bench/timed.c
tests_bench_timed_LDADD =
tests_bench_wire_SOURCES = tests/bench/wire.c
tests_bench_wire_LDADD =

BENCH =
BENCH_FLAGS =
bench: armtap$(EXEEXT) captures/synth tests/bench/kernel tests/bench/live tests/bench/shortest tests/bench/stream tests/bench/timed tests/bench/wire
	builddir='$(abs_top_builddir)' python3 $(srcdir)/tests/bench/run $(BENCH_FLAGS) $(BENCH)

# Ten minutes beside a busy loop: no record is lost.
soak: armtap$(EXEEXT) tests/bench/live
	builddir='$(abs_top_builddir)' python3 $(srcdir)/tests/bench/run $(BENCH_FLAGS) soak
.PHONY: bench soak

EXTRA_DIST += \
	tests/bench/README.md \
	tests/bench/live_cases.py \
	tests/bench/messages.py \
	tests/bench/python_case.py \
	tests/bench/rows_cases.py \
	tests/bench/run \
	tests/bench/changed.py \
	tests/bench/shapes.py \
	tests/bench/smoke.py
