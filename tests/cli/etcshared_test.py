#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""etcshared_test.py BELLJAR: the /etc that boxes of root have in common, and when they have their own.

In a mount namespace of the test's own, with a /run of its own: nobody else's boxes are touched.
"""
import ctypes
import fcntl
import os
import shutil
import subprocess
import sys
import tempfile

BELLJAR = os.path.realpath(sys.argv[1])
PLACE = "/run/belljar"
LIBC = ctypes.CDLL(None, use_errno=True)
NEWNS, RDONLY, REMOUNT, BIND, REC, PRIVATE = 0x20000, 1, 32, 4096, 16384, 1 << 18
TESTS = []


def test(f):
    TESTS.append(f)
    return f


def check(truth, what="not true"):
    if not truth:
        raise AssertionError(what)


def mount(source, target, kind=None, flags=0, data=None):
    words = [None if w is None else w.encode() for w in (source, target, kind, data)]
    if LIBC.mount(words[0], words[1], words[2], flags, words[3]) < 0:
        raise OSError(ctypes.get_errno(), "mount %s" % target)


def box(script, *options):
    result = subprocess.run([BELLJAR, "run", *options, "--", "/bin/sh", "-c", script], capture_output=True,
                            text=True, timeout=60)
    check(result.returncode == 0, result.stderr)
    return result.stdout


def refused(script="true"):
    """Why it did not run; the box must not have."""
    result = subprocess.run([BELLJAR, "run", "--", "/bin/sh", "-c", "echo ran; " + script], capture_output=True,
                            text=True, timeout=60)
    check(result.returncode == 125 and "ran" not in result.stdout, (result.returncode, result.stdout, result.stderr))
    return result.stderr


def shared():
    return sorted(n for n in os.listdir(PLACE) if n.startswith("etc-"))


def where_etc_is():
    """'overlay': it is shared."""
    line = [x for x in box("cat /proc/self/mountinfo").splitlines() if x.split()[4] == "/etc"]
    return line[0].split(" - ")[1].split()[0] if line else "own"


@test
def boxes_have_one_and_see_what_they_need():
    check(where_etc_is() == "overlay")
    names = shared()
    check(len(names) == 1, names)
    text = box("cat /etc/hostname; id -un; test -h /etc/mtab && cat /etc/resolv.conf; ls /etc | wc -w")
    check(text.split()[:2] == ["box", "user"], text)
    check(shared() == names, "a second one was made")


@test
def nothing_of_the_hosts_etc_is_in_it():
    seen = set(box("ls -A /etc").split())
    known = {"alternatives", "group", "hostname", "hosts", "ld.so.cache", "mtab", "nsswitch.conf", "passwd",
             "resolv.conf"}
    check(seen <= known, seen - known)
    check("root:x:0:0:root:/:/usr/sbin/nologin" in box("cat /etc/passwd"), "the host's users")


@test
def nobody_inside_can_change_it():
    script = "for f in /etc/x /etc/passwd /usr/.belljar-etc/x /usr/.belljar-etc/passwd; do " \
             "(echo no >>$f) 2>/dev/null && echo $f; done; rm -f /etc/hostname 2>/dev/null && echo rm; true"
    check(box(script) == "", "it was changed")
    top = os.path.join(PLACE, shared()[0])
    for where, _, files in os.walk(top):
        check(os.stat(where).st_uid == 0 and os.stat(where).st_mode & 0o22 == 0, where)
        for name in files:
            st = os.lstat(os.path.join(where, name))
            check(st.st_uid == 0 and (st.st_mode & 0o170000 == 0o120000 or st.st_mode & 0o22 == 0), name)


@test
def a_lock_in_one_box_is_not_seen_in_another():
    """Nor on the host: the inode is the box's own."""
    path = os.path.join(PLACE, shared()[0], ".belljar-etc", "hostname")
    with open(path) as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        check(box("flock -n /etc/hostname echo free") == "free\n", "the host's lock is seen")
        with open(path) as other:  # the twin: without an overlay it is
            try:
                fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return
    raise AssertionError("the lock was none")


