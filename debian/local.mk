# Packages for Debian and Ubuntu, from the tarball that users get: make deb [DEB_BUILD_OPTIONS=nocheck]
#
# Packages of debug symbols are not made unless DEB_BUILD_OPTIONS is given: deb/*.deb is what one installs.
deb: dist
	@command -v dpkg-buildpackage >/dev/null && command -v dh >/dev/null || { \
	    echo "make deb needs dpkg-buildpackage and dh: sudo apt install build-essential debhelper" >&2; exit 1; }
	rm -rf deb
	mkdir deb
	tar -C deb -xzf $(distdir).tar.gz
	cd deb/$(distdir) && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u MAKEOVERRIDES \
	    DEB_BUILD_OPTIONS="$${DEB_BUILD_OPTIONS-noautodbgsym}" dpkg-buildpackage -us -uc
	rm -rf deb/$(distdir)
	@ls deb/*.deb

# The packages in a clean root of this machine's release: make deb-check [MIRROR=http://...]; as root, 5 minutes. Without the
# tools it is skipped, and says so; under CI=true it fails.
deb-check: armtap$(EXEEXT)
	@$(SHELL) $(srcdir)/tests/deb-check --tools || { status=$$?; [ $$status -ne 77 ] || exit 0; exit $$status; }; \
	$(MAKE) deb && srcdir='$(abs_top_srcdir)' ARMTAP='$(abs_top_builddir)/armtap$(EXEEXT)' MIRROR='$(MIRROR)' \
	    $(SHELL) $(srcdir)/tests/deb-check deb

.PHONY: deb deb-check

EXTRA_DIST += \
	debian/README.source \
	debian/armtap.docs \
	debian/armtap.examples \
	debian/armtap.install \
	debian/armtap.links \
	debian/changelog \
	debian/control \
	debian/copyright \
	debian/libarmtap-analysis0.install \
	debian/libarmtap-analysis0.symbols \
	debian/libarmtap-capture0.install \
	debian/libarmtap-capture0.symbols \
	debian/libarmtap-dev.install \
	debian/libarmtap0.install \
	debian/libarmtap0.symbols \
	debian/not-installed \
	debian/python3-armtap.install \
	debian/rules \
	debian/source/format
