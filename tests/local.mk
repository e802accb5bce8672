# ---- unit tests: one cmocka program for each file tests/unit/test_NAME.c, with a line here ----------------------------

LONG_UNIT_TESTS = \
	tests/unit/test_conn \
	tests/unit/test_digest \
	tests/unit/test_guesses \
	tests/unit/test_limits
SHORT_UNIT_TESTS = \
	tests/unit/test_analysis \
	tests/unit/test_analysis_memory \
	tests/unit/test_annotate \
	tests/unit/test_arrival \
	tests/unit/test_budgets \
	tests/unit/test_capture \
	tests/unit/test_capture_file \
	tests/unit/test_capture_series \
	tests/unit/test_cells \
	tests/unit/test_client \
	tests/unit/test_client_bytes \
	tests/unit/test_column_ranges \
	tests/unit/test_column_table \
	tests/unit/test_compression \
	tests/unit/test_diagnose \
	tests/unit/test_event_loop \
	tests/unit/test_proxy \
	tests/unit/test_dashboard \
	tests/unit/test_failed_attempts \
	tests/unit/test_edges \
	tests/unit/test_field \
	tests/unit/test_field_selection \
	tests/unit/test_file \
	tests/unit/test_history \
	tests/unit/test_incident \
	tests/unit/test_inference \
	tests/unit/test_json \
	tests/unit/test_kinematics \
	tests/unit/test_legacy_layout \
	tests/unit/test_line_cells \
	tests/unit/test_mcap \
	tests/unit/test_memory \
	tests/unit/test_mailbox \
	tests/unit/test_message \
	tests/unit/test_misuse \
	tests/unit/test_modes \
	tests/unit/test_names \
	tests/unit/test_net \
	tests/unit/test_number_text \
	tests/unit/test_options \
	tests/unit/test_other_ports \
	tests/unit/test_packet_file \
	tests/unit/test_parquet \
	tests/unit/test_plan \
	tests/unit/test_primary \
	tests/unit/test_realtime \
	tests/unit/test_record_pairing \
	tests/unit/test_replay \
	tests/unit/test_ring \
	tests/unit/test_ros \
	tests/unit/test_rows_above \
	tests/unit/test_roundtrip \
	tests/unit/test_rtde_packages \
	tests/unit/test_rtde_server \
	tests/unit/test_rtde_sessions \
	tests/unit/test_script_text \
	tests/unit/test_sent_program \
	tests/unit/test_shared \
	tests/unit/test_short_ways \
	tests/unit/test_spelling \
	tests/unit/test_spool \
	tests/unit/test_tables \
	tests/unit/test_tcp \
	tests/unit/test_tcp_socket \
	tests/unit/test_thinning \
	tests/unit/test_ticks \
	tests/unit/test_tick_maker \
	tests/unit/test_utf8 \
	tests/unit/test_watch_pages \
	tests/unit/test_watch_recorder \
	tests/unit/test_words

if WITH_AUBO
SHORT_UNIT_TESTS += \
	tests/unit/test_aubo \
	tests/unit/test_aubo_scan \
	tests/unit/test_websocket
endif
UNIT_TESTS = $(LONG_UNIT_TESTS) $(SHORT_UNIT_TESTS)

# Shared by several unit tests.
tests_unit_libunit_a_SOURCES = \
	tests/unit/allocations.c \
	tests/unit/allocations.h \
	tests/unit/analysis_scene.c \
	tests/unit/analysis_scene.h \
	tests/unit/aubo_scans.c \
	tests/unit/aubo_scans.h \
	tests/unit/client_world.c \
	tests/unit/client_world.h \
	tests/unit/robot_model.c \
	tests/unit/robot_model.h \
	tests/unit/sample_packets.c \
	tests/unit/sample_packets.h \
	tests/unit/support.c \
	tests/unit/support.h

AM_CPPFLAGS += $(CMOCKA_CFLAGS)
LDADD = tests/unit/libunit.a $(CMOCKA_LIBS) $(TOOLS_LIBS)
if WINDOWS
# Names are UTF-8, as for the program.
LDADD += tools/base/os/windows/manifest.o
endif

