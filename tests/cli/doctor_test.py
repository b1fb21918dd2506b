#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""doctor_test.py BELLJAR: what belljar doctor prints is well-formed, agrees with its exit code,
and the walls hold."""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from terminal import said_to_terminal  # noqa: E402

BELLJAR = os.path.realpath(sys.argv[1])
STATES = {"ok", "degraded", "missing", "info"}
WEAKER = "memory,processes,cpu"


class Skip(Exception):
    pass


def doctor(*args, program=BELLJAR, **more):
    return subprocess.run(
        [program, "doctor", *args], capture_output=True, text=True, timeout=120, **more
    )


def check(truth, what):
    if not truth:
        raise AssertionError(what)


def examined(options=(), **more):
    result = doctor("--json", *options, **more)
    report = json.loads(result.stdout)
    check(report["schema"] == 1, "schema")
    check(set(report) == {"schema", "mode", "all_layers", "verdict", "checks"}, "keys")
    check(result.returncode == (0 if report["all_layers"] else 1), "exit code")
    check(result.stderr == "", result.stderr)
    return report


def the_findings_are_json_and_agree_with_the_exit_code():
    report = examined()
    ids = [c["id"] for c in report["checks"]]
    check(len(ids) == len(set(ids)) and len(ids) > 30, "ids are unique")
    for c in report["checks"]:
        check(set(c) == {"id", "group", "title", "state", "detail", "fix", "baseline_bytes",
                         "waiting_bytes"}, c)
        check(c["state"] in STATES and c["detail"], c)
        check(c["state"] != "missing" or c["fix"], c)
    check(report["mode"] == ("root" if os.geteuid() == 0 else "user"), report["mode"])


def the_table_has_every_check_and_ends_with_the_verdict():
    report = examined()
    lines = doctor().stdout.splitlines()
    check(lines[-1] == report["verdict"], lines[-1])
    for c in report["checks"]:
        check(any(c["title"] in line for line in lines), c["title"])
    check("\033" not in "".join(lines), "colour in a pipe")
    quiet = doctor("--quiet").stdout.splitlines()
    check(quiet[-1] == report["verdict"] and len(quiet) < len(lines), "quiet")
    check(not any(line.startswith(("  ok ", "  info ")) for line in quiet), quiet)


def finding(report, name):
    return next(c for c in report["checks"] if c["id"] == name)


def what_waits_is_tried_and_measured():
    report = examined()
    warm = finding(report, "warm_python")
    if finding(report, "python")["state"] != "ok" or finding(report, "memory")["state"] != "ok":
        check(warm["state"] in ("info", "degraded") and warm["fix"], warm)
        raise Skip("no python3, or nothing that limits memory")
    if warm["state"] == "degraded" and "not ready" in warm["detail"]:
        raise Skip("this host is too slow just now")
    check(warm["state"] == "ok" and not warm["fix"], warm)
    check(warm["baseline_bytes"] > 4 << 20, warm)
    if report["mode"] == "root":
        check(0 < warm["waiting_bytes"] < warm["baseline_bytes"], warm)


POLICY = """version: 1
clients: { local: { uid: any, tools: ["*"] } }
runtimes:
  small: { language: python, modules: [json, decimal], env: { TZ: UTC } }
  gone: { language: python, program: /usr/bin/no-such-python }
tools:
  code: { kind: code, languages: [python], runtimes: [small] }
  other: { kind: code, languages: [python], runtimes: [gone] }
