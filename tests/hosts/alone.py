"""A network of our own that holds nothing but loopback: what a host would tell anybody outside goes nowhere. Linux only."""

from __future__ import annotations

import ctypes
import os
import socket
import struct
import sys
from contextlib import suppress

_NEWUSER, _NEWNET = 0x10000000, 0x40000000
_GET, _SET, _UP = 0x8913, 0x8914, 0x1  # SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP


def enter() -> str:
    """Leave the machine's network, this process and all it starts from now on; why not, or "" when done."""
    if not sys.platform.startswith("linux"):
        return "network namespaces are Linux's"
    libc = ctypes.CDLL(None, use_errno=True)
    uid, gid = os.getuid(), os.getgid()
    if libc.unshare(_NEWNET):
        if libc.unshare(_NEWUSER | _NEWNET):
            return f"a network namespace is not permitted here: {os.strerror(ctypes.get_errno())}"
        for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
            with suppress(OSError), open(f"/proc/self/{name}", "wb") as out:
                out.write(text.encode())
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as door:
            import fcntl

            asked = struct.pack("16sH14x", b"lo", 0)
            flags = struct.unpack("16sH14x", fcntl.ioctl(door, _GET, asked))[1]
            fcntl.ioctl(door, _SET, struct.pack("16sH14x", b"lo", flags | _UP))
    except OSError as wrong:
        return f"loopback could not be switched on: {wrong.strerror}"
    return ""


def reaches_out() -> bool:
    """Whether there is a way to anywhere else."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as door:
        try:
            door.connect(("192.0.2.1", 9))  # an address for documentation: nothing is sent
        except OSError:
            return False
    return True
