#!/usr/bin/env python3
"""The gate of system calls: libseccomp knows each name in tools/base/os/posix/syscalls.def. An unknown name, misspelt or newer than
this libseccomp, allows nothing, and the program does not report it."""
import ctypes
import ctypes.util
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tally import expect, finish, lacks  # noqa: E402

TABLE = os.path.join(os.environ.get("srcdir", "."), "tools", "base", "os", "posix", "syscalls.def")
UNKNOWN = -1  # __NR_SCMP_ERROR; other negative numbers are calls of other machines

name = ctypes.util.find_library("seccomp")
if name is None:
    lacks("libseccomp")
    sys.exit(77)
resolve = ctypes.CDLL(name).seccomp_syscall_resolve_name
with open(TABLE) as file:
    calls = sorted(set(re.findall(r"^SYSCALL(?:_IF)?\((\w+)", file.read(), re.MULTILINE)))
numbers = {call: resolve(call.encode()) for call in calls}
expect("a name that cannot be is unknown", resolve(b"reed") == UNKNOWN)
expect("names", len(calls) > 50, calls)
for call, number in numbers.items():
    expect(("unknown to libseccomp", call), number != UNKNOWN)
print("of %d calls %d are none of this machine:" % (len(calls), sum(number < UNKNOWN for number in numbers.values())),
      *(call for call, number in numbers.items() if number < UNKNOWN))
sys.exit(finish())
