#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scribe_test.py BELLJAR SCRIBE RECORDS CHECK_LOG [NAME]: calls and the audit log, from end to end.

Every test has a directory of its own.  What was acknowledged must be in the log, whatever was
killed meanwhile; what cannot be written down must not run.
"""
import ctypes
import fcntl
import glob
import hashlib
import json
import os
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

from audittap import Skip, run_wanted

BELLJAR, SCRIBE, RECORDS, CHECK_LOG = (os.path.realpath(p) for p in sys.argv[1:5])
STRANGER = 61235
USER = 61234
LONER = 61236  # has no other processes
POLICY = """version: 1
%s
clients: { local: { uid: any, tools: [say, nap, big] } }
tools:
  say: { kind: command, exec: [echo, "{word}"], args: { word: { type: string } }, rate: unlimited }
  nap: { kind: command, exec: [sleep, "{s}"], args: { s: { type: integer } }, rate: unlimited }
  big: { kind: command, exec: [head, -c, "{n}", /dev/zero], args: { n: { type: integer } },
         rate: unlimited, limits: { output: 100k } }
"""
DEGRADED = "allow_degraded: [memory, processes, cpu, own_uid]"


def check(truth, what="not true"):
    if not truth:
        raise AssertionError(what)


def wait_for(truth, seconds=10, what="it did not happen"):
    until = time.time() + seconds
    while time.time() < until:
        if truth():
            return
        time.sleep(0.01)
    raise AssertionError(what)


class Place:
    """A directory with a policy, a state and a log."""

    def __init__(self, uid=0, more="", audit=None):
        self.dir = tempfile.mkdtemp(prefix="belljar-audit-", dir="/var/tmp")
        self.uid = uid
        self.audit = audit or f"{self.dir}/state/audit"
        with open(f"{self.dir}/policy.yaml", "w", encoding="utf-8") as out:
            out.write(POLICY % (DEGRADED + "\n" + more))
        if uid:
            for name in (self.dir, f"{self.dir}/policy.yaml"):
                os.chown(name, uid, uid)
        self.env = {"PATH": "/usr/bin:/bin", "BELLJAR_POLICY": f"{self.dir}/policy.yaml",
                    "BELLJAR_STATE": f"{self.dir}/state", "HOME": self.dir}
        if audit:
            self.env["BELLJAR_AUDIT"] = audit

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end_scribes(signal.SIGKILL)
        shutil.rmtree(self.dir, ignore_errors=True)

    def end_scribes(self, how):
        for pid in self.scribes():
            os.kill(pid, how)
        wait_for(lambda: not self.scribes())

    def verify(self):
        """Every line, hash and signature, and every call has its end."""
        self.end_scribes(signal.SIGTERM)
        done = subprocess.run([CHECK_LOG, self.audit], capture_output=True, text=True)
        check(done.returncode == 0, done.stdout)

    def who(self):
        if os.geteuid() != 0 or not self.uid:
            return {}
        return {"user": self.uid, "group": self.uid, "extra_groups": []}

    def start(self, *args, **more):
        return subprocess.Popen([BELLJAR, "call", *args], env=self.env, cwd=self.dir,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, **self.who(), **more)

    def call(self, *args, **more):
        process = self.start(*args, "--json", **more)
        out, err = process.communicate(timeout=60)
        check(out, f"no answer: {err}")
        answer = json.loads(out)
        answer["said"] = err
        return answer

    def scribes(self):
        found = []
        for path in glob.glob("/proc/[0-9]*/cmdline"):
            try:
                with open(path, "rb") as text:
                    words = text.read().split(b"\0")
            except OSError:
                continue
            if words[0] == b"belljar-scribe" and os.fsencode(os.path.realpath(self.audit)) in words:
                found.append(int(path.split("/")[2]))
        return found

    def lines(self):
        """The log as it is on disk, complete lines only."""
        whole = b""
        for path in sorted(glob.glob(f"{self.audit}/log/*.jsonl")):
            with open(path, "rb") as text:
                whole += text.read()
        return [line for line in whole.rstrip(b"\0").split(b"\n")[:-1]]

    def records(self):
        return [json.loads(line) for line in self.lines()]

    def kinds(self):
        return [r["kind"] for r in self.records()]


def leaf(line):
    return hashlib.sha256(b"\0" + line).hexdigest()


def check_receipt(place, receipt, kind, call):
    line = place.lines()[receipt["index"]]
    check(leaf(line) == receipt["leaf_hash"], "the leaf is another")
    record = json.loads(line)
    check(record["kind"] == kind and record["id"] == call, record)
    return record


def a_call_is_written_down_before_and_after(uid=0):
    with Place(uid) as place:
        answer = place.call("say", "--arg", "word=hello")
        check(answer["status"] == "success", answer)
        check(place.kinds() == ["started_up", "policy_loaded", "started", "finished"],
              place.kinds())
        begun = check_receipt(place, answer["receipt_started"], "started", answer["id"])
        ended = check_receipt(place, answer["receipt"], "finished", answer["id"])
        check(begun["tool"] == "say" and begun["uid"] == uid and begun["client"] == "local", begun)
        check(json.loads(begun["args"]) == {"word": "hello"}, begun)
        check(begun["policy_sha256"] == answer["policy"]["sha256"], begun)
        check(ended["status"] == "success" and ended["exit_code"] == 0, ended)
        check(ended["stdout"]["sha256"] == hashlib.sha256(b"hello\n").hexdigest(), ended)
        answer = place.call("say", "--arg", "word=again")
        check(place.kinds()[4:] == ["started", "finished"], place.kinds())
        check(answer["receipt"]["index"] == 5, answer["receipt"])


def an_ordinary_user_has_a_log_of_his_own():
    need_root()
    a_call_is_written_down_before_and_after(USER)
    with Place(USER) as place:
        del place.env["BELLJAR_STATE"]
        place.audit = f"{place.dir}/.local/state/belljar/audit"
        check(place.call("say", "--arg", "word=x")["status"] == "success")
        check(os.stat(place.audit).st_mode & 0o777 == 0o700, "the log is for others")
        check(place.kinds()[-1] == "finished")


def need_root():
    if os.geteuid() != 0:
        raise Skip("needs root")


def a_refused_call_is_written_down_once():
    with Place() as place:
        for args in (["nothing"], ["say", "--arg", "other=1"]):
            answer = place.call(*args)
            check(answer["decision"] == "deny" and answer["receipt_started"] is None, answer)
            record = check_receipt(place, answer["receipt"], "denied", answer["id"])
            check(record["rule"] == answer["why"]["rule"], record)
        check(place.kinds() == ["started_up", "policy_loaded", "denied", "denied"], place.kinds())


def a_dry_run_and_a_policy_without_log_leave_no_trace():
    with Place() as place:
        check(place.call("say", "--arg", "word=x", "--dry-run")["receipt"] is None)
        check(not os.path.exists(place.audit), "there is a log")
    with Place(more="audit: { mode: off }") as place:
        answer = place.call("say", "--arg", "word=x")
        check(answer["status"] == "success" and answer["receipt"] is None, answer)
        check(not os.path.exists(place.audit), "there is a log")


def the_policy_says_where_the_log_is():
    with Place() as place:
        elsewhere = f"{place.dir}/elsewhere"
        with open(f"{place.dir}/policy.yaml", "w", encoding="utf-8") as out:
            out.write(POLICY % (DEGRADED + f"\naudit: {{ directory: {elsewhere} }}"))
        place.env["BELLJAR_AUDIT"] = f"{place.dir}/not-here"
        place.audit = elsewhere
        check(place.call("say", "--arg", "word=x")["status"] == "success")
        check(place.kinds()[-1] == "finished" and not os.path.exists(f"{place.dir}/not-here"))
        process = place.start("say", "--arg", "word=x", "--audit", f"{place.dir}/not-here")
        check("the policy says where" in process.communicate()[1], "it was taken")
    with Place() as place:
        place.audit = f"{place.dir}/third"
        check(place.call("say", "--arg", "word=x", "--audit", "third")["status"] == "success")
        check(place.kinds()[-1] == "finished")
    with Place() as place:
        place.audit = f"{place.dir}/other/audit"
        check(place.call("say", "--arg", "word=x", "--state", "other")["status"] == "success")
        check(place.kinds()[-1] == "finished")


def always_is_durable_and_bodies_are_kept():
    with Place(more="audit: { durability: always, bodies: bodies }") as place:
        answer = place.call("say", "--arg", "word=body")
        check(answer["status"] == "success", answer)
        digest = hashlib.sha256(b"body\n").hexdigest()
        with open(f"{place.audit}/blob/{digest[:2]}/{digest[2:]}", "rb") as body:
            check(body.read() == b"body\n")


def an_end_is_written_down_though_its_body_cannot_be_kept():
    with Place(more="audit: { bodies: bodies }") as place:
        place.call("say", "--arg", "word=first")
        shutil.rmtree(f"{place.audit}/blob")
        with open(f"{place.audit}/blob", "w", encoding="utf-8"):
            pass
        answer = place.call("say", "--arg", "word=body")
        check(answer["status"] == "success" and "not kept" in answer["said"], answer)
        ended = check_receipt(place, answer["receipt"], "finished", answer["id"])
        check(ended["stdout"]["sha256"] == hashlib.sha256(b"body\n").hexdigest(), ended)


def calls_at_once_share_one_scribe():
    with Place() as place:
        processes = [place.start("say", "--arg", f"word=w{i}") for i in range(12)]
        most = 0
        while any(p.poll() is None for p in processes):
            most = max(most, len(place.scribes()))
            time.sleep(0.005)
        for i, process in enumerate(processes):
            out, err = process.communicate()
            check(process.returncode == 0 and out == f"w{i}\n", err)
        kinds = place.kinds()
        check(kinds.count("started_up") == 1 and kinds.count("policy_loaded") == 1, kinds)
        check(kinds.count("started") == kinds.count("finished") == 12, kinds)
        check(len(place.scribes()) == 1, place.scribes())
        place.verify()


def an_idle_scribe_ends_in_order_and_the_next_call_starts_another():
    with Place() as place:
        place.call("say", "--arg", "word=x")
        wait_for(lambda: not place.scribes(), 15, "it stays")
        check(place.kinds()[-1] == "shut_down", place.kinds())
        check(not os.path.exists(f"{place.audit}/scribe.socket"), "its socket stays")
        answer = place.call("say", "--arg", "word=y")
        check(answer["receipt"]["index"] == len(place.lines()) - 1, answer["receipt"])
        check(place.kinds().count("started_up") == 2 and "aborted" not in place.kinds())


def a_caller_that_dies_leaves_an_aborted_call():
    with Place() as place:
        process = place.start("nap", "--arg", "s=30", start_new_session=True)
        wait_for(lambda: "started" in place.kinds())
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        wait_for(lambda: "aborted" in place.kinds())
        records = {r["kind"]: r for r in place.records()}
        check(records["aborted"]["id"] == records["started"]["id"], records)


def a_call_outlives_its_scribe_and_says_how_it_ended():
    with Place() as place:
        process = place.start("nap", "--arg", "s=1")
        wait_for(lambda: "started" in place.kinds())
        for pid in place.scribes():
            os.kill(pid, signal.SIGKILL)
        check(process.wait() == 0, process.communicate()[1])
        process.communicate()
        kinds = place.kinds()
        # Killed between writing the beginning and saying so, it is asked for that once more.
        again = ["started"] if kinds.count("started") == 2 else []
        check(kinds == ["started_up", "policy_loaded", "started", "aborted", "started_up", *again,
                        "finished"], kinds)
        place.verify()


def what_an_old_scribe_left_open_is_aborted_by_the_next():
    with Place() as place:
        process = place.start("nap", "--arg", "s=30", start_new_session=True)
        wait_for(lambda: "started" in place.kinds())
        for pid in place.scribes():
            os.kill(pid, signal.SIGKILL)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        answer = place.call("say", "--arg", "word=x")
        check(answer["status"] == "success", answer)
        check(place.kinds()[3:] == ["aborted", "started_up", "policy_loaded", "started",
                                    "finished"], place.kinds())


def a_torn_last_line_is_repaired():
    with Place() as place:
        place.call("say", "--arg", "word=x")
        place.end_scribes(signal.SIGKILL)
        before = place.lines()
        segment = sorted(glob.glob(f"{place.audit}/log/*.jsonl"))[-1]
        with open(segment, "r+b") as log:
            log.seek(sum(len(line) + 1 for line in before))
            log.write(b'{"id":"bj-half","kind":"star')
        answer = place.call("say", "--arg", "word=y")
        check(answer["status"] == "success", answer)
        check(place.lines()[:len(before)] == before, "acknowledged lines are gone")
        check(b"bj-half" not in b"".join(place.lines()), "half a line is in the log")
        place.verify()


def killed_again_and_again_the_scribe_loses_nothing_it_acknowledged():
    with Place() as place:
        os.makedirs(place.audit, mode=0o700)
        load = subprocess.Popen([RECORDS, SCRIBE, "--writers", "16", "--seconds", "8", "--dir",
                                 place.audit, "--acks", f"{place.dir}/acks"],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        kills = 0
        while load.poll() is None:
            time.sleep(0.15)
            for pid in place.scribes():
                try:
                    os.kill(pid, signal.SIGKILL)
                    kills += 1
                except ProcessLookupError:
                    pass
        out, err = load.communicate()
        check(load.returncode == 0, out + err)
        check(kills > 20, f"{kills} kills")
        check(place.call("say", "--arg", "word=x")["status"] == "success")
        lines = place.lines()
        acked = 0
        for name in glob.glob(f"{place.dir}/acks.*"):
            with open(name, encoding="utf-8") as acks:
                for ack in acks:
                    kind, call, index, digest = ack.split()
                    check(leaf(lines[int(index)]) == digest, ack)
                    record = json.loads(lines[int(index)])
                    check((record["kind"], record["id"]) == (kind, call), ack)
                    acked += 1
        check(acked > 1000, f"{acked} acknowledged")
        open_calls = {}
        for record in map(json.loads, lines):
            if record["kind"] == "started":
                open_calls[record["id"]] = open_calls.get(record["id"], 0) + 1
            elif record["kind"] in ("finished", "aborted"):
                open_calls.pop(record["id"], None)
        check(not open_calls, f"never ended: {list(open_calls)[:5]}")
        place.verify()
        print(f"# {kills} kills, {acked} acknowledged, {len(lines)} lines; {out.strip()}")


def mount_small(path, size):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"tmpfs", os.fsencode(path), b"tmpfs", 0, f"size={size},mode=700".encode()):
        raise Skip("no tmpfs: " + os.strerror(ctypes.get_errno()))


def fill(path):
    filler = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        while True:
            os.write(filler, bytes(4096))
    except OSError:
        os.close(filler)


def a_full_disk_refuses_calls_until_there_is_room():
    need_root()
    with Place() as place:
        small = f"{place.dir}/small"
        os.mkdir(small, 0o700)
        mount_small(small, "4m")
        place.audit = f"{small}/audit"
        place.env["BELLJAR_AUDIT"] = place.audit
        try:
            check(place.call("say", "--arg", "word=x")["status"] == "success")
            fill(f"{small}/filler")
            refused = None
            for _ in range(3000):
                answer = place.call("say", "--arg", "word=" + "x" * 900)
                if answer["decision"] == "deny":
                    refused = answer
                    break
            check(refused, "it was never refused")
            check(refused["why"]["rule"] == "audit" and refused["why"]["layer"] == "kernel", refused)
            check(refused["refused_by"] == "announce" and not refused["why"]["permanent"], refused)
            check(refused["why"]["what"] == "the audit log cannot be written", refused["why"])
            check(refused["status"] == "denied" and "space" in refused["said"], refused["said"])
            check(small not in json.dumps(refused["why"]), "a path of the host")
            os.unlink(f"{small}/filler")
            answer = place.call("say", "--arg", "word=y")
            check(answer["status"] == "success", answer)
            check_receipt(place, answer["receipt"], "finished", answer["id"])
            place.verify()
        finally:
            place.end_scribes(signal.SIGKILL)
            subprocess.run(["umount", small], check=True)


def a_call_that_began_has_its_end_though_the_disk_fills():
    need_root()
    with Place() as place:
        small = f"{place.dir}/small"
        os.mkdir(small, 0o700)
        mount_small(small, "4m")
        place.audit = f"{small}/audit"
        place.env["BELLJAR_AUDIT"] = place.audit
        try:
            check(place.call("say", "--arg", "word=x")["status"] == "success")
            naps = [place.start("nap", "--arg", "s=6", "--json") for _ in range(4)]
            wait_for(lambda: sum(r["kind"] == "started" for r in place.records()) == 5)
            fill(f"{small}/filler")
            for nap in naps:
                answer = json.loads(nap.communicate(timeout=60)[0])
                check(answer["status"] == "success", answer)
                check_receipt(place, answer["receipt"], "finished", answer["id"])
            # There may be room for some more that was made before.
            answers = (place.call("say", "--arg", "word=" + "z" * 900) for _ in range(1000))
            refused = next(a for a in answers if a["decision"] == "deny")
            check(refused["why"]["rule"] == "audit", refused["why"])
            os.unlink(f"{small}/filler")
            check(place.call("say", "--arg", "word=y")["status"] == "success")
            check(not any(r["kind"] == "aborted" for r in place.records()), "one was aborted")
            place.verify()
        finally:
            place.end_scribes(signal.SIGKILL)
            subprocess.run(["umount", small], check=True)


def a_scribe_that_is_stopped_holds_nobody_up_for_ever():
    with Place() as place:
        place.call("say", "--arg", "word=x")
        pids = place.scribes()
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        start = time.time()
        answer = place.call("say", "--arg", "word=y")
        check(answer["why"]["rule"] == "audit" and time.time() - start < 9, answer["why"])
        for pid in pids:
            os.kill(pid, signal.SIGCONT)
        check(place.call("say", "--arg", "word=z")["status"] == "success")


def limits_of_the_first_caller_are_not_those_of_the_next():
    with Place() as place:
        few = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (40, 4096))
        check(place.call("say", "--arg", "word=x", preexec_fn=few)["status"] == "success")
        naps = [place.start("nap", "--arg", "s=1", "--json") for _ in range(40)]
        said = [nap.communicate(timeout=60) for nap in naps]
        check(all(json.loads(out)["status"] == "success" for out, _ in said), said)


def a_scribe_that_cannot_leave_its_caller_does_not_hold_it_up():
    need_root()
    with Place(LONER) as place:
        # The caller and what it starts; a third one is refused.
        two = lambda: resource.setrlimit(resource.RLIMIT_NPROC, (2, 2))
        answer = place.call("say", "--arg", "word=x", preexec_fn=two)
        check(answer["why"]["rule"] == "audit" and "scribe" in answer["said"], answer)
        check(place.call("say", "--arg", "word=x")["status"] == "success")


def a_directory_that_is_not_ours_is_refused():
    need_root()
    with Place() as place:
        os.makedirs(place.audit, mode=0o700)
        os.chown(place.audit, STRANGER, STRANGER)
        answer = place.call("say", "--arg", "word=x")
        check(answer["why"]["rule"] == "audit", answer)
        os.chown(place.audit, 0, 0)
        os.chmod(place.audit, 0o770)
        check(place.call("say", "--arg", "word=x")["why"]["rule"] == "audit")
        os.chmod(place.audit, 0o700)
        check(place.call("say", "--arg", "word=x")["status"] == "success")


def a_directory_that_a_stranger_could_take_away_is_refused():
    need_root()
    with Place() as place:
        theirs = f"{place.dir}/theirs"
        os.makedirs(f"{theirs}/ours", mode=0o700)
        place.env["BELLJAR_AUDIT"] = place.audit = f"{theirs}/ours/audit"
        os.chown(theirs, STRANGER, STRANGER)
        answer = place.call("say", "--arg", "word=x")
        check(answer["why"]["rule"] == "audit" and "beneath" in answer["said"], answer)
        os.chown(theirs, 0, 0)
        os.chmod(theirs, 0o777)
        check(place.call("say", "--arg", "word=x")["why"]["rule"] == "audit")
        os.chmod(theirs, 0o1777)
        check(place.call("say", "--arg", "word=x")["status"] == "success")


def speak(path, message):
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
        sock.settimeout(10)
        sock.connect(path)
        try:
            sock.send(message)
            return sock.recv(4096)
        except (BrokenPipeError, ConnectionResetError):
            return sock.recv(4096)


def message(kind, key, line, version=2, flags=0):
    size = 24 + 8 + 72 + len(line)
    return (struct.pack("<IIIIQ", 0x65626373, version, size, kind, 9) +
            struct.pack("<II", flags, len(line)) + key.ljust(72, b"\0") + line)


def reply_kind(reply):
    return struct.unpack("<IIIIQ", reply[:24])[3]


def an_end_that_is_asked_for_again_is_written_once():
    """Its answer was lost, and then two scribes and many lines went by."""
    with Place() as place:
        place.call("say", "--arg", "word=x")
        end = next(line for line in place.lines() if b'"finished"' in line)
        index = place.lines().index(end)
        for _ in range(2):
            done = subprocess.run([RECORDS, SCRIBE, "--writers", "4", "--seconds", "1", "--dir",
                                   place.audit], env=place.env, capture_output=True, text=True,
                                  timeout=120)
            check(done.returncode == 0, done.stderr)
            place.end_scribes(signal.SIGKILL)
        place.call("say", "--arg", "word=y")
        before = len(place.lines())
        again = message(2, json.loads(end)["id"].encode(), end, flags=2)
        reply = speak(f"{place.audit}/scribe.socket", again)
        check(reply_kind(reply) == 1, reply)
        check(struct.unpack("<Q", reply[24:32])[0] == index, "another record")
        check(len(place.lines()) == before, "it was written twice")


def a_policy_that_cannot_be_used_is_written_down_once():
    with Place() as place:
        check(place.call("say", "--arg", "word=x")["status"] == "success")
        with open(f"{place.dir}/policy.yaml", "a", encoding="utf-8") as out:
            out.write("nonsense: 1\n")
        for _ in range(3):
            done = place.start("say", "--arg", "word=x")
            check("nonsense" in done.communicate(timeout=60)[1] and done.returncode == 125)
        refused = [r for r in place.records() if r["kind"] == "policy_refused"]
        check(len(refused) == 1 and "nonsense" in json.dumps(refused), refused)


def old_bodies_go_and_the_log_says_so():
    with Place(more="audit: { bodies: bodies }") as place:
        check(place.call("say", "--arg", "word=old")["status"] == "success")
        bodies = lambda: glob.glob(f"{place.audit}/blob/*/*")
        check(len(bodies()) == 1, bodies())
        prune = [BELLJAR, "audit", "prune", "--log", place.audit, "--json", "--before"]
        done = subprocess.run(prune + ["1h"], env=place.env, capture_output=True, text=True)
        check(json.loads(done.stdout) == {"dropped": 0, "bytes": 0}, done)
        os.utime(bodies()[0], (1, 1))
        done = subprocess.run(prune + ["1h"], env=place.env, capture_output=True, text=True)
        check(json.loads(done.stdout) == {"dropped": 1, "bytes": 4}, done)
        check(not bodies() and place.kinds().count("bodies_dropped") == 2, place.kinds())
        check(subprocess.run(prune[:-1], env=place.env, capture_output=True).returncode == 125)
        place.verify()


def a_stranger_is_refused_by_who_he_is():
    need_root()
    with Place(USER) as place:
        place.call("say", "--arg", "word=x")
        # The directory's mode keeps strangers out already: take that away.
        path = place.audit
        while path != place.dir:
            os.chmod(path, 0o755)
            path = os.path.dirname(path)
        os.chmod(place.dir, 0o755)
        door = f"{place.audit}/scribe.socket"
        os.chmod(door, 0o666)
        before = len(place.lines())
        child = os.fork()
        if child == 0:
            code = 9
            try:
                os.setgid(STRANGER)
                os.setuid(STRANGER)
                reply = speak(door, message(3, b"", b'{"kind":"denied","time":"x","v":1}'))
                code = 0 if reply_kind(reply) == 2 and b"belongs to uid" in reply else 1
            finally:
                os._exit(code)
        check(os.waitpid(child, 0)[1] == 0, "he was heard")
        check(len(place.lines()) == before, "he wrote something")


def nonsense_is_refused_and_hurts_nobody():
    with Place() as place:
        place.call("say", "--arg", "word=x")
        door = f"{place.audit}/scribe.socket"
        pids, before = place.scribes(), len(place.lines())
        good = b'{"id":"a","kind":"started","time":"2026-01-01T00:00:00.000Z","v":1}'
        for bad in (b"x", b"\0" * 24, message(1, b"a", good)[:-1], message(9, b"a", good),
                    message(3, b"", b"not json"), message(3, b"", b'{"a":1}\n{"b":1}'),
                    message(3, b"", b'{"kind":"nothing"}'), message(1, b"other", good),
                    message(2, b"a", good), message(3, b"", good), message(1, b"a", good, 3),
                    message(3, b"", b"{" + b" " * 64000 + b"}")):
            check(reply_kind(speak(door, bad)) == 2, bad[:120])
        check(len(place.lines()) == before and place.scribes() == pids, "it had an effect")
        check(reply_kind(speak(door, message(1, b"a", good))) == 1, "a good one is not taken")
        wait_for(lambda: place.kinds()[-1] == "aborted")
        check(place.call("say", "--arg", "word=x")["status"] == "success")


def status_of(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as text:
        return dict(line.rstrip("\n").split(":\t", 1) for line in text if ":\t" in line)


def targets_of(pid):
    """Of its descriptors, but for one that is closed meanwhile: the call's that has just ended."""
    found = []
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            found.append(os.readlink(f"/proc/{pid}/fd/{fd}"))
        except FileNotFoundError:
            pass
    return found