# The test unpacks with the libraries themselves.
tests_unit_test_compression_CPPFLAGS = $(AM_CPPFLAGS) $(OPTIONAL_CFLAGS)

# The test counts allocations and makes them fail.
tests_unit_test_memory_LDFLAGS = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free
tests_unit_test_limits_LDFLAGS = $(tests_unit_test_memory_LDFLAGS)
tests_unit_test_analysis_memory_LDFLAGS = $(tests_unit_test_memory_LDFLAGS)

# The test has a disk of its own.
tests_unit_test_capture_file_LDFLAGS = -Wl,--wrap=file_write_some,--wrap=fdatasync,--wrap=path_sync_folder
tests_unit_test_capture_series_LDFLAGS = -Wl,--wrap=file_write_some,--wrap=fdatasync,--wrap=path_remove

# The test has a clock of its own.
tests_unit_test_proxy_LDFLAGS = -Wl,--wrap=wait_clock,--wrap=wait_until

# The test counts comparisons of texts.
tests_unit_test_failed_attempts_LDFLAGS = -Wl,--wrap=strcmp

# The test counts look-ups in the dictionary, and the bytes that a search reads.
tests_unit_test_budgets_LDFLAGS = -Wl,--wrap=armtap_field_find,--wrap=armtap_field_nearest \
	-Wl,--wrap=armtap_aubo_scan,--wrap=armtap_aubo_blanks,--wrap=armtap_rtde_is_text,--wrap=armtap_rtde_parse,--wrap=armtap_seek

# The test closes the short ways.
tests_unit_test_short_ways_LDFLAGS = \
	-Wl,--wrap=armtap_header_pattern_read,--wrap=armtap_tcp_is_next,--wrap=armtap_tcp_next,--wrap=armtap_conn_push

# The test counts allocations.
tests_unit_test_aubo_LDFLAGS = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc -Wl,--wrap=armtap_aubo_scan
tests_unit_test_aubo_LDADD = $(LDADD) $(AUBO_LIBS)

# The same with wslay's allocations; the test also calls wslay itself.
tests_unit_test_websocket_LDFLAGS = $(tests_unit_test_memory_LDFLAGS) \
	-Wl,--wrap=wslay_frame_context_init,--wrap=wslay_frame_context_free
tests_unit_test_websocket_LDADD = $(LDADD) $(AUBO_LIBS)

if HAVE_CMOCKA
check_LIBRARIES += tests/unit/libunit.a
check_PROGRAMS += $(UNIT_TESTS) tests/json_tokens tests/large_npz tests/shortest_digits
else
# Tests that cannot be built must not look like tests that passed.
check_DATA += cmocka-is-missing
cmocka-is-missing:
	@echo "make check needs cmocka: install libcmocka-dev (Debian, Ubuntu) or libcmocka-devel (Fedora)," \
	    "then run configure again" >&2; exit 1
endif

# Nor must those in Python.
check_DATA += python3-is-there
python3-is-there:
	@command -v python3 >/dev/null || { echo "make check needs python3: ./bootstrap installs it" >&2; exit 1; }

tests_shortest_digits_SOURCES = tests/shortest_digits.cc
tests_shortest_digits_CPPFLAGS = $(AM_CPPFLAGS) $(DRAGONBOX_CPPFLAGS)
tests_shortest_digits_LDADD =

unit-tests: $(UNIT_TESTS:=$(EXEEXT))

# The unit tests on other machines: make check-emulated [ARCH="s390x aarch64"].
check-emulated: dist
	$(srcdir)/tests/emulated/run $(distdir).tar.gz $(ARCH)
.PHONY: unit-tests check-emulated list-tests python3-is-there

# The whole of what `make check` runs a share of.
check-all:
	CHECK=all $(MAKE) $(AM_MAKEFLAGS) check
.PHONY: check-all

# What `make check` runs, a line each; some of them: make check TESTS="..."
list-tests:
	@printf '%s\n' $(filter-out tests/live/check.py,$(TESTS)) $(LIVE_TESTS)

