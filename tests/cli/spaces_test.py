#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""spaces_test.py BELLJAR: no box of any kind may have further user namespaces, whatever its filter says.

The kernel's own limit is looked at from outside, in the user namespace of a program that sleeps in the box; the twin
looks at it in a user namespace that is no box.
"""
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from patience import scratch  # noqa: E402
from sentences import Skip, check, tell  # noqa: E402

BELLJAR = os.path.realpath(sys.argv[1])
PATIENCE_S = 30
SOMEBODY = 54321
LIMIT = "/proc/sys/user/max_user_namespaces"
SLEEP_S = "86399"
POLICY = """version: 1
clients: { me: { uid: any, tools: [sleep] } }
tools:
  sleep: { kind: command, exec: [/usr/bin/sleep, "%s"] }
""" % SLEEP_S


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            below = file.read().split()
    except (FileNotFoundError, ProcessLookupError):
        return []
    return below + [more for child in below for more in children(child)]


def sleeper(top):
    """The program, when it has begun."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until and top.poll() is None:
        for pid in children(top.pid):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    if file.read().split(b"\0")[-2:-1] == [SLEEP_S.encode()]:
                        if os.readlink(f"/proc/{pid}/exe").endswith("/sleep"):
                            return pid
            except OSError:
                pass
        time.sleep(0.02)
    raise AssertionError(f"nothing sleeps: {top.poll()}")


def limit_where(pid):
    done = subprocess.run(["nsenter", "-U", "--preserve-credentials", "-t", pid, "cat", LIMIT], capture_output=True,
                          text=True, timeout=PATIENCE_S, check=False)
    check(done.returncode == 0, done)
    return int(done.stdout)


def look_into(words, user=None):
    who = {} if user is None else {"user": user, "group": user, "extra_groups": []}
    with scratch() as where:
        os.chown(where, user or 0, user or 0)
        with open(where + "/policy.yaml", "w", encoding="ascii") as file:
            file.write(POLICY)
        words = [word.replace("PLACE", where) for word in words]
        env = dict(os.environ, BELLJAR_STATE=where + "/state")
        with subprocess.Popen([BELLJAR, *words], env=env, stdin=subprocess.DEVNULL, **who) as top:
            try:
                check(limit_where(sleeper(top)) == 0, f"there may be further ones: {words}")
            finally:
                top.send_signal(signal.SIGTERM)
                top.wait(PATIENCE_S)


def run(*options, user=None):
    look_into(["run", "--quiet", "--wall", "60s", *options, "--", "/usr/bin/sleep", SLEEP_S], user)


def a_plain_run():
    run()


def a_run_of_a_users():
    run("--allow-degraded", "memory,processes,cpu", user=SOMEBODY)


def listed_programs():
    run("--programs", "sleep")


def a_directory_that_was_lent():
    run("--read", "/usr/share:/lent")


def all_of_proc():
    run("--proc", "full")


def a_call_whose_slot_is_begun_early():
    look_into(["call", "--quiet", "--policy", "PLACE/policy.yaml", "sleep"])


def the_twin_a_user_namespace_without_a_box():
    with open(LIMIT, encoding="ascii") as file:
        if int(file.read()) == 0:
            raise Skip("this host allows none at all")
    with subprocess.Popen(["unshare", "-U", "-r", "-f", "--kill-child", "/usr/bin/sleep", SLEEP_S]) as top:
        try:
            check(limit_where(sleeper(top)) > 0, "it is 0 without a box as well")
        finally:
            top.kill()


TESTS = [a_plain_run, a_run_of_a_users, listed_programs, a_directory_that_was_lent, all_of_proc,
         a_call_whose_slot_is_begun_early, the_twin_a_user_namespace_without_a_box]


def main():
    if os.geteuid() != 0:
        print("1..0 # SKIP only root can enter the user namespace of a box")
        return 0
    return tell(TESTS)


sys.exit(main())
