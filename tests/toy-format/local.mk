# The program with more formats: the same objects, another table of formats, and the formats of its new rows.
TOY_FORMAT_SOURCES = tools/export/formats/formats.c tests/toy-format/format_toy_text.c tests/toy-format/format_toy_columns.c
TOY_FORMAT_CPPFLAGS = -iquote $(top_srcdir)/tests/toy-format $(AM_CPPFLAGS)
check_PROGRAMS += tests/toy-format/armtap
tests_toy_format_armtap_SOURCES = tools/main/main.c $(TOY_FORMAT_SOURCES)
tests_toy_format_armtap_CPPFLAGS = $(TOY_FORMAT_CPPFLAGS)
tests_toy_format_armtap_LDADD = $(armtap_LDADD)

TESTS += tests/toy-format/toy-format-check.py
EXTRA_DIST += tests/toy-format/export/formats/formats.def tests/toy-format/toy-format-check.py