"""


def interpreters_of_a_policy_are_tried_and_measured():
    with tempfile.TemporaryDirectory(dir="/var/tmp") as where:
        path = os.path.join(where, "policy.yaml")
        with open(path, "w", encoding="utf-8") as out:
            out.write(POLICY)
        report = examined(options=["--policy", path])
        by_name = examined(env={**os.environ, "BELLJAR_POLICY": path})
        with open(path, "w", encoding="utf-8") as out:
            out.write("version: 7\n")
        broken = examined(options=["--policy", path])
        with open(path, "w", encoding="utf-8") as out:
            out.write(POLICY.replace("/usr/bin/no-such-python", "/tmp/venv/bin/python"))
        late = examined(options=["--policy", path])
    rows = [c for c in report["checks"] if c["id"].startswith("policy_runtime_")]
    check(len(rows) == 2 and all(c["group"] == "warm boxes" for c in rows), rows)
    check(len([c for c in by_name["checks"] if c["id"].startswith("policy_runtime_")]) == 2, by_name)
    small, gone = rows if "decimal" in rows[0]["detail"] else rows[::-1]
    check(gone["state"] == "degraded" and "no-such-python" in gone["detail"] and "install" in gone["fix"], gone)
    check(any("keep it elsewhere" in (c["fix"] or "") for c in late["checks"]), late)
    check("json, decimal" in small["detail"], small)
    last = broken["checks"][-1]
    check(last["state"] == "degraded" and "policy check" in last["detail"], last)
    if finding(report, "warm_python")["state"] == "ok" and "not ready" not in small["detail"]:
        check(small["state"] == "ok" and small["baseline_bytes"] > 4 << 20, small)
        check(small["baseline_bytes"] < finding(report, "warm_python")["baseline_bytes"], rows)
    check(not any(c["id"].startswith("policy_runtime_") for c in examined()["checks"]), "none by itself")


def an_interpreter_elsewhere_is_tried_where_its_tool_may_read_it():
    if os.geteuid() != 0:
        raise Skip("only root can put one beneath /opt")
    where = tempfile.mkdtemp(prefix="belljar-doctor-", dir="/opt")
    try:
        os.chmod(where, 0o755)
        os.mkdir(f"{where}/bin", 0o755)
        os.symlink("/usr/bin/python3", f"{where}/bin/mine")
        with open(f"{where}/policy.yaml", "w", encoding="utf-8") as out:
            out.write(POLICY.replace("/usr/bin/no-such-python", f"{where}/bin/mine")
                      .replace("runtimes: [gone]", f"runtimes: [gone], read: [{where}]"))
        report = examined(options=["--policy", f"{where}/policy.yaml"])
    finally:
        shutil.rmtree(where)
    row = next(c for c in report["checks"] if c["title"] == "mine, policy")
    if finding(report, "warm_python")["state"] != "ok" or "not ready" in row["detail"]:
        raise Skip("nothing waits here just now")
    check(row["state"] == "ok" and row["baseline_bytes"] > 4 << 20, row)


def what_cannot_wait_says_why():
    if os.geteuid() != 0:
        raise Skip("only root can be somebody without control groups")
    with tempfile.TemporaryDirectory() as where:
        os.chmod(where, 0o755)
        program = shutil.copy(BELLJAR, where)
        report = examined(user=54321, group=54321, extra_groups=[], program=program)
    if finding(report, "memory")["state"] == "ok":
        raise Skip("users have control groups here")
    warm = finding(report, "warm_python")
    check(warm["state"] != "ok" and warm["fix"], warm)
    check(warm["baseline_bytes"] is None and warm["waiting_bytes"] is None, warm)
    warm = finding(report, "warm_node")  # it is started, not forked: no group is needed
    check("nothing waited" not in warm["detail"], warm)


def on_a_terminal(**variables):
    env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    return said_to_terminal([BELLJAR, "doctor"], env=dict(env, **variables))


def colours_are_for_terminals_that_want_them():
    check(b"\033[32mok\033[0m" in on_a_terminal(TERM="linux"), "no colour")
    check(b"\033" not in on_a_terminal(TERM="linux", NO_COLOR="1"), "colour in spite of NO_COLOR")
    check(b"\033" not in on_a_terminal(TERM="dumb"), "colour on a terminal that has none")


def wrong_options_are_named():
    for args, word in (
        (["--jsn"], "--jsn"),
        (["extra"], "extra"),
        (["--attack", "--allow-degraded", "memry"], "memry"),
        (["--cgroup", "/x"], "--attack"),
    ):
        result = doctor(*args)
        check(result.returncode == 125 and word in result.stderr, (args, result.stderr))
        check(result.stdout == "", result.stdout)
    check("--attack" in doctor("--help").stdout, "help")


def attacked(*args, **more):
    result = doctor("--attack", "--json", *args, **more)
    if result.returncode == 125 and "a box to attack" in result.stderr:
        raise Skip(result.stderr.strip())
    report = json.loads(result.stdout)
    check(report["schema"] == 1, "schema")
    states = [a["state"] for a in report["attacks"]]
    check(set(states) <= {"held", "FELL", "skip"}, states)
    check(len(states) >= 35 and report["held"] == states.count("held"), "held")
    check(report["fell"] == states.count("FELL"), "fell")
    check(result.returncode == (0 if report["all_held"] else 1), "exit code")
    return report


# Only the host's root can make device nodes: in user mode a box has the host's.
KNOWN = {"root": set(), "user": {"locks", "watches"}}


def fallen(report):
    return [
        "%(name)s: %(detail)s" % a
        for a in report["attacks"]
        if a["state"] == "FELL" and a["name"] not in KNOWN[report["mode"]]
    ]


def every_wall_holds():
    report = attacked()
    check(not fallen(report), fallen(report))
    check(report["all_held"] or report["mode"] == "user", report["verdict"])


def nothing_is_left_behind():
    segments = open("/proc/sysvipc/shm").read().count("\n")
    before = set(glob.glob("/tmp/belljar-bait-*"))
    attacked()
    check(set(glob.glob("/tmp/belljar-bait-*")) <= before, "a file")
    check(open("/proc/sysvipc/shm").read().count("\n") <= segments, "shared memory")


def the_attack_runs_in_boxes_only():
    result = subprocess.run([BELLJAR, "attack-inside"], capture_output=True, text=True, timeout=60)
    check(result.returncode == 125 and "box only" in result.stderr, result.stderr)
    check(result.stdout == "", result.stdout)


def walls_hold_for_an_ordinary_user_too():
    if os.geteuid() != 0:
        raise Skip("we are one, see every_wall_holds")
    with tempfile.TemporaryDirectory() as where:
        os.chmod(where, 0o755)
        program = shutil.copy(BELLJAR, where)
        user = {"user": 54321, "group": 54321, "extra_groups": [], "program": program}
        check(examined(**user)["mode"] == "user", "mode")
        report = attacked("--allow-degraded", WEAKER, **user)
        check(report["mode"] == "user", report["mode"])
        check(not fallen(report), fallen(report))


TESTS = [
    the_findings_are_json_and_agree_with_the_exit_code,
    the_table_has_every_check_and_ends_with_the_verdict,
    what_waits_is_tried_and_measured,
    interpreters_of_a_policy_are_tried_and_measured,
    an_interpreter_elsewhere_is_tried_where_its_tool_may_read_it,
    what_cannot_wait_says_why,
    colours_are_for_terminals_that_want_them,
    wrong_options_are_named,
    every_wall_holds,
    nothing_is_left_behind,
    the_attack_runs_in_boxes_only,
    walls_hold_for_an_ordinary_user_too,
]


def main():
    failed = 0
    print("1..%d" % len(TESTS))
    for number, test in enumerate(TESTS, 1):
        try:
            test()
            print("ok %d - %s" % (number, test.__name__))
        except Skip as why:
            print("ok %d - %s # SKIP %s" % (number, test.__name__, why))
        except Exception as why:  # a report that is no JSON is a failure like any other
            failed += 1
            print("# %r" % why)
            print("not ok %d - %s" % (number, test.__name__))
        sys.stdout.flush()
    return 1 if failed else 0


sys.exit(main())
