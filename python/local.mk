# The Python package. It is not compiled: it runs the program. As a wheel: build_wheel.py.
PYTHON_PACKAGE = \
	python/armtap/__init__.py \
	python/armtap/capture.py \
	python/armtap/columns.py \
	python/armtap/frames.py \
	python/armtap/program.py \
	python/armtap/py.typed \
	python/armtap/results.py

if INSTALL_PYTHON
packagedir = $(pythondir)/armtap
package_DATA = $(PYTHON_PACKAGE)
packageinfodir = $(pythondir)/armtap-$(PACKAGE_VERSION).dist-info
nodist_packageinfo_DATA = python/METADATA

# What Python compiled, and the folders.
uninstall-hook:
	rm -rf '$(DESTDIR)$(packagedir)/__pycache__'
	-rmdir '$(DESTDIR)$(packagedir)' '$(DESTDIR)$(packageinfodir)' 2>/dev/null
endif

EXTRA_DIST += \
	$(PYTHON_PACKAGE) \
	python/README.md \
	python/build_wheel.py \
	python/pyproject.toml
