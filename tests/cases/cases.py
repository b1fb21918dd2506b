#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""cases.py BELLJAR [NAME…] - runs the cases in this directory, each as root and as a user.

A case is a file NAME.case.  Its first line, "# …", says what it shows.  Then
lines "key: value"; a value that takes several lines follows indented by a tab.

  as: both|root|user        who runs it (both)
  needs: WORD…              node, cgroup-v1, x86_64, root-build: else it is skipped
  setup:                    shell commands, run by that user in {tmp} beforehand
  file: NAME TEXT           makes {tmp}/NAME with the indented text below it; may come again
  run: ARGS                 what stands after "belljar run", split like a shell does
  call: ARGS                the same after "belljar call"; also policy and screen
  stdin: TEXT               given to belljar; stdin-bytes: N gives so many of them
  stdout: full|nonblocking|stalled S   what belljar's stdout is, if not a pipe that is read at once
  umask: 077                the caller's
  closed: 0 1 2             descriptors that belljar is started without
  signal: NAME TEXT         sent to belljar once its stdout shows TEXT
  expect-exit: N            the exit code
  expect-stdout: TEXT       exactly; also expect-stderr.  One line has its newline added.
  expect-stdout-bytes: N    so many of them
  expect-stdout-has: TEXT   also -lacks, and the same for stderr
  expect-json: PATH OP VALUE   in the account (--json or {status}); PATH is dotted; OP is one of
                            == != < > <= >= has ~; VALUE is JSON, or a regular expression for ~
  expect-live: S            the first output comes at least so many seconds before the end
  expect-seconds: S         it takes less than that
  then:                     shell commands that must succeed afterwards, run in {tmp}

