#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scope_test.py BELLJAR: where systemd has to be asked for control groups, it is asked to start the same again.

In mounts of the test's own: no control groups, a /run that says systemd runs, and a systemd-run that only writes down
what it is asked for."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sentences import tell  # noqa: E402

BELLJAR = os.path.realpath(sys.argv[1])
ASKED = "/usr/bin/systemd-run"
POLICY = """version: 1
clients: { me: { uid: any, tools: [yes] } }
tools:
  yes: { kind: command, exec: [/bin/true] }
"""
LESS = "allow_degraded: [memory, processes, cpu, overlay]\n"
NOBODY = "65534"
MOUNTS = """set -e
mount --make-rprivate /
mount -t tmpfs tmpfs /sys/fs/cgroup
mount -t tmpfs tmpfs /run
mkdir -p /run/systemd/system /run/user/{nobody}/systemd
mount --bind "$1/systemd-run" {asked}
shift
exec "$@"
""".format(asked=ASKED, nobody=NOBODY)


def without_groups(place, words):
    return subprocess.run(["unshare", "-m", "sh", "-c", MOUNTS, "sh", place, *words], capture_output=True, text=True,
                          timeout=60, env=dict(os.environ, BELLJAR_STATE=place + "/state"))


def asked_for(*words):
    """What systemd-run heard, if it did."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        with open(place + "/systemd-run", "w", encoding="ascii") as file:
            file.write('#!/bin/sh\nprintf "%s\\n" "$@" >' + place + "/heard\n")
        os.chmod(place + "/systemd-run", 0o755)
        with open(place + "/policy.yaml", "w", encoding="ascii") as file:
            file.write(POLICY)
        words = [word.replace("PLACE", place) for word in words]
        done = without_groups(place, [BELLJAR, *words])
        try:
            with open(place + "/heard", encoding="ascii") as file:
                heard = file.read().splitlines()
        except FileNotFoundError:
            raise AssertionError(f"it was not asked: {done}") from None
        assert "--" in heard, heard
        return heard[:heard.index("--")], heard[heard.index("--") + 1:]


def a_run_starts_again_with_the_same_words():
    options, command = asked_for("run", "--quiet", "--", "/bin/true", "--", "$HOME")
    assert "--scope" in options and "Delegate=yes" in options, options
    assert command == [BELLJAR, "run", "--quiet", "--", "/bin/true", "--", "$HOME"], command


def the_slot_of_a_call_does_so_too():
    _, command = asked_for("call", "--policy", "PLACE/policy.yaml", "--state", "PLACE/meter", "--audit", "PLACE/log",
                           "yes")
    assert command[:4] == [BELLJAR, "slot", "--fd", "3"] and command[4].startswith("--"), command
    assert "--later" not in command, command


def whose_policy_does_without_groups_asks_nobody():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        os.chown(place, int(NOBODY), int(NOBODY))
        with open(place + "/systemd-run", "w", encoding="ascii") as file:
            file.write('#!/bin/sh\necho "$@" >>' + place + "/heard\nexit 1\n")
        os.chmod(place + "/systemd-run", 0o755)
        with open(place + "/policy.yaml", "w", encoding="ascii") as file:
            file.write(POLICY + LESS)
        os.chown(place + "/policy.yaml", int(NOBODY), int(NOBODY))
        done = without_groups(place, ["setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", BELLJAR,
                                      "call", "--policy", place + "/policy.yaml", "--state", place + "/meter",
                                      "--audit", place + "/log", "yes"])
        assert done.returncode == 0 and not os.path.exists(place + "/heard"), done


TESTS = [a_run_starts_again_with_the_same_words, the_slot_of_a_call_does_so_too,
         whose_policy_does_without_groups_asks_nobody]


def main():
    if os.geteuid() != 0:
        print("1..0 # SKIP only root can lay another systemd-run over the host's")
        return 0
    if not os.path.exists(ASKED):
        print(f"1..0 # SKIP there is no {ASKED} here to lay another one over")
        return 0
    return tell(TESTS)


sys.exit(main())