@test
def a_change_of_the_host_makes_another_and_the_old_one_goes_when_nobody_has_it():
    old = shared()[0]
    os.makedirs(PLACE + "/.etc-0-1/x")  # somebody was killed while making one
    os.makedirs(PLACE + "/etc-0000000000000000/.belljar-etc")
    held = os.open(PLACE + "/etc-0000000000000000", os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_SH)
    with tempfile.NamedTemporaryFile() as cache:
        cache.write(open("/etc/ld.so.cache", "rb").read())
        cache.flush()
        mount(cache.name, "/etc/ld.so.cache", flags=BIND)
        try:
            check(where_etc_is() == "overlay")
            names = shared()
        finally:
            check(LIBC.umount2(b"/etc/ld.so.cache", 2) == 0, "umount")
    check(old not in names, "the old one is still there")
    check("etc-0000000000000000" in names, "one that is used was removed")
    check(len(names) == 2, names)
    check(not os.path.exists(PLACE + "/.etc-0-1"), "the leftover is still there")
    os.close(held)


@test
def one_that_is_not_roots_is_not_used():
    where_etc_is()
    names = [n for n in shared() if os.path.isdir(os.path.join(PLACE, n, ".belljar-etc", "alternatives"))]
    for name in names:
        path = os.path.join(PLACE, name)
        os.chown(path, 1, 1)
        check(where_etc_is() == "own", "somebody else's is used")
        os.chown(path, 0, 0)
        os.chmod(path, 0o775)
        check(where_etc_is() == "own", "one that others may write to is used")
        os.chmod(path, 0o755)
    check(where_etc_is() == "overlay", "the twin: as it was, it is used")


@test
def a_place_that_others_may_write_to_is_not_used():
    os.chmod(PLACE, 0o777)
    try:
        check(where_etc_is() == "own", "it is used")
    finally:
        os.chmod(PLACE, 0o755)


def whole():
    """The name of the one that fits this host; nobody has it."""
    check(where_etc_is() == "overlay")
    return [n for n in shared() if os.path.isdir(os.path.join(PLACE, n, ".belljar-etc", "alternatives"))][-1]


class Planted:
    """Something else has its name; what was there comes back."""

    def __init__(self, name):
        self.path, self.aside = os.path.join(PLACE, name), os.path.join(PLACE, "aside")

    def __enter__(self):
        os.rename(self.path, self.aside)
        return self.path

    def __exit__(self, *_):
        if os.path.isdir(self.path) and not os.path.islink(self.path):
            shutil.rmtree(self.path)
        elif os.path.lexists(self.path):
            os.unlink(self.path)
        os.rename(self.aside, self.path)


@test
def what_is_no_directory_is_refused():
    name = whole()
    with Planted(name) as path:
        os.symlink(os.path.join(PLACE, "aside"), path)  # to one that is as it should be
        check(name in refused(), "a link")
        check(os.path.islink(path), "it is not ours to remove")
    with Planted(name) as path:
        with open(path, "w") as f:
            f.write("root::0:0::/:/bin/sh\n")
        check(name in refused(), "a file")
    with Planted(name) as path:
        os.mkfifo(path)
        check(name in refused(), "a pipe, on which nobody may wait")
    with Planted(name) as path:  # the twin: the same directory under its own name
        os.rename(os.path.join(PLACE, "aside"), path)
        check(where_etc_is() == "overlay")
        os.rename(path, os.path.join(PLACE, "aside"))


@test
def one_that_is_not_whole_is_not_used():
    """Only root can plant it; a box without an /etc, or with the host's, must not run."""
    with Planted(whole()) as path:
        inner = os.path.join(path, ".belljar-etc")
        os.mkdir(path)
        check(where_etc_is() == "own", "there is nothing in it")
        os.symlink("/etc", inner)
        check(where_etc_is() == "own" and "shadow" not in box("ls -A /etc"), "it leads to the host's")
        os.unlink(inner)
        with open(inner, "w"):
            os.chmod(inner, 0o755)
            check(where_etc_is() == "own", "it is a file")
        os.unlink(inner)
        shutil.copytree(os.path.join(PLACE, "aside", ".belljar-etc"), inner, symlinks=True)
        os.chown(inner, 1, 1)
        check(where_etc_is() == "own", "what is in it is somebody else's")
        os.chown(inner, 0, 0)
        check(where_etc_is() == "overlay", "the twin: a whole one is used")


@test
def one_into_which_not_all_may_look_is_not_used():
    path = os.path.join(PLACE, whole())
    for mode, want in ((0o700, "own"), (0o757, "own"), (0o755, "overlay")):
        os.chmod(path, mode)
        check(where_etc_is() == want, oct(mode))


