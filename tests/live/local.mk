# ---- the robot as a source: see ../README.md -------------------------------------------------------------------------

check_PROGRAMS += tests/live/packets
tests_live_packets_LDADD = tools/libtools.a lib/libinside.la

LIVE_TESTS = \
	tests/live/synthetic-check.py
TESTS += $(LIVE_TESTS)
EXTRA_DIST += $(LIVE_TESTS)