# ---- tests of the whole ----------------------------------------------------------------------------------------------

# TESTS begins with the longest, so that no long test runs alone at the end. Those of live/ mostly wait: they come second
# and run beside the first, which computes.
LONGEST_TEST = tests/hostile-tools-check.py
LONG_TESTS = \
	tests/error-codes-check.py \
	tests/explain-check.py \
	tests/hex-check.py \
	tests/clean-check.py
SCRIPT_TESTS = \
	tests/attempts-check.py \
	tests/aubo-check.py \
	tests/bootstrap-check \
	tests/browser-check.py \
	tests/captures-rebuild \
	tests/check-runners \
	tests/compare-check.py \
	tests/ports-check.py \
	tests/changes-check.py \
	tests/changes-rows-check.py \
	tests/cross-check.py \
	tests/calls-check.py \
	tests/folder-check.py \
	tests/closed-output-check.py \
	tests/collision-check.py \
	tests/closes-check.py \
	tests/closes-kernels-check.py \
	tests/conflicts-check.py \
	tests/ends-check.py \
	tests/follow-check.py \
	tests/gallery-check.py \
	tests/gates/docs \
	tests/gates/hardening \
	tests/gates/headers \
	tests/gates/house \
	tests/gates/layers \
	tests/gates/advice.py \
	tests/gates/facts.py \
	tests/gates/note-ids.py \
	tests/gates/rows \
	tests/gates/symbols \
	tests/gates/syscalls.py \
	tests/grid-check.py \
	tests/guess-check.py \
	tests/real-windows-check.py \
	tests/completion-check.py \
	tests/options-check.py \
	tests/fields-check.py \
	tests/figure-check.py \
	tests/files-check.py \
	tests/gzip-check.py \
	tests/examples-check.py \
	tests/handshake-check.py \
	tests/interrupt-check.py \
	tests/json-check.py \
	tests/json-keys.py \
	tests/kaitai-check.py \
	tests/labels-check.py \
	tests/library-check.py \
	tests/links-check.py \
	tests/live-check.py \
	tests/namespaces-check.py \
	tests/mcap-check.py \
	tests/matlab-check.py \
	tests/matlab-read-check.py \
	tests/missing-check.py \
	tests/arrow-check.py \
	tests/npz-check.py \
	tests/number-check.py \
	tests/outputs-check.py \
	tests/parquet-check.py \
	tests/paste-check.py \
	tests/pipe-check.py \
	tests/dissector-check.py \
	tests/plot-check.py \
	tests/plot-claims-check.py \
	tests/plot-terminal-check.py \
	tests/external-control-check.py \
	tests/mailbox-check.py \
	tests/primary-check.py \
	tests/protocols-check.py \
	tests/privileges-check.py \
	tests/client-dump-check.py \
	tests/raw-recipe-check.py \
	tests/record-binary-check.py \
	tests/recipe-check.py \
	tests/report-check.py \
	tests/run-golden \
	tests/snaplen-check.py \
	tests/snapshot-check.py \
	tests/stats-check.py \
	tests/watch-check.py \
	tests/tap-check.py \
	tests/many-check.py \
	tests/time-check.py \
	tests/terminal-check.py \
	tests/thresholds-check.py \
	tests/threads-check \
	tests/archive-check.py \
	tests/arm-check.py \
	tests/pager-check.py \
	tests/people-check.py \
	tests/python-check.py \
	tests/union-check.py
TESTS += $(LONGEST_TEST)
include tests/live/local.mk
if HAVE_CMOCKA
TESTS += $(LONG_UNIT_TESTS)
endif
TESTS += $(LONG_TESTS)

LOG_COMPILER = $(SHELL) $(srcdir)/tests/limited
PY_LOG_COMPILER = $(SHELL) $(srcdir)/tests/with-python

