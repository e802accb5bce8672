"""Makes the wheel, for pip and for `python3 -m build --wheel`: the package, and the program as it was built beside it.

The version is configure.ac's. The program is $ARMTAP, or ../armtap; without one the wheel has the package alone, which then looks for
an installed program. `python3 build_wheel.py --place PREFIX` prints where below it a Python looks for packages, for configure.
"""
import base64
import hashlib
import os
import re
import shutil
import site
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
EXECUTABLE, PLAIN = 0o100755, 0o100644


def read(*path):
    with open(os.path.join(HERE, *path), "rb") as file:
        return file.read()


def version():
    return re.search(r"^AC_INIT\(\[armtap\], \[([^\]]+)\]", read("..", "configure.ac").decode(), re.M)[1]


def program():
    """The built program without its debugging symbols, or None."""
    path = os.environ.get("ARMTAP") or os.path.join(HERE, "..", "armtap")
    if not shutil.which(path):
        return None
    with tempfile.TemporaryDirectory() as folder:
        slim = os.path.join(folder, "armtap")
        stripped = shutil.which("strip") and subprocess.run(["strip", "-o", slim, path], stderr=subprocess.DEVNULL, check=False).returncode == 0
        return read(slim if stripped else os.path.abspath(path))


def package():
    """The files of the package, by their names in the wheel."""
    return {"armtap/" + name: read("armtap", name) for name in sorted(os.listdir(os.path.join(HERE, "armtap"))) if name.endswith((".py", ".typed"))}


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 517: makes the wheel in a folder, and returns its name."""
    if not os.path.exists(os.path.join(HERE, "..", "configure.ac")):
        raise SystemExit("%s is a copy without the rest of armtap's source: pip makes one before its version 21.3; pip install --upgrade pip" % HERE)
    binary = program()
    name = "armtap-" + version()
    tag = "py3-none-" + (re.sub("[-.]", "_", sysconfig.get_platform()) if binary else "any")
    if not binary:
        print("no program beside the sources: the wheel has the Python package alone", file=sys.stderr)
    files = package()
    if binary:
        files[name + ".data/scripts/armtap"] = binary
    info = name + ".dist-info/"
    files[info + "METADATA"] = read("METADATA.in").replace(b"@PACKAGE_VERSION@", version().encode())
    files[info + "WHEEL"] = ("Wheel-Version: 1.0\nGenerator: armtap\nRoot-Is-Purelib: %s\nTag: %s\n" % (str(not binary).lower(), tag)).encode()
    files[info + "LICENSE"] = read("..", "LICENSE")
    hashed = lambda data: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    record = ["%s,sha256=%s,%d" % (path, hashed(data), len(data)) for path, data in files.items()]
    files[info + "RECORD"] = "\n".join([*record, info + "RECORD,,", ""]).encode()
    wheel = "%s-%s.whl" % (name, tag)
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            member = zipfile.ZipInfo(path)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = (EXECUTABLE if "/scripts/" in path else PLAIN) << 16
            archive.writestr(member, data)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    """PEP 517 wants it; the sources are armtap's own, of `make dist`."""
    raise NotImplementedError("the package is a part of armtap's sources: use `make dist`, or build with --wheel")


def place(prefix):
    """The folder below a prefix where this Python looks for packages, or would if it had that prefix."""
    places = [*site.getsitepackages(), site.getusersitepackages()]
    inside = [os.path.relpath(each, prefix) for each in places if each.startswith(os.path.join(prefix, "lib", ""))]
    return inside[0] if inside else "lib/python%d.%d/site-packages" % sys.version_info[:2]


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] != "--place":
        sys.exit("usage: build_wheel.py --place PREFIX")
    print(place(sys.argv[2]))
