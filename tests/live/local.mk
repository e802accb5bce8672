# ---- the robot as a source, the capture as a robot: see README.md -----------------------------------------------------

check_PROGRAMS += tests/live/packets
tests_live_packets_LDADD = tools/libtools.a lib/libinside.la

LIVE_TESTS = \
	tests/live/chain-check.py \
	tests/live/clients-check.py \
	tests/live/bridge-check.py \
	tests/live/controller-check.py \
	tests/live/cut-check.py \
	tests/live/parts-check.py \
	tests/live/robots-check.py \
	tests/live/moments-check.py \
	tests/live/served-check.py \
	tests/live/ports-check.py \
	tests/live/primary-check.py \
	tests/live/proxy-check.py \
	tests/live/record-check.py \
	tests/live/serve-check.py \
	tests/live/synthetic-check.py \
	tests/live/names-check.py \
	tests/live/tcpdump-check.py
# They mostly wait: one program runs some at a time. One alone: make check TESTS=tests/live/serve-check.py
TESTS += tests/live/check.py

EXTRA_DIST += \
	$(LIVE_TESTS) \
	tests/live/README.md \
	tests/live/capture.py \
	tests/live/check.py \
	tests/live/clients/attempt.py \
	tests/live/clients/common.py \
	tests/live/clients/example_wrapper.py \
	tests/live/clients/matlab.py \
	tests/live/clients/record.py \
	tests/live/clients/ros2_driver.py \
	tests/live/clients/rtde_client.py \
	tests/live/clients/run.py \
	tests/live/clients/sdu_control.py \
	tests/live/clients/sdu_io.py \
	tests/live/clients/sdu_receive.py \
	tests/live/clients/ur_driver.py \
	tests/live/clients/ur_modern_driver.py \
	tests/live/clients/urx.py \
	tests/live/controller.py \
	tests/live/peers.py \
	tests/live/primary_server.py \
	tests/live/program.py \
	tests/live/recording.py \
	tests/live/robot.py \
	tests/live/sessions.py \
	tests/live/wire.py

# serve, record, the bridge and the proxy in one chain: what comes out has the rows that went in.
live-chain: armtap$(EXEEXT)
	ARMTAP='$(abs_top_builddir)/armtap$(EXEEXT)' $(SHELL) $(srcdir)/tests/with-python $(srcdir)/tests/live/chain-check.py
.PHONY: live-chain