def the_scribe_is_sealed():
    with Place() as place:
        place.call("say", "--arg", "word=x")
        (pid,) = place.scribes()
        status = status_of(pid)
        check(status["NoNewPrivs"] == "1" and status["Seccomp"] == "2", status)
        for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
            check(int(status[name], 16) == 0, (name, status[name]))
        if os.geteuid() == 0:
            check(int(status["CapBnd"], 16) == 0, status["CapBnd"])
        with open(f"/proc/{pid}/environ", "rb") as text:
            check(text.read() == b"", "it has an environment")
        targets = targets_of(pid)
        check(len(targets) > 4, targets)
        for target in targets:
            check(target.startswith(("/dev/null", place.audit, "socket:", "anon_inode:")), target)
        up = place.records()[0]
        for name in ("landlock", "seccomp", "no_new_privs", "rlimits", "capabilities"):
            check(up["layers"][name] == "full", up)


def the_seal_is_never_felt():
    """Nothing that the scribe does is refused by its own filter, whatever becomes of the log."""
    if not shutil.which("strace"):
        raise Skip("needs strace")
    with Place() as place:
        os.makedirs(place.audit, mode=0o700)
        trace = f"{place.dir}/trace"
        for _ in range(2):
            scribe = subprocess.Popen(["strace", "-f", "-o", trace, SCRIBE, "--idle", "1000",
                                       place.audit], stderr=subprocess.PIPE, text=True)
            wait_for(lambda: os.path.exists(f"{place.audit}/scribe.socket"))
            done = subprocess.run([RECORDS, SCRIBE, "--writers", "8", "--seconds", "2", "--dir",
                                   place.audit], capture_output=True, text=True)
            check(done.returncode == 0, done.stdout + done.stderr)
            check(scribe.wait(timeout=60) == 0, scribe.stderr.read())
            scribe.communicate()
            with open(trace, encoding="utf-8", errors="replace") as text:
                felt = [line for line in text if "ENOSYS" in line or "EPERM" in line]
            check(not felt, felt[:3])


