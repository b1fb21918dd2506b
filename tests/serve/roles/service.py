#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""service.py BELLJAR WHO - a real belljar serve, as root or as an ordinary user: it serves, its roles
are killed under load, it reloads, drains and leaves nothing."""
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from describing import undescribed  # noqa: E402
from living import Load, Service, beneath, born, command_of, parents  # noqa: E402
from tapping import run, wait_until  # noqa: E402

BELLJAR, WHO = os.path.realpath(sys.argv[1]), sys.argv[2]


def who_sleeps(s):
    """Whoever runs something with "sleep" in it; processes come and go meanwhile."""
    return [pid for pid in beneath(s.process.pid) if any("sleep" in word for word in command_of(pid))]


def start(**more):
    return Service(BELLJAR, as_user=WHO == "user", **more)


def finish(t, s, code=0):
    got = s.end()
    t.check(got == code, "exit code %d\n%s" % (got, s.lines()))
    wait_until(lambda: not s.left())
    verified, words = s.verify()
    t.check(verified == 0, words)
    t.check(not os.path.exists(s.path), "its socket is gone")
    s.forget()


def answers_are_as_they_are_described(t):
    s = start()
    wait_until(s.is_ready)
    document = s.ask("GET", "/openapi.json")[1]
    # Of a log that is new, too, the first question is answered.
    wait_until(lambda: s.ask("GET", "/readyz")[1]["audit_reader"])

    def ask(method, pattern, body=None, want=200, **words):
        headers = words.pop("headers", {})
        path = pattern.format(**words) + words.get("query", "")
        connection = s.connect()
        data = json.dumps(body) if isinstance(body, dict) else body
        if isinstance(body, dict):
            headers["Content-Type"] = "application/json"
        connection.request(method, path, data, headers)
        answer = connection.getresponse()
        raw, kind = answer.read(), answer.getheader("Content-Type")
        connection.close()
        value = json.loads(raw) if "json" in kind else raw
        found = undescribed(document, method, pattern, answer.status, kind, value)
        t.check(answer.status == want and not found, (method, path, answer.status, found, raw[:300]))
        return value

    ask("GET", "/v1/audit", query="?limit=1")
    call = {"tool_name": "py", "language": "bash", "code": "echo 1"}
    done = ask("POST", "/execute", call)
    ask("POST", "/v1/execute", dict(call, code="exit 3"))
    ask("POST", "/v1/execute", {"tool_name": "none"})
    ask("POST", "/v1/execute", {"tool_name": 5}, 400)
    ask("POST", "/v1/policy/check", call)
    ask("POST", "/v1/screen", {"command": "rm -rf /"})
    ask("POST", "/v1/tools/{name}/call", {"arguments": {"command": "echo 1"}}, name="sh")
    for path in ("/v1/tools", "/v1/calls", "/v1/sessions", "/version", "/healthz", "/metrics"):
        ask("GET", path)
    for method, pattern in (("GET", "/v1/calls/{id}"), ("GET", "/v1/calls/{id}/output"),
                            ("DELETE", "/v1/calls/{id}"), ("GET", "/v1/audit/{id}")):
        ask(method, pattern, id=done["id"])
    begun = ask("POST", "/execute", dict(call, code="sleep 50", detach=True), 202,
                headers={"Prefer": "respond-async"})
    t.check(ask("GET", "/v1/calls/{id}", id=begun["id"])["tool"] == "py", "it runs, and which")
    ask("DELETE", "/v1/calls/{id}", want=202, id=begun["id"])
    one = "/v1/sessions/{session}"
    name = ask("POST", "/v1/sessions", {"tool_name": "py"}, 201)["id"]
    file = {"session": name, "path": "a.txt"}
    ask("GET", one, session=name)
    ask("POST", one + "/exec", {"argv": ["true"]}, session=name)
    ask("POST", one + "/code", {"code": "1"}, session=name)
    ask("GET", one + "/processes", session=name)
    ask("PUT", one + "/files/{path}", b"hello", 201, **file)
    ask("GET", one + "/files/{path}", **file)
    ask("GET", one + "/files/{path}", query="?stat=1", **file)
    ask("GET", one + "/files/{path}", want=206, headers={"Range": "bytes=0-1"}, **file)
    ask("GET", one + "/files/{path}", want=416, headers={"Range": "bytes=9-"}, **file)
    ask("GET", one + "/files", session=name)
    ask("DELETE", one + "/files/{path}", **file)
    ask("POST", one + "/extend", {"ttl": "1s"}, session=name)
    wait_until(lambda: s.ask("GET", one.format(session=name))[0] == 410)
    t.check("(ttl)" in ask("GET", one, want=410, session=name)["detail"], "it says why")
    ask("POST", "/v1/audit/verify")
    finish(t, s)


def it_starts_and_answers_three_calls(t):
    s = start()
    t.check(s.said["listening"][1] == "unix:" + s.path, s.said)
    wait_until(s.is_ready)
    status, answer = s.execute("print(6 * 7)")
    t.check(status == 200 and answer["success"] and answer["output"] == "42\n", answer)
    status, answer = s.ask("POST", "/v1/tools/sh/call", {"arguments": {"command": "echo hello"}})
    t.check(status == 200 and answer["status"] == "success" and answer["data"] == "hello\n", answer)
    connection = s.connect(unix=True)
    connection.request("POST", "/execute", json.dumps(
        {"tool_name": "py", "language": "bash", "code": "for i in 1 2 3; do echo $i; done"}),
        {"Content-Type": "application/json", "Accept": "application/x-ndjson"})
    events = [json.loads(line) for line in connection.getresponse().read().splitlines()]
    connection.close()
    t.check(events[0]["event"] == "start" and events[-1]["event"] == "result", events)
    t.check("".join(e.get("data", "") for e in events if e["event"] == "stdout") == "1\n2\n3\n",
            events)
    finish(t, s)


def bounding_set(pid):
    try:
        with open("/proc/%d/status" % pid, encoding="ascii", errors="replace") as text:
            return int(text.read().partition("CapBnd:")[2].split()[0], 16)
    except OSError:
        return None


def boxes_are_bound_before_there_is_a_call(t):
    """Whoever waits for an order has given up what no exec may give back."""
    s = start()
    wait_until(s.is_ready)

    def slots():
        wardens = s.pids("warden")
        return [pid for pid, parent in parents().items() if parent in wardens]

    def waiting():
        return [pid for slot in slots() for pid in beneath(slot)]

    wait_until(lambda: len(waiting()) > 3)
    wait_until(lambda: not any(bounding_set(pid) for pid in waiting()))
    wait_until(lambda: len([pid for pid in waiting() if bounding_set(pid) == 0]) > 3)
    # Its slot, which makes them, has it still: it is theirs to give up.
    t.check(0 not in [bounding_set(pid) for pid in slots()], "a slot makes boxes")
    finish(t, s)


def what_a_client_makes_up_is_cleaned_before_it_is_written(t):
    """Names of tools and of programs that are not there are the client's words, too."""
    s = start()
    wait_until(s.is_ready)
    made = "AKIA" + "Z7QX3M2WPL5KD6R%s"
    status, answer = s.ask("POST", "/v1/execute", {"tool_name": made % "T"})
    t.check(answer["status"] == "denied", answer)
    name = s.ask("POST", "/v1/sessions", {"tool_name": "py"})[1]["id"]
    answer = s.ask("POST", "/v1/sessions/%s/exec" % name, {"argv": [made % "U"]})
    t.check("no such program" in str(answer), answer)
    wait_until(lambda: "no such program" in s.lines())
    t.check(made[:-2] not in s.lines(), s.lines())
    got = s.end()
    t.check(got == 0, s.lines())
    log = b""
    for directory, _, files in os.walk(s.dir + "/audit/log"):
        for file in files:
            with open(os.path.join(directory, file), "rb") as text:
                log += text.read()
    t.check(b'"rule":"tools"' in log, "the refusal is there")
    t.check(made[:-2].encode() not in log, log)
    s.forget()


