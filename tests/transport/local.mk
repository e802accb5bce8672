# Captures changed as networks and capturing machines change them, and damaged: see ../README.md.
TRANSPORT_TESTS = \
	tests/transport/sweep \
	tests/transport/test_foreign \
	tests/transport/test_forms \
	tests/transport/test_gaps \
	tests/transport/test_network \
	tests/transport/test_recipes \
	tests/transport/test_sniffing \
	tests/transport/test_transport \
	tests/transport/test_way_back

# Shared by these tests.
tests_transport_libtransport_a_SOURCES = \
	tests/transport/capturefile.c \
	tests/transport/capturefile.h \
	tests/transport/dialogue.c \
	tests/transport/dialogue.h \
	tests/transport/outcome.c \
	tests/transport/outcome.h \
	tests/transport/path.c \
	tests/transport/path.h
tests_transport_libtransport_a_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tests/unit

TRANSPORT_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tests/unit
TRANSPORT_LDADD = tests/transport/libtransport.a $(LDADD)
tests_transport_sweep_CPPFLAGS = $(TRANSPORT_CPPFLAGS)
tests_transport_sweep_LDADD = $(TRANSPORT_LDADD)
tests_transport_test_foreign_CPPFLAGS = $(TRANSPORT_CPPFLAGS)
tests_transport_test_foreign_LDADD = $(TRANSPORT_LDADD)
tests_transport_test_forms_CPPFLAGS = $(TRANSPORT_CPPFLAGS)
tests_transport_test_forms_LDADD = $(TRANSPORT_LDADD)
tests_transport_test_gaps_CPPFLAGS = $(TRANSPORT_CPPFLAGS)
tests_transport_test_gaps_LDADD = $(TRANSPORT_LDADD)
tests_transport_test_network_CPPFLAGS = $(TRANSPORT_CPPFLAGS)
tests_transport_test_network_LDADD = $(TRANSPORT_LDADD)
tests_transport_test_recipes_CPPFLAGS = $(TRANSPORT_CPPFLAGS)
tests_transport_test_recipes_LDADD = $(TRANSPORT_LDADD)
tests_transport_test_sniffing_SOURCES = \
	tests/transport/genuine.c \
	tests/transport/genuine.h \
	tests/transport/strangers.c \
	tests/transport/strangers.h \
	tests/transport/test_sniffing.c
tests_transport_test_sniffing_CPPFLAGS = $(TRANSPORT_CPPFLAGS)
tests_transport_test_sniffing_LDADD = $(TRANSPORT_LDADD)
tests_transport_test_transport_CPPFLAGS = $(TRANSPORT_CPPFLAGS)
tests_transport_test_transport_LDADD = $(TRANSPORT_LDADD)
tests_transport_test_way_back_CPPFLAGS = $(TRANSPORT_CPPFLAGS)
tests_transport_test_way_back_LDADD = $(TRANSPORT_LDADD)

if HAVE_CMOCKA
check_LIBRARIES += tests/transport/libtransport.a
check_PROGRAMS += $(TRANSPORT_TESTS)
TESTS += $(TRANSPORT_TESTS)
endif

# Every byte and every length of the smaller samples, and thousands of the larger ones: takes an hour.
sweep: tests/transport/sweep$(EXEEXT) armtap$(EXEEXT)
	srcdir='$(abs_top_srcdir)' ARMTAP='$(abs_top_builddir)/armtap$(EXEEXT)' SWEEP=full tests/transport/sweep$(EXEEXT)

.PHONY: sweep
