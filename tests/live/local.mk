# ---- the robot as a source, the capture as a robot: see README.md -----------------------------------------------------

check_PROGRAMS += tests/live/packets
tests_live_packets_LDADD = tools/libtools.a lib/libinside.la

LIVE_TESTS = \
	tests/live/clients-check.py \
	tests/live/controller-check.py \
	tests/live/parts-check.py \
	tests/live/synthetic-check.py
TESTS += $(LIVE_TESTS)

EXTRA_DIST += \
	$(LIVE_TESTS) \
	tests/live/README.md \
	tests/live/capture.py \
	tests/live/clients \
	tests/live/controller.py \
	tests/live/recording.py \
	tests/live/robot.py \
	tests/live/sessions.py \
	tests/live/wire.py
