# Exports with one reading and with two, held against each other.
check_PROGRAMS += tests/ahead/both_ways
tests_ahead_both_ways_SOURCES = tests/ahead/both_ways.c
tests_ahead_both_ways_LDADD = $(armtap_LDADD)
tests_ahead_both_ways_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=export_run,--wrap=ahead_begin,--wrap=ahead_take_over

TESTS += tests/ahead/ahead-check.py
EXTRA_DIST += tests/ahead/ahead-check.py