class Thrifty(Service):
    """Its client has a budget."""

    cpu = "1000s"

    def put_policy(self, text=None):
        super().put_policy(text)
        with open(self.dir + "/policy.yaml") as policy:
            text = policy.read()
        for old, new in (("tools: [py, sh] }", "tools: [py, sh], budget: { per: 1h, cpu: %s } }" % self.cpu),
                         ("kind: code,", "kind: code, screen: { mode: warn },")):
            assert old in text, text
            text = text.replace(old, new)
        super().put_policy(text)

    def left_ms(self):
        answer = self.ask("POST", "/v1/policy/check", {"tool_name": "py", "language": "bash", "code": "true"})[1]
        return answer["remaining"]["cpu_ms"]


BEHIND = """
import os
import time
if os.fork() == 0:
    while time.process_time() < 2:
        pass
    open("/work/done", "w").close()
    time.sleep(600)
"""


def what_is_used_behind_all_calls_is_charged_too(t):
    """A snippet that has ended may have left somebody who works on."""
    s = Thrifty(BELLJAR, as_user=WHO == "user")
    wait_until(s.is_ready)
    for end in ("open", "closed", "out of memory"):
        before = s.left_ms()
        name = s.ask("POST", "/v1/sessions", {"tool_name": "py"})[1]["id"]
        path = "/v1/sessions/" + name
        answer = s.ask("POST", path + "/code", {"code": BEHIND})[1]
        t.check(answer["status"] == "success", answer)
        if answer["layers"]["cpu"]["state"] != "full":
            break  # nobody counts for the box as a whole
        if end == "open":  # nobody asks for anything
            wait_until(lambda: before - s.left_ms() >= 1500)
            t.check(s.ask("GET", path)[0] == 200, s.lines())
        wait_until(lambda: s.ask("GET", path + "/files/done?stat=1")[0] == 200)
        if end != "out of memory":
            t.check(s.ask("DELETE", path)[0] == 200, s.lines())
        else:
            s.ask("POST", path + "/code", {"code": "x = bytearray(1 << 30)"})
            wait_until(lambda: s.ask("GET", path)[0] == 410)
        used = before - s.left_ms()
        t.check(1500 <= used < (3900 if end == "open" else 20000), (end, used))  # and once
    finish(t, s)


