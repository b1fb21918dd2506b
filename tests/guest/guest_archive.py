#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Packs the guest's whole system into an initramfs: a newc archive, no tools and no root needed.

usage: guest_archive.py OUTPUT BUSYBOX [SOURCE[=INSIDE]]...

Programs bring the libraries they need, at the paths where they are here.  A directory is packed
with everything in it.
"""

import os
import stat
import subprocess
import sys

LINKS = {"bin": "usr/bin", "sbin": "usr/sbin", "lib": "usr/lib", "lib64": "usr/lib64"}
EMPTY = ["dev", "proc", "sys", "tmp", "run", "root", "new", "home/user", "usr/sbin"]
ETC = {
    "etc/passwd": b"root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000:user:/home/user:/bin/sh\n",
    "etc/group": b"root:x:0:\nuser:x:1000:\n",
}


class Archive:
    """Entries by their path inside, so that a directory is written once and before its contents."""

    def __init__(self):
        self.entries = {}

    def add(self, path, mode, data=b"", device=(0, 0)):
        above = os.path.dirname(path)
        if above and above not in self.entries:
            self.add(above, stat.S_IFDIR | 0o755)
        self.entries.setdefault(path, (mode, data, device))

    def write(self, out):
        for number, (path, (mode, data, device)) in enumerate(self.entries.items(), 1):
            self.write_one(out, number, path, mode, data, device)
        self.write_one(out, 0, "TRAILER!!!", 0, b"", (0, 0))

    @staticmethod
    def write_one(out, number, path, mode, data, device):
        name = path.encode() + b"\0"
        fields = [number, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name), 0]
        head = b"070701" + b"".join(b"%08X" % f for f in fields) + name
        out.write(head + b"\0" * (-len(head) % 4) + data + b"\0" * (-len(data) % 4))


def inside_of(path):
    """Where a path of this host is in the guest, which has its programs in /usr only."""
    first, _, rest = path.lstrip("/").partition("/")
    return os.path.join(LINKS.get(first, first), rest)


def libraries_of(path):
    listing = subprocess.run(["ldd", path], capture_output=True, text=True, check=False)
    for line in listing.stdout.splitlines():
        words = line.replace("=>", " ").split()
        yield from (w for w in words[:2] if w.startswith("/"))


def add_file(archive, source, inside):
    with open(source, "rb") as file:
        data = file.read()
    archive.add(inside, stat.S_IFREG | (os.stat(source).st_mode & 0o777), data)
    if data.startswith(b"\x7fELF"):
        for library in libraries_of(source):
            if inside_of(library) not in archive.entries:
                add_file(archive, library, inside_of(library))


def add_tree(archive, source, inside):
    for above, _, names in os.walk(source):
        for name in names:
            path = os.path.join(above, name)
            if os.path.isfile(path):
                add_file(archive, path, os.path.join(inside, os.path.relpath(path, source)))


def main():
    output, busybox, sources = sys.argv[1], sys.argv[2], sys.argv[3:]
    archive = Archive()
    for path in EMPTY:
        archive.add(path, stat.S_IFDIR | (0o1777 if path == "tmp" else 0o755))
    for link, target in LINKS.items():
        archive.add(link, stat.S_IFLNK | 0o777, target.encode())
    archive.add("dev/console", stat.S_IFCHR | 0o600, device=(5, 1))
    for path, data in ETC.items():
        archive.add(path, stat.S_IFREG | 0o644, data)
    for source in sources:
        path, _, inside = source.partition("=")
        add = add_tree if os.path.isdir(path) else add_file
        add(archive, path, inside.lstrip("/") or inside_of(os.path.abspath(path)))
    add_file(archive, busybox, "usr/bin/busybox")
    for applet in subprocess.run([busybox, "--list"], capture_output=True, text=True, check=True).stdout.split():
        archive.add("usr/bin/" + applet, stat.S_IFLNK | 0o777, b"busybox")
    with open(output, "wb") as out:
        archive.write(out)


main()
