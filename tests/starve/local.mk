# ---- failing allocations, writes and reads: see ../README.md ----------------------------------------------------------

tests_starve_starve_SOURCES = \
	tests/starve/commands.c \
	tests/starve/commands.h \
	tests/starve/hooks.c \
	tests/starve/hooks.h \
	tests/starve/made.c \
	tests/starve/made.h \
	tests/starve/program.c \
	tests/starve/starve.c \
	$(TOY_FORMAT_SOURCES)
tests_starve_starve_CPPFLAGS = -iquote $(top_srcdir)/tests/toy-format $(TRANSPORT_CPPFLAGS) -iquote $(top_srcdir)/tests/transport $(OPTIONAL_CFLAGS)
tests_starve_starve_LDADD = $(TRANSPORT_LDADD) -ldl
EXTRA_DIST += tests/starve/COMMANDS

if HAVE_CMOCKA
check_PROGRAMS += tests/starve/starve
TESTS += tests/starve/starve
endif