def a_signal_ends_a_scribe_in_order():
    with Place() as place:
        os.makedirs(place.audit, mode=0o700)
        scribe = subprocess.Popen([SCRIBE, "--stay", place.audit], stderr=subprocess.PIPE,
                                  text=True)
        wait_for(lambda: os.path.exists(f"{place.audit}/scribe.socket"))
        check(place.call("say", "--arg", "word=x")["status"] == "success")
        again = subprocess.run([SCRIBE, "--stay", place.audit], capture_output=True, text=True,
                               timeout=20)
        check(again.returncode == 125 and again.stderr, again)
        time.sleep(4)
        check(scribe.poll() is None, "it did not stay")
        scribe.terminate()
        check(scribe.wait(timeout=20) == 0, scribe.stderr.read())
        scribe.communicate()
        check(place.kinds() == ["started_up", "policy_loaded", "started", "finished",
                                "shut_down"], place.kinds())


TESTS = [
    a_call_is_written_down_before_and_after,
    an_ordinary_user_has_a_log_of_his_own,
    a_refused_call_is_written_down_once,
    a_dry_run_and_a_policy_without_log_leave_no_trace,
    the_policy_says_where_the_log_is,
    always_is_durable_and_bodies_are_kept,
    an_end_is_written_down_though_its_body_cannot_be_kept,
    calls_at_once_share_one_scribe,
    an_idle_scribe_ends_in_order_and_the_next_call_starts_another,
    a_caller_that_dies_leaves_an_aborted_call,
    a_call_outlives_its_scribe_and_says_how_it_ended,
    what_an_old_scribe_left_open_is_aborted_by_the_next,
    a_torn_last_line_is_repaired,
    killed_again_and_again_the_scribe_loses_nothing_it_acknowledged,
    a_full_disk_refuses_calls_until_there_is_room,
    a_call_that_began_has_its_end_though_the_disk_fills,
    an_end_that_is_asked_for_again_is_written_once,
    a_policy_that_cannot_be_used_is_written_down_once,
    old_bodies_go_and_the_log_says_so,
    a_scribe_that_is_stopped_holds_nobody_up_for_ever,
    limits_of_the_first_caller_are_not_those_of_the_next,
    a_scribe_that_cannot_leave_its_caller_does_not_hold_it_up,
    a_directory_that_is_not_ours_is_refused,
    a_directory_that_a_stranger_could_take_away_is_refused,
    a_stranger_is_refused_by_who_he_is,
    nonsense_is_refused_and_hurts_nobody,
    the_scribe_is_sealed,
    the_seal_is_never_felt,
    a_signal_ends_a_scribe_in_order,
]


