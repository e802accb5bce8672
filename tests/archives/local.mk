# ---- archives on schedulers: see ../README.md -------------------------------------------------------------------------

TESTS += \
	tests/archives/damage-check.py \
	tests/archives/merge-check.py \
	tests/archives/page-check.py

# docs/archives.md on a Slurm of this machine's own: make slurm-check
slurm-check: armtap$(EXEEXT)
	ARMTAP='$(abs_top_builddir)/armtap$(EXEEXT)' CC='$(CC)' builddir='$(abs_top_builddir)' \
	    $(SHELL) $(srcdir)/tests/with-python $(srcdir)/tests/archives/slurm-check.py
.PHONY: slurm-check

EXTRA_DIST += \
	tests/archives/damage-check.py \
	tests/archives/cluster.py \
	tests/archives/fleet.py \
	tests/archives/merge-check.py \
	tests/archives/page-check.py \
	tests/archives/queries.py \
	tests/archives/pause.c \
	tests/archives/slurm-check.py