class Poor(Thrifty):
    cpu = "3s"


def who_has_used_up_its_time_works_on_for_nobody(t):
    """Behind all calls: its session is ended.  One that only waits is not."""
    s = Poor(BELLJAR, as_user=WHO == "user")
    wait_until(s.is_ready)
    waits, works = (s.ask("POST", "/v1/sessions", {"tool_name": "py"})[1]["id"] for _ in range(2))
    path = "/v1/sessions/" + works
    answer = s.ask("POST", path + "/code", {"code": "import os\nif os.fork() == 0:\n    while True: pass"})[1]
    t.check(answer["status"] == "success", answer)
    if answer["layers"]["cpu"]["state"] == "full":  # else nobody counts for the box as a whole
        wait_until(lambda: s.ask("GET", path)[0] == 410)
        t.check("(budget)" in s.ask("GET", path)[1]["detail"], s.ask("GET", path))
        t.check(s.ask("GET", "/v1/sessions/" + waits)[0] == 200, s.lines())
        wait_until(lambda: '"by":"budget"' in str(s.ask("GET", "/v1/audit?session=" + works)))
    finish(t, s)


def judge_answers(t, load, role):
    """Whatever happened, a client heard the truth: its own words, or that nobody knows."""
    kinds = {}
    for _, word, status, answer in load.answers:
        kind = answer.get("status") if status == 200 else status
        kinds[kind] = kinds.get(kind, 0) + 1
        if kind == "success":
            t.check(answer["output"] == word + "\n", answer)
        elif status == 200:
            t.check(kind in ("unknown", "error"), answer)
        else:
            t.check(status in (500, 503), answer)
    t.say("%s: %s, %d connections cut" % (role, kinds, len(load.lost)))
    t.check(role == "front" or not load.lost, load.lost)


def judge_log(t, s, loads):
    """What somebody was told is in the log, and nothing in it is open."""
    calls = s.calls()
    for load in loads:
        for _, word, status, answer in load.answers:
            if answer.get("id"):
                t.check(answer["id"] in calls, ("not in the log", word, answer))
            if answer.get("status") == "success":
                t.check(calls.get(answer["id"]) == "success", (word, calls.get(answer["id"])))
    still = [call for call, status in calls.items() if status is None]
    t.check(not still, still)
    kinds = {}
    for status in calls.values():
        kinds[status] = kinds.get(status, 0) + 1
    t.say("%d calls in the log: %s" % (len(calls), kinds))


