#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""needskeep_test.py BOX_ALONE: what listed programs need is kept, believed while nothing has changed, and no longer.

In a mount namespace of the test's own, with a /run and a /usr of its own.
"""
import ctypes
import glob
import os
import shutil
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sentences import check, tell  # noqa: E402

BOX_ALONE = os.path.realpath(sys.argv[1])
PLACE = "/run/belljar"
SCRIPT = "/usr/local/bin/belljar-tool"
LIBC = ctypes.CDLL(None, use_errno=True)
NEWNS, REC, PRIVATE = 0x20000, 16384, 1 << 18
HEAD = struct.Struct("=8s6I")
SIGHT, ITEM = 56, 16


def mount(source, target, kind=None, flags=0, data=None):
    words = [None if w is None else w.encode() for w in (source, target, kind, data)]
    if LIBC.mount(words[0], words[1], words[2], flags, words[3]) < 0:
        raise OSError(ctypes.get_errno(), "mount %s" % target)


def box(*command, programs):
    return subprocess.run([BOX_ALONE, "run", "--programs", programs, "--", *command], capture_output=True, text=True,
                          timeout=60, check=False)


def kept():
    return glob.glob(PLACE + "/needs-*")


def forget():
    for name in kept():
        os.unlink(name)


def the_one():
    names = kept()
    check(len(names) == 1, names)
    return names[0]


def rewrite(name, change):
    """Another file in its place, as whoever keeps it makes one."""
    with open(name, "rb") as file:
        data = change(file.read())
    os.unlink(name)
    with open(name, "wb") as file:
        file.write(data)
    os.chmod(name, 0o600)


def without_items(data):
    """As if the programs needed nothing: whoever believes it shows a box without them."""
    magic, programs, sights, items, texts, code, unused = HEAD.unpack_from(data)
    rows = HEAD.size + sights * SIGHT
    return HEAD.pack(magic, programs, sights, 0, texts, code, unused) + data[HEAD.size:rows] + data[rows + items * ITEM:]


def keep_true():
    forget()
    done = box("true", programs="true")
    check(done.returncode == 0, "a box with true: %r" % done)
    return the_one()


def what_is_kept_is_believed():
    name = keep_true()
    rewrite(name, without_items)
    done = box("true", programs="true")
    check(done.returncode == 127, "a list without true was not believed: %r" % done)


def what_is_kept_for_others_is_not():
    name = keep_true()
    rewrite(name, lambda data: without_items(data).replace(b"\0true\0", b"\0True\0").replace(b"true\0", b"True\0", 1))
    check(box("true", programs="true").returncode == 0, "a list for another program was believed")
    check(box("cat", "/usr/bin/true", programs="cat").returncode == 1, "true is in a box for cat")


def what_is_not_whole_is_not():
    for length in (0, 7, 31, 40, 200, -1, -30):
        name = keep_true()
        rewrite(name, lambda data, length=length: without_items(data)[:length])
        check(box("true", programs="true").returncode == 0, "%d bytes of a list were believed" % length)


def what_others_could_write_is_not():
    def by_mode(name):
        os.chmod(name, 0o620)

    def by_owner(name):
        os.chown(name, 65534, 65534)

    def by_link(name):
        os.rename(name, "/run/elsewhere")
        os.symlink("/run/elsewhere", name)

    def by_place(name):
        os.chmod(PLACE, 0o777)

    for spoil in (by_mode, by_owner, by_link, by_place):
        name = keep_true()
        rewrite(name, without_items)
        check(box("true", programs="true").returncode == 127, "the twin: before it is spoilt it is believed")
        spoil(name)
        done = box("true", programs="true")
        os.chmod(PLACE, 0o755)
        check(done.returncode == 0, "%s: %r" % (spoil.__name__, done))


def write_script(interpreter, words):
    with open(SCRIPT + ".new", "w", encoding="ascii") as file:
        file.write("#!%s\n%s\n" % (interpreter, words))
    os.chmod(SCRIPT + ".new", 0o755)
    os.rename(SCRIPT + ".new", SCRIPT)


def what_is_young_is_not_kept():
    """It could change within the same tick of the file system's clock."""
    forget()
    write_script("/bin/sh", "echo one")
    check(box(SCRIPT, programs=SCRIPT).stdout == "one\n", "the script")
    check(not kept(), kept())


def a_program_that_has_changed_is_looked_at_again():
    forget()
    write_script("/bin/sh", "echo one")
    age()
    check(box(SCRIPT, programs=SCRIPT).stdout == "one\n", "the script")
    name = the_one()
    with open(name, "rb") as file:
        before = file.read()
    write_script("/bin/bash", "echo two $BASH_VERSION")
    done = box(SCRIPT, programs=SCRIPT)
    check(done.stdout.startswith("two "), done)
    check(done.stdout != "two \n", done)
    age()
    check(box(SCRIPT, programs=SCRIPT).returncode == 0, "once more")
    with open(the_one(), "rb") as file:
        check(file.read() != before, "the list of before is still there")


def what_has_come_is_seen():
    """A program of that name where it is looked for earlier."""
    name = keep_true()
    rewrite(name, without_items)
    check(box("true", programs="true").returncode == 127, "the twin: it is believed")
    shutil.copy("/usr/bin/true", "/usr/local/bin/true")
    check(box("true", programs="true").returncode == 0, "what was kept is believed though another true has come")
    os.unlink("/usr/local/bin/true")


def a_directory_of_modules_with_one_more_is_seen():
    python = os.path.realpath("/usr/bin/python3")
    version = os.path.basename(python)
    forget()
    check(box(python, "-c", "pass", programs=python).returncode == 0, "python")
    name = the_one()
    rewrite(name, without_items)
    check(box(python, "-c", "pass", programs=python).returncode == 127, "the twin: it is believed")
    os.makedirs("/usr/local/lib/%s/dist-packages/deeper" % version, exist_ok=True)
    check(box(python, "-c", "pass", programs=python).returncode == 0, "a library that has grown is not looked at")


def lists_do_not_pile_up():
    age()
    forget()
    for i in range(70):
        with open(PLACE + "/needs-%016x" % i, "w", encoding="ascii"):
            pass
    check(box("cat", "/dev/null", programs="cat").returncode == 0, "a box with cat")
    check(len(kept()) == 1, len(kept()))


def age():
    """Times of what was just made lie in the past: the clock goes on for a moment only."""
    time.sleep(3.2)


def main():
    if os.geteuid() != 0 or LIBC.unshare(NEWNS) < 0:
        print("1..0 # SKIP only the host's root keeps anything")
        return 0
    mount(None, "/", flags=REC | PRIVATE)
    mount("tmpfs", "/run", "tmpfs", data="mode=0755")
    for name in ("/run/upper", "/run/work"):
        os.mkdir(name)
    mount("overlay", "/usr", "overlay", data="lowerdir=/usr,upperdir=/run/upper,workdir=/run/work")
    tests = [
        what_is_kept_is_believed,
        what_is_kept_for_others_is_not,
        what_is_not_whole_is_not,
        what_others_could_write_is_not,
        what_is_young_is_not_kept,
        a_program_that_has_changed_is_looked_at_again,
        what_has_come_is_seen,
        a_directory_of_modules_with_one_more_is_seen,
        lists_do_not_pile_up,
    ]
    age()
    return tell(tests)


sys.exit(main())
