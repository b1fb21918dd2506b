# SPDX-License-Identifier: Apache-2.0
"""node_box_test.py - a node that waits in a sealed box: what it leaves there, and when it is not used.

node_test.py compares many programs without a box; here few, with everything around them.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from nodetap import Tap

RUN, PROBE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
LONG_MS = "60000"


def run(options, command, user=None):
    """Returns (lines that the programs wrote, [account of each round], what went wrong)."""
    with tempfile.NamedTemporaryFile(mode="r", dir="/tmp") as report:
        os.chmod(report.name, 0o666)
        shell = ["/bin/sh", "-c", 'exec 3>"$1"; shift; exec "$@"', "sh", report.name, RUN, *options, "--", *command]
        who = {"user": user, "group": user, "extra_groups": []} if user else {}
        done = subprocess.run(shell, stdin=subprocess.DEVNULL, capture_output=True, timeout=100, cwd="/", **who)
        accounts = [json.loads(line) for line in report]
    return done.stdout.decode().splitlines(), accounts, done.stderr.decode()


def probe(tap, what, options, user=None):
    """The same program cold, and three times in one slot whose nodes wait."""
    script = ["node", "/work/node_probe.js", "word"]
    cold, cold_accounts, err = run(["-f", PROBE, *options], script, user)
    if not cold_accounts:
        tap.skip(what, (err.splitlines() or ["no slot"])[0][:150])
        return
    warm, accounts, err = run(["-w", "node", "-n", "3", "-r", "100", "-f", PROBE, *options], script, user)
    tap.ok([a["how"] for a in accounts] == ["waiting"] * 3, what + ": each had waited", accounts, err)
    tap.ok([a["exit"] for a in accounts] == [5, 5, 5] and cold_accounts[0]["exit"] == 5, what + ": exit code", accounts)
    tap.ok([a["interpreters"] for a in accounts] == [1, 2, 3], what + ": one for one call", accounts)
    same = len(cold) == 1 and len(warm) == 3
    for line in warm:
        here, there = json.loads(line), json.loads(cold[0]) if cold else {}
        for key, value in there.items():
            if here.get(key) != value:
                same = False
                print("#   %s: cold %r, warm %r" % (key, value, here.get(key)))
    tap.ok(same, what + ": nothing of ours and nothing of an earlier call is there", err)


def why(tap, what, options, command, expected, how="cold"):
    out, accounts, err = run(["-w", "node", *options], command)
    good = bool(accounts) and all(a["how"] == how and expected in a["why_cold"] for a in accounts)
    tap.ok(good, what, accounts, err, out)


def not_used(tap):
    why(tap, "code as an option", [], ["node", "-e", "1"], "options of the interpreter")
    why(tap, "no script", [], ["node"], "no script")
    why(tap, "another program", [], ["/bin/true"], "another program")
    why(tap, "one that cannot wait", ["-p", "/bin/true"], ["/bin/true", "x"], "has died")


def grows_old(tap):
    """One that waits for longer than it may makes room for another, without a call."""
    out, accounts, err = run(["-w", "node", "-a", "300", "-s", "3000"], ["node", "/dev/null"])
    good = bool(accounts) and accounts[0]["how"] == "waiting" and accounts[0]["interpreters"] > 1
    tap.ok(good, "who has waited for long is replaced", accounts, err)
    out, accounts, err = run(["-w", "node", "-a", LONG_MS, "-s", "1000"], ["node", "/dev/null"])
    tap.ok(bool(accounts) and accounts[0]["interpreters"] == 1, "and else is not", accounts, err)


def waiting_node(top):
    """The node that waits in the slot of this process; None: not yet."""
    def children(pid):
        try:
            with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as file:
                return [int(word) for word in file.read().split()]
        except OSError:
            return []

    for launcher in children(top):
        for pid in children(launcher):
            try:
                if os.path.basename(os.readlink("/proc/%d/exe" % pid)).startswith("node"):
                    return pid
            except OSError:
                pass
    return None


def hangs(tap):
    """It was told of its call and does nothing: the call starts cold, once."""
    with tempfile.NamedTemporaryFile(mode="w", suffix=".js", dir="/tmp") as script:
        script.write("console.log('here')\n")
        script.flush()
        with subprocess.Popen([RUN, "-w", "node", "-s", "8000", "-f", script.name, "--", "node",
                               "/work/" + os.path.basename(script.name)], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            node = None
            while not node and process.poll() is None:
                node = waiting_node(process.pid)
                time.sleep(0.02)
            if node:
                os.kill(node, signal.SIGSTOP)
            out, err = process.communicate(timeout=100)
    account = json.loads(err.decode().splitlines()[-1] if err else "{}")
    tap.ok(out == b"here\n" and account.get("how") == "cold" and "did not begin" in account["why_cold"],
           "one that hangs is one that never ran", out, err)


def counts(tap):
    """What it used before its call is not the call's; on a slow host it needs longer to be ready."""
    def used(options):
        account = run(options, ["node", "/dev/null"])[1][0]
        return account["user_us"] + account["system_us"]

    cold, warm = used([]), 0
    for settle_ms in ("1000", "4000", "16000"):
        warm = used(["-w", "node", "-s", settle_ms])
        if warm < cold / 2:
            break
    tap.ok(warm < cold / 2, "its start is not charged to the call", cold, warm)


def main():
    if not shutil.which("node"):
        print("1..0 # SKIP there is no node on this host")
        return 0
    if os.getuid() != 0:
        print("1..0 # SKIP wants root")
        return 0
    tap = Tap()
    if not run([], ["/bin/true"])[1]:
        print("1..0 # SKIP no box on this host: " + run([], ["/bin/true"])[2].replace("\n", " ")[:200])
        return 0
    probe(tap, "as root", [])
    probe(tap, "listed programs", ["-l", "node", "-l", "/bin/ls", "-l", "/usr/bin/env", "-l", "/usr/bin/unshare"])
    probe(tap, "as an ordinary user", ["-d"], user=65534)
    not_used(tap)
    grows_old(tap)
    counts(tap)
    hangs(tap)
    print("1..%d" % tap.count)
    return tap.failed != 0


if __name__ == "__main__":
    sys.exit(main())