def kill_under_load(t, s, role):
    load = Load(s)
    wait_until(lambda: len(load.successes()) > 8)
    others = {r: s.pids(r) for r in ("front", "warden", "scribe", "reader") if r != role}
    old = s.pids(role)[0]
    begun = time.monotonic()
    os.kill(old, signal.SIGKILL)
    wait_until(lambda: old not in s.pids(role) and s.pids(role))
    back = time.monotonic()
    wait_until(s.is_ready)
    ready = time.monotonic()
    wait_until(lambda: len(load.successes(ready)) > 12)
    first = min(a[0] for a in load.successes(begun))
    load.stop()
    t.say("%s: another after %.0f ms, ready after %.0f ms, a call succeeds after %.0f ms" % (
        role, 1e3 * (back - begun), 1e3 * (ready - begun), 1e3 * (first - begun)))
    for other, pids in others.items():
        if not (role == "front" and other == "reader"):
            t.check(s.pids(other) == pids, "the %s went with the %s" % (other, role))
    judge_answers(t, load, role)
    return load


def each_role_is_killed_under_load_and_comes_back(t):
    s = start()
    wait_until(s.is_ready)
    wait_until(lambda: s.pids("reader"))
    loads = [kill_under_load(t, s, role)
             for role in ("keeper", "slot", "warden", "scribe", "reader", "front")]
    t.check(s.end() == 0, s.lines())
    wait_until(lambda: not s.left())
    verified, words = s.verify()
    t.check(verified == 0, words)
    judge_log(t, s, loads)
    s.forget()


def kill_keepers(s):
    """Some may be about to go by themselves."""
    for keeper in s.pids("keeper"):
        try:
            os.kill(keeper, signal.SIGKILL)
        except ProcessLookupError:
            pass


def a_call_whose_keeper_is_killed_is_answered_unknown(t):
    s = start()
    wait_until(s.is_ready)
    heard = []
    thread = threading.Thread(target=lambda: heard.append(s.execute("sleep 50", "bash")))
    thread.start()
    asleep = []

    def find():
        asleep[:] = [(pid, born(pid)) for pid in who_sleeps(s)]
        return asleep

    wait_until(find)
    kill_keepers(s)
    thread.join(60)
    t.check(heard and heard[0][1].get("status") == "unknown", heard)
    wait_until(lambda: not any(start and born(pid) == start for pid, start in asleep))
    wait_until(lambda: s.execute("print(1)")[1].get("output") == "1\n")
    finish(t, s)


def a_policy_is_replaced_while_calls_run(t):
    s = start()
    wait_until(s.is_ready)
    load = Load(s, 3)
    old = s.ask("GET", "/v1/tools")[1]
    text = open(s.dir + "/policy.yaml").read()
    s.put_policy(text.replace("programs: [echo, sleep]", "programs: [echo, sleep, cat]")
                     .replace("  sh:", "  more: { kind: code, languages: [bash] }\n  sh:")
                     .replace("tools: [py, sh]", "tools: [py, sh, more]"))
    s.process.send_signal(signal.SIGHUP)
    wait_until(lambda: len(s.ask("GET", "/v1/tools")[1]["tools"]) == len(old["tools"]) + 1)
    s.put_policy("version: 1\ntools: {")
    s.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "goes on by the policy of before" in s.lines())
    t.check("policy.yaml:" in s.lines(), s.lines())
    wait_until(lambda: len(load.successes()) > 10)
    load.stop()
    judge_answers(t, load, "nobody")
    # New keepers go by the policy that counts, not by what its file says now.
    kill_keepers(s)
    wait_until(lambda: s.execute("print(1)")[1].get("output") == "1\n")
    t.check(len(s.ask("GET", "/v1/tools")[1]["tools"]) == len(old["tools"]) + 1, "")
    status, answer = s.ask("POST", "/v1/admin/reload")
    t.check(status == 422 and s.dir + "/policy.yaml:3:" in answer["detail"], answer)
    t.check("the policy of before" in answer["detail"], answer)
    s.put_policy(text)
    status, answer = s.ask("POST", "/v1/admin/reload")
    now = s.ask("GET", "/version")[1]
    t.check(status == 200 and answer["policy_sha256"] == now["policy_sha256"], (answer, now))
    t.check(answer["policy_generation"] == now["policy_generation"] == 3, (answer, now))
    t.check(len(s.ask("GET", "/v1/tools")[1]["tools"]) == len(old["tools"]), "")
    finish(t, s)


