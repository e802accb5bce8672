# ---- incidents with a known cause, made while the tests run -----------------------------------------------------------

TESTS += tests/incidents/check.py
EXTRA_DIST += \
	tests/incidents/cell.py \
	tests/incidents/check.py \
	tests/incidents/kinds.py \
	tests/incidents/network.py
