# The program as one file for any Linux, from the tarball: make static [ARCH="x86_64 aarch64"] [MIRROR=http://...]
static: dist
	$(srcdir)/static/build $(distdir).tar.gz $(ARCH)

# What it does in roots without its libraries, live, and on an emulated machine; as root: make static-check [ARCH=...] [ROOT=...]
static-check: armtap$(EXEEXT) captures/synth
	@srcdir='$(abs_top_srcdir)' ARMTAP='$(abs_top_builddir)/armtap$(EXEEXT)' MIRROR='$(MIRROR)' ARCH='$(ARCH)' \
	    ROOT='$(ROOT)' \
	    $(SHELL) $(srcdir)/static/check $(distdir)

.PHONY: static static-check

EXTRA_DIST += \
	static/build \
	static/check \
	static/local.mk \
	static/sources
