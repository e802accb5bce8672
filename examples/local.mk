# Programs that use the installed library: installed as they are.
examplesdir = $(docdir)/examples
dist_examples_DATA = \
	examples/capture.c \
	examples/client.c

EXTRA_DIST += examples/README.md
