# ---- recipes inferred from data alone: how many types and names are right -------------------------------------------

check_PROGRAMS += tests/infer/figure
tests_infer_figure_SOURCES = \
	tests/infer/arm_fields.def \
	tests/infer/arm_inside.h \
	tests/infer/arm_manners.c \
	tests/infer/arm_model.c \
	tests/infer/arm_model.h \
	tests/infer/figure.c
tests_infer_figure_LDADD = lib/libanalysis.la lib/libinside.la -lm
TESTS += tests/infer/figure

check_PROGRAMS += tests/infer/windows
tests_infer_windows_SOURCES = \
	tests/infer/arm_fields.def \
	tests/infer/arm_inside.h \
	tests/infer/arm_manners.c \
	tests/infer/arm_model.c \
	tests/infer/arm_model.h \
	tests/infer/windows.c
tests_infer_windows_LDADD = lib/libinside.la -lm
TESTS += tests/infer/windows

# Real arms: the folder of their recordings by ARMTAP_REAL.
TESTS += tests/infer/real-check.py
EXTRA_DIST += tests/infer/real-check.py