AM_TESTS_ENVIRONMENT = \
	srcdir='$(abs_top_srcdir)'; \
	builddir='$(abs_top_builddir)'; \
	ARMTAP='$(abs_top_builddir)/armtap$(EXEEXT)'; \
	SYNTH='$(abs_top_builddir)/captures/synth$(EXEEXT)'; \
	CC='$(CC)'; \
	CFLAGS='$(ARMTAP_SANITIZE) $(CFLAGS)'; \
	HARDENING='$(enable_hardening)'; \
	export srcdir builddir ARMTAP SYNTH CC CFLAGS HARDENING;

# The installed libraries, through their pkg-config files.
installcheck-local:
	srcdir='$(abs_top_srcdir)' CC='$(CC)' CFLAGS='$(ARMTAP_SANITIZE) $(CFLAGS)' \
	PKG_CONFIG_PATH='$(DESTDIR)$(pkgconfigdir)' PKG_CONFIG_SYSROOT_DIR='$(DESTDIR)' LD_LIBRARY_PATH='$(DESTDIR)$(libdir)' \
	    sh $(srcdir)/tests/check-installed
if INSTALL_DISSECTOR
	./armtap$(EXEEXT) dissector | cmp - '$(DESTDIR)$(wiresharkdir)/armtap.lua'
endif
if INSTALL_bash_COMPLETION
	cmp '$(srcdir)/tools/completions/bash/armtap' '$(DESTDIR)$(bashcompletiondir)/armtap'
else
	! test -e '$(DESTDIR)$(datadir)/bash-completion/completions/armtap'
endif
if INSTALL_zsh_COMPLETION
	cmp '$(srcdir)/tools/completions/zsh/_armtap' '$(DESTDIR)$(zshcompletiondir)/_armtap'
else
	! test -e '$(DESTDIR)$(datadir)/zsh/site-functions/_armtap'
endif
if INSTALL_fish_COMPLETION
	cmp '$(srcdir)/tools/completions/fish/armtap.fish' '$(DESTDIR)$(fishcompletiondir)/armtap.fish'
else
	! test -e '$(DESTDIR)$(datadir)/fish/vendor_completions.d/armtap.fish'
endif

if INSTALL_PYTHON
	for file in $(PYTHON_PACKAGE); do cmp "$(srcdir)/$$file" "$(DESTDIR)$(packagedir)/$${file##*/}" || exit 1; done
	grep -qx 'Version: $(PACKAGE_VERSION)' '$(DESTDIR)$(packageinfodir)/METADATA'
else
	! find '$(DESTDIR)$(prefix)/lib' -name 'armtap-*.dist-info' | grep .
endif

# Shows that `no` leaves a completion out.
AM_DISTCHECK_CONFIGURE_FLAGS = --with-zsh-completion-dir=no

include tests/transport/local.mk
include tests/starve/local.mk
include tests/bench/local.mk
include tests/faults/local.mk
include tests/incidents/local.mk
include tests/precision/local.mk
include tests/infer/local.mk
include tests/fuzz/local.mk
include tests/words/local.mk
include tests/toy/local.mk
include tests/toy-format/local.mk
include tests/archives/local.mk

TESTS += $(SCRIPT_TESTS)
if HAVE_CMOCKA
TESTS += $(SHORT_UNIT_TESTS)
endif

# What passed, failed and was skipped, when all have passed; automake says what failed.
check-local: check-TESTS
	@sh $(srcdir)/tests/summary $(TEST_LOGS:.log=.trs) | sed -n -e '/^not installed: /p' -e '/^skipped: /p' -e '$$p'

# ---- other targets ---------------------------------------------------------------------------------------------------

# What programs for microcontrollers take of the library.
sizes-check:
	@srcdir='$(abs_top_srcdir)' $(SHELL) $(srcdir)/tests/gates/sizes

lint:
	CC='$(CC)' CPPFLAGS='$(TOOLS_CFLAGS)' CFLAGS='$(ARMTAP_C_FLAGS)' \
	    sh $(srcdir)/tests/lint $(LINT)

# For a release: gcc's -fanalyzer.
analyze:
	$(MAKE) lint LINT=analyzer

format:
	cd $(srcdir) && clang-format -i `find lib decoders tools captures docs tests -name '*.[ch]' -o -name '*.cc'`

