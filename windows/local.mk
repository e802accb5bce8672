# The program and the libraries for 64-bit Windows, from the tarball: make windows [MIRROR=http://...]
windows: dist
	$(srcdir)/windows/build $(distdir).tar.gz

# What they do under wine, from a quicker build.
windows-check: dist armtap$(EXEEXT) tests/live/packets$(EXEEXT) lib/libarmtap.la lib/libarmtap-capture.la lib/libarmtap-analysis.la
	$(srcdir)/windows/build --check $(distdir).tar.gz
	@CC='$(CC)' $(srcdir)/tests/windows/check windows-build/check

.PHONY: windows windows-check

EXTRA_DIST += \
	tests/windows/check \
	tests/windows/double-click \
	tests/windows/golden-tests \
	tests/windows/guide \
	tests/windows/program \
	tests/windows/terminal.c \
	tests/windows/unit-tests \
	windows/README.md \
	windows/README.txt.in \
	windows/build \
	windows/local.mk