def it_drains(t):
    s = start(drain="40s")
    wait_until(s.is_ready)
    heard = []
    # Its keeper ends at once when it drains: the call is waited for nevertheless.
    status, session = s.ask("POST", "/v1/sessions", {"tool_name": "py"})
    t.check(status == 201, session)
    thread = threading.Thread(
        target=lambda: heard.append(s.execute("sleep 3; echo done", "bash")))
    thread.start()
    wait_until(lambda: who_sleeps(s))
    s.look()
    s.process.send_signal(signal.SIGTERM)
    thread.join(60)
    t.check(heard and heard[0][1].get("output") == "done\n", heard)
    t.check(s.end() == 0, s.lines())
    verified, words = s.verify()
    t.check(verified == 0, words)
    s.forget()


def it_ends_calls_at_the_deadline_and_on_a_second_signal(t):
    for drain, signals in (("1s", 1), ("60s", 2)):
        s = start(drain=drain)
        wait_until(s.is_ready)
        heard = []

        def call():
            try:
                heard.append(s.execute("sleep 50", "bash"))
            except (OSError, ValueError, EOFError) as why:
                heard.append((0, {"status": "unknown", "why": str(why)}))
            except Exception as why:  # http.client's own
                heard.append((0, {"status": "unknown", "why": str(why)}))

        thread = threading.Thread(target=call)
        thread.start()
        wait_until(lambda: who_sleeps(s))
        s.look()
        for i in range(signals):
            s.process.send_signal(signal.SIGTERM)
            wait_until(lambda: "draining" in s.lines())
        t.check(s.end() == 0, s.lines())
        thread.join(60)
        t.check(heard and heard[0][1].get("status") != "success", heard)
        wait_until(lambda: not s.left())
        verified, words = s.verify()
        t.check(verified == 0, words)
        still = [call for call, status in s.calls().items() if status is None]
        t.check(not still and s.calls(), still)
        s.forget()


def killed_it_leaves_nothing(t):
    s = start()
    wait_until(s.is_ready)
    load = Load(s, 4)
    wait_until(lambda: len(load.successes()) > 4)
    s.look()
    t.check(s.end(signal.SIGKILL) == -9, "")
    load.stop()
    wait_until(lambda: not s.left())
    wait_until(lambda: not s.left_groups())
    verified, words = s.verify()
    t.check(verified == 0, words)
    judge_log(t, s, [load])
    s.forget()


def it_takes_sockets_from_systemd(t):
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        door.listen()
        script = "import os,sys; os.dup2(%d, 3); os.environ['LISTEN_PID'] = str(os.getpid()); " \
                 "os.set_inheritable(3, True); os.execv(sys.argv[1], sys.argv[1:])" % door.fileno()
        s = start(env={"LISTEN_FDS": "1"}, pass_fds=[door.fileno()], listen=False,
                  start=["/usr/bin/python3", "-c", script])
        t.check(s.port == door.getsockname()[1], s.said)
        t.check(s.execute("print(1)")[1]["output"] == "1\n", "")
        finish(t, s)


def make_certificate(s, name):
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
             "-nodes", "-keyout", s.dir + "/tls.key", "-out", s.dir + "/tls.crt", "-subj",
             "/CN=" + name, "-days", "2"]
    subprocess.run(words, check=True, capture_output=True)
    os.chmod(s.dir + "/tls.key", 0o600)
    if s.user:
        os.chown(s.dir + "/tls.key", s.user["user"], s.user["group"])


def certificate_at(port):
    """Its text; ports speak TLS or do not."""
    found = ssl.get_server_certificate(("127.0.0.1", port))
    return ssl.PEM_cert_to_DER_cert(found)