# Each --without-OPTION of README alone, built and tested; all of them together: make check-without-all.
check-without: dist
	$(SHELL) $(srcdir)/tests/without $(distdir).tar.gz alone
check-without-all: dist
	$(SHELL) $(srcdir)/tests/without $(distdir).tar.gz all
.PHONY: check-without check-without-all

# `./bootstrap && make check` in clean roots of other releases, as root: make check-debian-13 [BOOTSTRAP=--all-tests]
# [CHECK="TESTS=..."] [ROOT=folder to keep it] [MIRROR=http://...]
check-debian-12: dist
	$(CLEAN_ROOT) bookworm
check-debian-13: dist
	$(CLEAN_ROOT) trixie
check-i386: dist
	$(CLEAN_ROOT) bookworm i386
CLEAN_ROOT = BOOTSTRAP='$(BOOTSTRAP)' CHECK='$(CHECK)' ROOT='$(ROOT)' MIRROR='$(MIRROR)' \
	$(SHELL) $(srcdir)/tests/clean-root $(distdir).tar.gz
.PHONY: check-debian-12 check-debian-13 check-i386

# What the commands of README.md and docs/gallery.md print, and the pictures that they write.
gallery: armtap$(EXEEXT)
	srcdir='$(abs_top_srcdir)' ARMTAP='$(abs_top_builddir)/armtap$(EXEEXT)' sh $(srcdir)/tests/with-python \
	    $(srcdir)/tests/gallery-check.py --update

# Changes of the code that no test notices: make mutants [COUNT=300] [SEED=1] [MINUTES=60] [FILES='lib/analysis/facts/flow_rate.c ...']
mutants:
	rm -rf mutants
	$(MAKE) distdir distdir=mutants-source >/dev/null
	python3 $(srcdir)/tests/mutants --source mutants-source --work mutants \
	    $(COUNT:%=--count=%) $(SEED:%=--seed=%) $(MINUTES:%=--minutes=%) --files='$(FILES)'
	chmod -R u+w mutants-source && rm -rf mutants mutants-source

# Lines of the library and the program that no test reaches: make coverage
coverage:
	rm -rf coverage
	$(MAKE) distdir distdir=coverage-source >/dev/null
	sh $(srcdir)/tests/coverage coverage-source coverage
	chmod -R u+w coverage-source && rm -rf coverage-source

.PHONY: lint analyze format gallery mutants coverage sizes-check

EXTRA_DIST += \
	tests/cases-check.py \
	$(LONGEST_TEST) \
	$(LONG_TESTS) \
	$(SCRIPT_TESTS) \
	tests/README.md \
	tests/refused.c \
	tests/check-installed \
	tests/page-program \
	tests/clean-root \
	tests/deb-check \
	tests/coverage \
	tests/emulated/run \
	tests/gates/circles \
	tests/gates/sizes \
	tests/library/library-check \
	tests/library/local.mk \
	tests/gates/house.numbers \
	tests/gates/layers.rules \
	tests/golden \
	tests/limited \
	tests/namespace.py \
	tests/lint \
	tests/mutants \
	tests/node/cells.mjs \
	tests/node/kaitai.mjs \
	tests/node/mcap.mjs \
	tests/node/mcap_records.mjs \
	tests/node/package.json \
	tests/node/arrow.mjs \
	tests/node/parquet.mjs \
	tests/node/read_times.mjs \
	tests/node/ros_topics.mjs \
	tests/snapshot/meanwhile.c \
	tests/summary \
	tests/column_tables.py \
	tests/format_rows.py \
	tests/node_readers.py \
	tests/pages.py \
	tests/report_pages.py \
	tests/many_captures.py \
	tests/robot_capture.py \
	tests/share.h \
	tests/arm_wire.py \
	tests/control_wire.py \
	tests/mailbox_wire.py \
	tests/primary_wire.py \
	tests/tally.py \
	tests/pictures.py \
	tests/png.py \
	tests/terminal.py \
	tests/unit/data \
	tests/with-python \
	tests/without