def hold(place, n):
    """So many callers that are there and say nothing."""
    held = []
    for _ in range(n):
        one = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        one.connect(f"{place.audit}/scribe.socket")
        held.append(one)
    return held


def one_thousand_sessions_that_are_awake_hold_nobody_up():
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most < 2300:
        raise Skip("so many files may not be open here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with Place() as p:
        check(p.call("say", "--arg", "word=a")["success"])
        held = hold(p, 1100)
        answer = p.call("say", "--arg", "word=b")
        check(answer["success"], answer)
        for one in held:
            one.close()
        p.verify()


def few_files():
    resource.setrlimit(resource.RLIMIT_NOFILE, (160, 160))


def who_finds_no_place_waits_for_one():
    with Place(USER) as p:  # root could have more
        for path in (f"{p.dir}/state", p.audit):
            os.mkdir(path, 0o700)
            os.chown(path, USER, USER)
        scribe = subprocess.Popen([SCRIBE, "--stay", p.audit], preexec_fn=few_files, **p.who())
        try:
            wait_for(lambda: os.path.exists(f"{p.audit}/scribe.socket"), 60)
            held = hold(p, 160)  # those that find no place stand before the door
            waiting = p.start("say", "--arg", "word=a", "--json")
            time.sleep(0.5)
            check(waiting.poll() is None, "it was not made to wait")
            for one in held:
                one.close()
            out, err = waiting.communicate(timeout=60)
            check(json.loads(out)["success"], out + err)
        finally:
            scribe.terminate()
            scribe.wait(60)


def a_service_hears_quietly_that_another_scribe_has_the_log():
    with Place() as p:
        p.call("say", "--arg", "word=a")
        p.end_scribes(signal.SIGTERM)
        with open(f"{p.audit}/lock", "r+b") as lock:
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            words = [SCRIBE, "--fd", str(theirs.fileno()), "--leash", p.audit]
            done = subprocess.run(words, pass_fds=[theirs.fileno()], capture_output=True, text=True,
                                  timeout=60)
            check((done.returncode, done.stderr) == (125, ""), done)
            check(struct.unpack("=IIII", ours.recv(4096)[:16])[3] == 3, "GOT_BUSY")
            # Whoever starts one by hand is told.
            done = subprocess.run([SCRIBE, "--stay", p.audit], capture_output=True, text=True, timeout=60)
            check(done.returncode == 125 and "another belljar writes" in done.stderr, done)
            ours.close()
            theirs.close()


def who_is_alone_keeps_the_scribe_beside_it_until_there_is_a_crowd():
    """A few others, as when a session is opened, do not drive it away."""
    if len(os.sched_getaffinity(0)) < 2:
        raise Skip("there is one processor")
    alone, crowd = 4, 8

    with Place() as place:
        place.call("nosuch")
        line = next(line for line in place.lines() if b'"denied"' in line)

        def stays(flags):
            reply = speak(f"{place.audit}/scribe.socket", message(3, b"", line, flags=flags))
            check(reply_kind(reply) == 1, reply)
            return struct.unpack("<I", reply[64:68])[0]

        def bound():
            return {cpu + 1 for cpu in os.sched_getaffinity(place.scribes()[0])}

        check(stays(0) == 0 and len(bound()) > 1, "it is held by nobody")
        there = stays(alone)
        check(there and bound() == {there}, (there, bound()))
        check([stays(crowd) for _ in range(20)] == [there] * 20 and bound() == {there}, "driven away")
        check(stays(alone) == there, "moved")
        check([stays(crowd) for _ in range(40)][-1] == 0 and len(bound()) > 1, "it stays in a crowd")


TESTS += [who_is_alone_keeps_the_scribe_beside_it_until_there_is_a_crowd,
          one_thousand_sessions_that_are_awake_hold_nobody_up, who_finds_no_place_waits_for_one,
          a_service_hears_quietly_that_another_scribe_has_the_log]


sys.exit(run_wanted(TESTS, 5))
