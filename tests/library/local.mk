# What `make check` does in a build of the library alone (configure --disable-program): the tests need the program.
check-local: all
	@library=lib/.libs/libarmtap.a; [ -f $$library ] || library=lib/.libs/libarmtap.so; \
	srcdir='$(abs_top_srcdir)' CC='$(CC)' CFLAGS='$(ARMTAP_SANITIZE) $(CFLAGS)' \
	    $(SHELL) $(srcdir)/tests/library/library-check "$(abs_top_builddir)/$$library"