@test
def a_place_that_is_a_link_or_not_roots_is_not_used():
    where_etc_is()
    os.rename(PLACE, "/run/elsewhere")
    try:
        os.symlink("/run/elsewhere", PLACE)
        check(PLACE in refused())
        os.unlink(PLACE)
        with open(PLACE, "w"):
            check(PLACE in refused(), "a file")
        os.unlink(PLACE)
    finally:
        os.rename("/run/elsewhere", PLACE)
    os.chown(PLACE, 1, 1)
    try:
        check(where_etc_is() == "own", "somebody else's is used")
    finally:
        os.chown(PLACE, 0, 0)
    check(where_etc_is() == "overlay", "the twin")


@test
def a_place_that_is_missing_is_made():
    shutil.rmtree(PLACE)
    check(where_etc_is() == "overlay" and len(shared()) == 1, shared())
    st = os.stat(PLACE)
    check((st.st_uid, st.st_mode & 0o7777) == (0, 0o755), oct(st.st_mode))


class Small:
    """A place of its own with so much room."""

    def __init__(self, room):
        self.room = room

    def __enter__(self):
        os.makedirs(PLACE, exist_ok=True)
        mount("tmpfs", PLACE, "tmpfs", data="mode=0755," + self.room)
        with open(PLACE + "/slots.lock", "w"):
            pass

    def __exit__(self, *_):
        check(LIBC.umount2(PLACE.encode(), 2) == 0, "umount")


@test
def a_place_that_is_full_or_read_only_runs_nothing_and_keeps_nothing():
    for room in ("size=16k", "nr_inodes=20"):
        with Small(room):
            check("No space left" in refused(), room)
            check(os.listdir(PLACE) == ["slots.lock"], os.listdir(PLACE))
            mount(None, PLACE, flags=REMOUNT, data="size=16m,nr_inodes=10000")
            check(where_etc_is() == "overlay", "the twin: with room it is made")
    with Small("size=16m"), tempfile.NamedTemporaryFile(dir="/run") as lock:
        mount(lock.name, PLACE + "/slots.lock", flags=BIND)  # else there is no slot, and nobody asks for an /etc
        mount(None, PLACE, flags=REMOUNT | RDONLY)
        why = refused()
        check("/etc for boxes" in why and "Read-only" in why, why)
        mount(None, PLACE, flags=REMOUNT)
        check(where_etc_is() == "overlay", "the twin: where it can be written it is made")


@test
def many_who_make_it_at_once_leave_one():
    for _ in range(3):
        shutil.rmtree(PLACE)
        boxes = [subprocess.Popen([BELLJAR, "run", "--", "/bin/sh", "-c", "cat /etc/hostname"], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True) for _ in range(6)]
        for one in boxes:
            out, err = one.communicate(timeout=60)
            check((one.returncode, out) == (0, "box\n"), err)
        there = [n for n in os.listdir(PLACE) if "etc-" in n]
        check(len(there) == 1 and there == shared(), there)


@test
def a_grant_beneath_etc_gives_the_box_its_own():
    with tempfile.TemporaryDirectory(dir="/var/tmp") as d:
        os.chmod(d, 0o755)
        with open(d + "/word", "w") as f:
            f.write("granted\n")
        os.chmod(d + "/word", 0o644)
        check(box("cat /etc/mine/word /etc/hostname", "--read", d + ":/etc/mine") == "granted\nbox\n")


def main():
    if os.geteuid() != 0 or LIBC.unshare(NEWNS) < 0:
        print("1..0 # SKIP only the host's root shares an /etc between boxes")
        return 0
    mount(None, "/", flags=REC | PRIVATE)
    mount("tmpfs", "/run", "tmpfs", data="mode=0755")
    if where_etc_is() != "overlay" and not os.path.isdir(PLACE):
        print("1..0 # SKIP boxes are not root's here")
        return 0
    failed = 0
    print("1..%d" % len(TESTS))
    for i, f in enumerate(TESTS, 1):
        try:
            f()
            print("ok %d - %s" % (i, f.__name__.replace("_", " ")))
        except Exception as e:  # noqa: BLE001
            failed += 1
            print("not ok %d - %s\n# %r" % (i, f.__name__.replace("_", " "), e))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
