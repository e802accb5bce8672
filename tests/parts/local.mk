# armtap that reads every capture in parts, however small.
PARTS_CPPFLAGS = $(AM_CPPFLAGS) -DPARTS_LEAST=1
check_PROGRAMS += tests/parts/armtap
tests_parts_armtap_SOURCES = tools/main/main.c tools/input/replay.c
tests_parts_armtap_CPPFLAGS = $(PARTS_CPPFLAGS)
tests_parts_armtap_LDADD = $(armtap_LDADD)

TESTS += tests/parts/parts-check.py
EXTRA_DIST += tests/parts/parts-check.py