{tmp} is a directory of the case's own, {status} the descriptor for --status-fd, {nl} a newline,
{bytes:N} that many bytes, {belljar} the program.  {allow} is the line of
a policy that lets a user do without control groups where there are none, or nothing.  belljar call
and its like find their policy in {tmp}/policy.yaml if the case has such a file, and keep their
state in {tmp}/state.  As a user on a host that gives users no control
groups, --allow-degraded is added; a case that wants none says "degraded: no".  {degraded} is that
option, for commands of setup and then.
Every account, whatever the case, is checked for being whole and for not contradicting itself.
"""
import base64
import glob
import json
import os
import platform
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
import patience

left_over = []  # directories that a scribe was still writing to
USER = int(os.environ.get("CASES_UID", "61234"))
LIMIT_S = 60
WORKERS = 4
REPEATABLE = {"expect-json", "expect-stdout-has", "expect-stderr-has", "expect-stdout-lacks",
              "expect-stderr-lacks"}
SINGLE = {"as", "needs", "setup", "run", "call", "policy", "screen", "stdin", "stdin-bytes", "stdout", "umask", "closed",
          "signal", "expect-exit", "expect-stdout", "expect-stderr", "expect-stdout-bytes",
          "expect-live", "expect-seconds", "then", "degraded"}
COMMANDS = ("run", "call", "policy", "screen")
START_KEYS = {"how", "why_cold", "baseline_bytes", "interpreter_age_ms", "interpreter_calls"}
ACCOUNT_KEYS = {"schema", "id", "status", "success", "exit_code", "signal", "signal_name",
                "was_killed", "kill_reason", "execution_time_ms", "setup_time_ms", "start", "error",
                "stdout", "stderr", "resource_usage", "limits", "near_misses", "artifacts",
                "backend", "mode", "layers", "why", "redactions", "receipt", "receipt_started",
                "policy"}
ANSWER_KEYS = ACCOUNT_KEYS | {"tool", "client", "decision", "dry_run", "refused_by", "screening",
                              "remaining"}
STATUSES = {"success", "error", "timeout", "resource_exceeded", "denied", "unknown"}
KILL_REASONS = {None, "wall", "cpu", "memory", "processes", "disk", "output", "signal",
                "violation", "cancelled", "canary"}


class Case:
    """One file, read."""

    def __init__(self, path):
        self.name = os.path.basename(path).removesuffix(".case")
        self.title, self.one, self.many = "", {}, {key: [] for key in REPEATABLE}
        self.files = {}
        with open(path, encoding="utf-8") as text:
            lines = text.read().split("\n")
        while lines:
            line = lines.pop(0)
            if line.startswith("#"):
                self.title = self.title or line.removeprefix("#").strip()
                continue
            if not line:
                continue
            key, colon, value = line.partition(":")
            if key == "file":
                self.files[value.strip()] = self.block(lines)
                continue
            if not colon or key not in REPEATABLE | SINGLE:
                raise ValueError(f"{self.name}: what is '{line}'?")
            self.put(key, value.strip() + "\n" if value.strip() else self.block(lines))
        commands = [word for word in COMMANDS if word in self.one]
        if len(commands) != 1 or not self.title:
            raise ValueError(f"{self.name}: needs a first line '# …' and one command")
        self.command = commands[0]
        self.line = self.one[self.command]

    @staticmethod
    def block(lines):
        text = ""
        while lines and lines[0].startswith("\t"):
            text += lines.pop(0)[1:] + "\n"
        return text

    def put(self, key, value):
        if key in REPEATABLE:
            self.many[key].append(value.rstrip("\n"))
        elif key in self.one:
            raise ValueError(f"{self.name}: {key} is there twice")
        else:
            self.one[key] = value

    def word(self, key, default=""):
        return self.one.get(key, default).strip()


class Host:
    """What this machine offers, found out once."""

    def __init__(self, belljar):
        self.belljar = belljar
        self.degraded = []
        self.has = {
            "node": shutil.which("node", path="/usr/local/bin:/usr/bin:/bin") is not None,
            "x86_64": platform.machine() == "x86_64",
            "cgroup-v1": os.path.isdir("/sys/fs/cgroup/memory"),
            "root-build": subprocess.run([belljar, "root", "--help"], capture_output=True,
                                         stdin=subprocess.DEVNULL).returncode == 0,
        }

    def probe_user(self):
        """May a user have groups here?  If not, the cases name the layers that must do without."""
        home = tempfile.mkdtemp()
        os.chmod(home, 0o700)
        if os.geteuid() == 0:
            os.chown(home, USER, USER)
        done = subprocess.run([self.belljar, "run", "--", "/bin/true"], stdin=subprocess.DEVNULL,
                              capture_output=True, env=environment(home), **as_user("user"))
        left_over.append(home)
        if done.returncode == 125:
            self.degraded = ["--allow-degraded", "memory,processes,cpu"]


def environment(home):
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": home, "LC_ALL": "C.UTF-8",
           "BELLJAR_TEST_CANARY": "outside", "BELLJAR_STATE": f"{home}/state"}
    if os.path.exists(f"{home}/policy.yaml"):
        env["BELLJAR_POLICY"] = f"{home}/policy.yaml"
    return env


def as_user(who):
    if who == "user" and os.geteuid() == 0:
        return {"user": USER, "group": USER, "extra_groups": []}
    return {}


class Reader(threading.Thread):
    """Takes a stream to its end, remembers when the first byte came."""

    def __init__(self, fd, delay=0.0):
        super().__init__(daemon=True)
        self.fd, self.delay, self.data, self.first = fd, delay, b"", None
        self.start()

    def run(self):
        time.sleep(self.delay)
        while chunk := os.read(self.fd, 65536):
            self.first = self.first or time.monotonic()
            self.data += chunk
        os.close(self.fd)


class Run:
    """One execution of a case, and what came of it."""

    def __init__(self, case, host, who):
        self.case, self.host, self.who, self.wrong = case, host, who, []
        self.tmp = tempfile.mkdtemp(prefix="case-")
        self.give(self.tmp)
        os.chmod(self.tmp, 0o755)
        self.status_read = self.status_write = None
        self.account = None

    def fill(self, text):
        text = text.replace("{tmp}", self.tmp).replace("{nl}", "\n")
        text = text.replace("{belljar}", self.host.belljar)
        text = text.replace("{degraded}",
                            " ".join(self.host.degraded) if self.who == "user" else "")
        lacks = self.who == "user" and self.host.degraded
        text = text.replace("{allow}",
                            f"allow_degraded: [{self.host.degraded[1]}]" if lacks else "")
        text = re.sub(r"\{bytes:(\d+)\}", lambda m: "x" * int(m[1]), text)
        return text.replace("{status}", str(self.status_write))

    def make_files(self):
        for name, text in self.case.files.items():
            path = os.path.join(self.tmp, name)
            if os.path.dirname(name):
                os.makedirs(os.path.dirname(path), exist_ok=True)
                self.give(os.path.dirname(path))
            with open(path, "w", encoding="utf-8") as file:
                file.write(self.fill(text))
            self.give(path)

    def give(self, path):
        if self.who == "user" and os.geteuid() == 0:
            os.chown(path, USER, USER)

    def shell(self, key):
        script = self.fill(self.case.one.get(key, ""))
        if not script.strip():
            return
        done = subprocess.run(["/bin/sh", "-euc", script], cwd=self.tmp, capture_output=True,
                              stdin=subprocess.DEVNULL, env=environment(self.tmp), timeout=LIMIT_S,
                              **as_user(self.who))
        if done.returncode != 0:
            self.wrong.append(f"{key} failed with {done.returncode}: "
                              f"{(done.stdout + done.stderr).decode(errors='replace')[-500:]}")

    def argv(self):
        args = [self.fill(word) for word in shlex.split(self.case.line)]
        add = self.case.command == "run" and self.who == "user" and self.case.word("degraded") != "no"
        argv = [self.host.belljar, self.case.command, *(self.host.degraded if add else []), *args]
        if "closed" not in self.case.one:
            return argv
        closing = "".join(f" {fd}>&-" for fd in self.case.word("closed").split())
        return ["/bin/sh", "-c", f'exec "$@"{closing}', "sh", *argv]

    def input(self):
        if "stdin-bytes" in self.case.one:
            return b"x" * int(self.case.word("stdin-bytes"))
        return self.case.one.get("stdin", "").encode()

    def feed(self, pipe):
        try:
            pipe.write(self.input())
            pipe.close()
        except BrokenPipeError:
            pass

    def execute(self):
        if "{status}" in self.case.line:
            self.status_read, self.status_write = os.pipe()
        kind, _, stall = self.case.word("stdout").partition(" ")
        out_read, out_write = os.pipe()
        err_read, err_write = os.pipe()
        os.set_blocking(out_write, kind != "nonblocking")
        if kind == "full":
            full = os.open("/dev/full", os.O_WRONLY)
            os.dup2(full, out_write)
            os.close(full)
        started = time.monotonic()
        child = subprocess.Popen(
            self.argv(), cwd=self.tmp, stdin=subprocess.PIPE, stdout=out_write, stderr=err_write,
            env=environment(self.tmp), umask=int(self.case.word("umask") or "22", 8),
            pass_fds=[self.status_write] if self.status_write else [], **as_user(self.who))
        if self.status_write:
            os.close(self.status_write)
        os.close(out_write)
        os.close(err_write)
        out, err = Reader(out_read, float(stall or 0)), Reader(err_read)
        feeder = threading.Thread(target=self.feed, args=[child.stdin], daemon=True)
        feeder.start()
        self.send_signal(child, out)
        try:
            self.code = child.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            child.kill()
            self.code = child.wait()
            self.wrong.append(f"did not end within {LIMIT_S} s")
        self.ended = time.monotonic()
        self.seconds = self.ended - started
        for reader in (out, err):
            reader.join(5 + float(stall or 0))
            if reader.is_alive():
                self.wrong.append("belljar has ended, but somebody still holds its output")
        self.first = out.first
        self.out, self.err = out.data, err.data

    def send_signal(self, child, out):
        if "signal" not in self.case.one:
            return
        name, _, text = self.case.word("signal").partition(" ")
        end = time.monotonic() + 20
        while text.encode() not in out.data and time.monotonic() < end and child.poll() is None:
            time.sleep(0.01)
        child.send_signal(getattr(signal, "SIG" + name))

    def read_account(self):
        words = shlex.split(self.case.line)
        words = words[:words.index("--")] if "--" in words else words
        if self.status_read:
            text = b""
            while chunk := os.read(self.status_read, 65536):
                text += chunk
            os.close(self.status_read)
        elif "--json" in words and self.code != 125:
            text = self.out
        else:
            return
        try:
            self.account = json.loads(text, object_pairs_hook=once_each)
            if self.case.command in ("run", "call"):
                self.wrong += contradictions(self.account)
        except ValueError as e:
            self.wrong.append(f"the account is not JSON: {e}: {text[:300]!r}")

    def clean_up(self):
        shutil.rmtree(self.tmp, ignore_errors=True)
        if os.path.exists(self.tmp):
            left_over.append(self.tmp)


def once_each(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError(f"a key is there twice in {keys}")
    return dict(pairs)


def contradictions(a):
    """What no account may say, whatever happened."""
    keys = ANSWER_KEYS if "tool" in a else ACCOUNT_KEYS
    if set(a) != keys:
        return [f"account: keys differ: {sorted(set(a) ^ keys)}"]
    rules = refusal_rules(a) if "tool" in a else []
    rules += [
        ("status", a["status"] in STATUSES),
        ("success follows from status", a["success"] == (a["status"] == "success")),
        ("kill_reason", a["kill_reason"] in KILL_REASONS),
        ("was_killed follows from kill_reason", a["was_killed"] == (a["kill_reason"] is not None)),
        ("exit_code or signal, never both", a["exit_code"] is None or a["signal"] is None),
        ("success means exit code 0", not a["success"] or a["exit_code"] == 0),
        ("signal has a name", (a["signal"] is None) == (a["signal_name"] is None)),
        ("no negative time", a["execution_time_ms"] >= 0 and a["setup_time_ms"] >= 0),
        ("a start if it ended", (a["start"] is None) ==
         (a["exit_code"] is None and a["signal"] is None)),
        ("start", a["start"] is None or set(a["start"]) == START_KEYS),
        ("no interpreter waits for one call", a["start"] is None or
         (a["start"]["how"] in (("cold", "sealed") if "tool" in a else ("cold",)) and
          a["start"]["why_cold"] is None)),
        ("id", re.fullmatch(r"bj-[0-9a-f]{24}", a["id"]) is not None),
        ("layers", len(a["layers"]) == 22 and
         all(row["state"] in ("off", "degraded", "full") for row in a["layers"].values())),
        ("a degraded layer says what stands in",
         all(row["detail"] for row in a["layers"].values() if row["state"] == "degraded")),
    ]
    for name in ("stdout", "stderr"):
        s = a[name]
        data = s["data"].encode() if s["encoding"] == "utf-8" else base64.b64decode(s["data"])
        rules += [
            (f"{name}: bytes_kept is the length of data", len(data) == s["bytes_kept"]),
            (f"{name}: truncated if not all was kept",
             # What was redacted is longer or shorter than what was written.
             bool(a.get("redactions")) or s["truncated"] == (s["bytes_kept"] < s["bytes_seen"])),
            (f"{name}: within the limit", s["bytes_kept"] <= a["limits"]["output_bytes"]),
        ]
    for f in a["artifacts"]:
        rules.append((f"artifact {f['name']}: copied or refused with a reason",
                      f["copied"] == (f["refused"] is None) == (f["sha256"] is not None)))
    return [f"account: not true: {what}" for what, true in rules if not true]


def refusal_rules(a):
    """What no answer to a tool call may say."""
    why = a["why"]
    receipt = a["receipt"]
    return [
        ("every answer has a receipt, unless nothing was to happen",
         receipt is None if a["dry_run"] else
         re.fullmatch("[0-9a-f]{64}", receipt["leaf_hash"]) and receipt["index"] > 0),
        ("what ran was announced", (a["receipt_started"] is None) ==
         (a["dry_run"] or a["refused_by"] not in (None, "sandbox"))),
        ("decision", a["decision"] in ("allow", "ask", "deny")),
        ("why there is a why",
         (why is None) == (a["decision"] == "allow" and a["kill_reason"] != "canary")),
        ("what was refused did not run", a["decision"] == "allow" or a["setup_time_ms"] == 0),
        ("redactions are counted once each", len({row["rule"] for row in a["redactions"]}) ==
         len(a["redactions"]) and all(row["count"] > 0 for row in a["redactions"])),
        ("a refusal is whole", why is None or
         set(why) == {"layer", "rule", "what", "permanent", "retry_after_ms", "hint"}),
        ("a refusal says what and by which rule", why is None or (why["what"] and why["rule"])),
        ("permanent or a time, not both",
         why is None or not (why["permanent"] and why["retry_after_ms"])),
        ("the policy's hash", re.fullmatch("[0-9a-f]{64}", a["policy"]["sha256"]) is not None),
    ]


def lookup(account, path):
    value = account
    for part in path.split("."):
        value = value[int(part)] if part.isdigit() else value[part]
    return value


COMPARISONS = {
    "==": lambda a, b: a == b and isinstance(a, bool) == isinstance(b, bool),
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "has": lambda a, b: b in a,
}


def check_json(run, line):
    path, op, value = line.split(None, 2)
    if run.account is None:
        return f"there is no account to look for {path} in"
    try:
        got = lookup(run.account, path)
    except (KeyError, IndexError, TypeError):
        return f"{path} is not in the account"
    if op == "~":
        good = re.search(value, str(got)) is not None
    else:
        good = COMPARISONS[op](got, json.loads(run.fill(value)))
    return None if good else f"{path} is {json.dumps(got)[:300]}, expected {op} {value}"


def check_streams(run):
    for name, data in (("stdout", run.out), ("stderr", run.err)):
        text = data.decode("utf-8", "backslashreplace")
        exact = run.case.one.get(f"expect-{name}")
        if exact is not None and text != run.fill(exact):
            yield f"{name} is {text[:600]!r}, expected {run.fill(exact)[:600]!r}"
        size = run.case.word(f"expect-{name}-bytes")
        if size and len(data) != int(size):
            yield f"{name} has {len(data)} bytes, expected {size}"
        for piece in run.case.many[f"expect-{name}-has"]:
            if run.fill(piece) not in text:
                yield f"{name} lacks {run.fill(piece)!r}: {text[:600]!r}"
        for piece in run.case.many[f"expect-{name}-lacks"]:
            if run.fill(piece) in text:
                yield f"{name} has {run.fill(piece)!r}: {text[:600]!r}"


def check_time(run):
    live, most = run.case.word("expect-live"), run.case.word("expect-seconds")
    if live and (run.first is None or run.ended - run.first < float(live)):
        yield f"the first output did not come {live} s before the end"
    if most and run.seconds >= float(most):
        yield f"it took {run.seconds:.2f} s, expected less than {most}"


def check(run):
    wanted = run.case.word("expect-exit")
    if wanted and run.code != int(wanted):
        yield f"exit code {run.code}, expected {wanted}; stderr: {run.err[:600]!r}"
    yield from check_streams(run)
    yield from filter(None, (check_json(run, line) for line in run.case.many["expect-json"]))
    yield from check_time(run)


def perform(case, host, who):
    """What is wrong, as lines; empty when all is well."""
    run = Run(case, host, who)
    try:
        run.make_files()
        run.shell("setup")
        if not run.wrong:
            run.execute()
            run.read_account()
            run.wrong += check(run)
            run.shell("then")
        return run.wrong
    finally:
        run.clean_up()


def why_not(case, host, who):
    """A reason to skip, or None."""
    for need in case.word("needs").split():
        if not host.has[need]:
            return f"no {need} here"
    if who == "root" and os.geteuid() != 0:
        return "not run as root"
    return None


def judge(plan, host, number):
    """[a reason to skip, what is wrong]"""
    case, who = plan[number]
    skip = why_not(case, host, who)
    return [skip, [] if skip else perform(case, host, who)]


def show(plan, number, said, place):
    """One line of TAP, at this place; is it a failure?"""
    skip, wrong = said
    case, who = plan[number]
    for line in wrong:
        print("# " + line.replace("\n", "\n# "))
    print(f"{'not ok' if wrong else 'ok'} {place} - {case.name} as {who}: {case.title}"
          f"{f' # SKIP {skip}' if skip else ''}", flush=True)
    return bool(wrong)


def sweep():
    while left_over:
        patience.remove(left_over.pop())


def work(plan, host, questions, answers):
    """A process of its own: takes numbers of cases from one pipe, writes what came of them to its other."""
    left_over.clear()
    with open(answers, "w", encoding="utf-8") as out:
        while number := os.read(questions, 4):
            number = int(number)
            try:
                said = judge(plan, host, number)
            except Exception:  # noqa: BLE001  one broken case must not hide the others
                said = [None, [traceback.format_exc()]]
            print(json.dumps([number, said]), file=out, flush=True)
        sweep()


def beside_each_other(plan, host, numbers):
    """Performs these by WORKERS processes; how many failed.  Their order is that of their ends."""
    questions, ask = os.pipe()
    os.write(ask, b"".join(b"%4d" % number for number in numbers))  # 4 bytes each: a pipe holds 65536
    os.close(ask)
    answers, answer = os.pipe()
    sys.stdout.flush()
    children = []
    for _ in range(WORKERS):
        child = os.fork()
        if child == 0:
            os.close(answers)
            work(plan, host, questions, answer)
            os._exit(0)
        children.append(child)
    os.close(answer)
    os.close(questions)
    failed, missing = 0, set(numbers)
    with open(answers, encoding="utf-8") as lines:
        for line in lines:
            number, said = json.loads(line)
            missing.discard(number)
            failed += show(plan, number, said, len(numbers) - len(missing))
    ends = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    for place, number in enumerate(missing, len(numbers) - len(missing) + 1):
        failed += show(plan, number, [None, [f"whoever performed it is gone: {ends}"]], place)
    return failed + any(ends)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    host = Host(os.path.realpath(sys.argv[1]))
    host.probe_user()
    paths = sorted(glob.glob(f"{HERE}/*.case"))
    cases = [Case(path) for path in paths]
    if sys.argv[2:]:
        cases = [case for case in cases if case.name in sys.argv[2:]]
    plan = [(case, who) for case in cases for who in ("root", "user")
            if case.word("as", "both") in ("both", who)]
    print(f"1..{len(plan)}", flush=True)
    # Most of a case is waiting, and those that measure time wait longest.
    timed = [n for n, (case, _) in enumerate(plan) if case.word("expect-live") or case.word("expect-seconds")]
    failed = beside_each_other(plan, host, timed + [n for n in range(len(plan)) if n not in timed])
    sweep()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
