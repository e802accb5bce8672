# The pages, and the program that makes their tables.
check_PROGRAMS += docs/protocols/tables
docs_protocols_tables_SOURCES = \
	docs/protocols/aubo_menu.def \
	docs/protocols/aubo_tables.c \
	docs/protocols/control_tables.c \
	docs/protocols/primary_sizes.def \
	docs/protocols/primary_tables.c \
	docs/protocols/realtime_tables.c \
	docs/protocols/rtde_tables.c \
	docs/protocols/tables.c \
	docs/protocols/tables.h \
	docs/protocols/ur_rtde_tables.c
docs_protocols_tables_LDADD = lib/libinside.la

PROTOCOL_PAGES = \
	docs/protocols/README.md \
	docs/protocols/aubo.md \
	docs/protocols/dashboard.md \
	docs/protocols/error-codes.md \
	docs/protocols/external-control.md \
	docs/protocols/primary.md \
	docs/protocols/realtime.md \
	docs/protocols/rtde.md \
	docs/protocols/ur_rtde.md
EXTRA_DIST += $(PROTOCOL_PAGES)

# The pages with their tables made anew; what is written by hand stays.
protocols: docs/protocols/tables$(EXEEXT)
	for page in $(PROTOCOL_PAGES); do \
	    docs/protocols/tables$(EXEEXT) $(srcdir)/$$page >docs/protocols/page && \
	        cp docs/protocols/page $(srcdir)/$$page || exit 1; \
	done
	rm -f docs/protocols/page
.PHONY: protocols
