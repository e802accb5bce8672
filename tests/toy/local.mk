# The program with one more decoder: the same objects, with another list of decoders.
check_PROGRAMS += tests/toy/armtap
tests_toy_armtap_SOURCES = tools/main/main.c tests/toy/decoders.c tests/toy/toy.c
tests_toy_armtap_LDADD = $(armtap_LDADD)

TESTS += tests/toy/toy-check.py
EXTRA_DIST += tests/toy/decoders.def tests/toy/toy-check.py
