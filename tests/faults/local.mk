# ---- the fault corpus: captures with something wrong in them, made while the tests run -------------------------------

check_PROGRAMS += tests/faults/faults
tests_faults_faults_SOURCES = \
	captures/arm.c \
	captures/arm.h \
	captures/number.c \
	captures/number.h \
	captures/wire.c \
	captures/wire.h \
	tests/faults/attempt_cases.c \
	tests/faults/aubo_cases.c \
	tests/faults/cases.c \
	tests/faults/cases.h \
	tests/faults/control_cases.c \
	tests/faults/faults.c \
	tests/faults/mailbox_cases.c \
	tests/faults/ordinary.c \
	tests/faults/play.c \
	tests/faults/play.h \
	tests/faults/dashboard_cases.c \
	tests/faults/primary_cases.c
tests_faults_faults_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(srcdir)/captures
tests_faults_faults_LDADD = lib/libinside.la -lm

FAULT_TESTS = \
	tests/faults/check-json.py \
	tests/faults/run
TESTS += $(FAULT_TESTS)
EXTRA_DIST += $(FAULT_TESTS)
