#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""reachable_test.py REACHABLE: a tree beneath a closed directory can be entered by everybody, for one command only."""
import os
import shutil
import stat
import subprocess
import sys
import tempfile

USER = 61234
READS = ["setpriv", "--reuid=%d" % USER, "--regid=%d" % USER, "--clear-groups", "cat"]
failed = 0


def check(number, name, fine, why=""):
    global failed
    if not fine:
        failed += 1
        print("# " + repr(why)[:1000])
    print("%s %d - %s" % ("ok" if fine else "not ok", number, name))


def make(base):
    """base/closed/open/closed/tree, and what lies beside it."""
    tree = base + "/closed/open/shut/tree"
    os.makedirs(tree + "/scripts")
    shutil.copy(sys.argv[1], tree + "/scripts/reachable.sh")
    for path, text in ((tree + "/file", "in the tree"), (base + "/closed/beside it", "beside it")):
        with open(path, "w") as file:
            file.write(text)
    os.symlink("beside it", base + "/closed/.link")
    for path, mode in (("", 0o755), ("/closed", 0o700), ("/closed/open", 0o755), ("/closed/open/shut", 0o750)):
        os.chmod(base + path, mode)
    return tree


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def mounts():
    with open("/proc/self/mountinfo") as text:
        return text.read()


def main():
    if os.geteuid() != 0 or run("unshare", "--mount", "true").returncode or not shutil.which("setpriv"):
        print("1..0 # SKIP needs root, mounts and setpriv")
        return
    print("1..6")
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="belljar-reach-") as base:
        tree = make(base)
        script = tree + "/scripts/reachable.sh"
        done = run(script, *READS, tree + "/file")
        check(1, "a user reads what is in the tree", done.stdout == "in the tree", done)
        done = run(*READS, tree + "/file")
        check(2, "and without it does not", done.returncode != 0 and "denied" in done.stderr, done)
        done = run(script, "sh", "-c", "pwd; cat '%s/closed/.link'; echo kept >kept" % base)
        check(3, "what lies beside the tree is there", done.stdout == tree + "\nbeside it", done)
        check(4, "what is written stays", os.path.exists(tree + "/kept"))
        modes = [stat.S_IMODE(os.stat(base + path).st_mode) for path in ("/closed", "/closed/open/shut")]
        check(5, "nothing has changed", modes == [0o700, 0o750] and base not in mounts(), modes)
        os.chmod(tree, 0o700)
        done = run(script, "true")
        check(6, "a tree that is closed itself is said to be", done.returncode == 1 and "chmod" in done.stderr, done)
    sys.exit(1 if failed else 0)


main()