def a_new_certificate_counts_after_a_reload(t):
    if not shutil.which("openssl"):
        t.say("SKIP: there is no openssl to make a certificate with")
        return
    s = start(before=lambda s: (make_certificate(s, "one"), s.put_policy(
        open(s.dir + "/policy.yaml").read().replace(
            "serve:\n", "serve:\n  tls: { cert: tls.crt, key: %s/tls.key }\n" % s.dir))),
        words=["--listen", "tls:127.0.0.1:0"])
    port = int(s.said["listening"][2].rpartition(":")[2])
    t.check(s.said["listening"][2].startswith("https://"), s.said)
    wait_until(s.is_ready)
    first = certificate_at(port)
    make_certificate(s, "two")
    s.process.send_signal(signal.SIGHUP)
    wait_until(lambda: certificate_at(port) != first)
    second = certificate_at(port)
    with open(s.dir + "/tls.key", "w") as out:
        out.write("no key\n")
    s.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "serve.tls" in s.lines())
    t.check(certificate_at(port) == second, "the old one stays")
    t.check("no key" not in s.lines(), s.lines())
    status, answer = s.ask("POST", "/v1/admin/reload")
    t.check(status == 422 and "serve.tls" in answer["detail"], answer)
    t.check("no key" not in answer["detail"], answer)
    t.check(s.execute("print(1)")[1]["output"] == "1\n", "")
    s.put_policy()
    finish(t, s)


# Sends descriptors that nobody takes, until the kernel allows its user no more.
HOARD = """
import array, os, socket, time
null, kept = os.open("/dev/null", os.O_RDONLY), []
try:
    while len(kept) < 400:
        kept.append(socket.socketpair())
        kept[-1][0].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS,
                                      array.array("i", [null] * 250))])
except OSError:
    pass
open("held", "w").write("%d" % len(kept))
time.sleep(1000)
"""


def descriptors_in_flight_in_one_box_stop_no_other(t):
    s = start()
    wait_until(s.is_ready)
    status, answer = s.ask("POST", "/v1/sessions", {"tool_name": "py"})
    t.check(status == 201, answer)
    path = "/v1/sessions/" + answer["id"]
    hoarder = threading.Thread(
        target=lambda: s.ask("POST", path + "/exec", {"argv": ["python3", "-c", HOARD]}))
    hoarder.start()
    wait_until(lambda: s.ask("GET", path + "/files/held")[0] == 200)
    for _ in range(4):
        status, answer = s.execute("echo hi", "bash")
        t.check(status == 200 and answer["output"] == "hi\n", answer)
    status, answer = s.ask("POST", path + "/exec", {"argv": ["echo", "hi"]})
    t.check(status == 200 and answer["output"] == "hi\n", answer)
    s.ask("DELETE", path)
    hoarder.join()
    finish(t, s)


def an_answer_that_is_too_large_ends_nothing(t):
    s = start()
    with open(s.dir + "/policy.yaml") as policy:
        text = policy.read()
    s.put_policy(text.replace("wall: 60s", "wall: 60s, output: 60M"))
    s.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "reloaded" in s.lines())
    wait_until(s.is_ready)
    status, answer = s.ask("POST", "/v1/sessions", {"tool_name": "py", "language": "python"})
    t.check(status == 201, answer)
    path = "/v1/sessions/" + answer["id"]
    status, answer = s.ask("POST", path + "/code", {"code": "mine = 6; print('x' * 1000000)"})
    t.check(status == 200 and len(answer["output"]) == 1000001, status)
    status, answer = s.ask("POST", path + "/code", {"code": "for i in range(40): print('x' * 1000000)"})
    t.check(status == 500 and "larger than 64 MiB" in answer["detail"], (status, str(answer)[:300]))
    status, answer = s.ask("POST", path + "/code", {"code": "mine + 1"})
    t.check(status == 200 and answer["result"] == "7", answer)
    finish(t, s)


TESTS = [
    an_answer_that_is_too_large_ends_nothing,
    descriptors_in_flight_in_one_box_stop_no_other,
    a_new_certificate_counts_after_a_reload,
    answers_are_as_they_are_described,
    it_starts_and_answers_three_calls,
    boxes_are_bound_before_there_is_a_call,
    what_a_client_makes_up_is_cleaned_before_it_is_written,
    what_is_used_behind_all_calls_is_charged_too,
    who_has_used_up_its_time_works_on_for_nobody,
    each_role_is_killed_under_load_and_comes_back,
    a_call_whose_keeper_is_killed_is_answered_unknown,
    a_policy_is_replaced_while_calls_run,
    it_drains,
    it_ends_calls_at_the_deadline_and_on_a_second_signal,
    killed_it_leaves_nothing,
    it_takes_sockets_from_systemd,
]
run(TESTS)
