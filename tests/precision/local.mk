# ---- incidents and clean sessions by another hand, and real kernels' TCP -----------------------------------------------

TESTS += \
	tests/precision/check.py \
	tests/precision/kernels-check.py
EXTRA_DIST += \
	tests/precision/README.md \
	tests/precision/clean.py \
	tests/precision/incidents.py \
	tests/precision/links.py \
	tests/precision/robot.py \
	tests/precision/scene.py \
	tests/precision/states.py \
	tests/precision/tcp.py

# make precision SEED=3 COUNT=500
precision: armtap$(EXEEXT)
	ARMTAP='$(abs_top_builddir)/armtap$(EXEEXT)' python3 $(srcdir)/tests/precision/check.py $(SEED) $(COUNT)
.PHONY: precision
SEED = 1
COUNT = 200
