#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""supervisor.py SUPERDRIVE FAKEROLES: the supervisor alone, with roles that only seem to be."""
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tapping  # noqa: E402
from fakeservice import ALL_UP, DRIVE, VIEW, Service, is_settled  # noqa: E402


def it_starts_every_role_with_what_it_needs_and_nothing_else(t):
    s = Service(env={"SECRET": "x", "PATH": "/bin"})
    t.check(s.said["listening"] == ["unix:" + s.path], s.said)
    tapping.wait_until(lambda: is_settled(s) and s.alive("reader") and s.alive("keeper"))
    for role, fds in (("front", 5), ("keeper", 6), ("reader", 4)):
        words = s.words(role, s.alive(role)[0])
        # 0, 1, 2, its sockets, and the directory it is listing.
        t.check(words[1] == " ".join(map(str, range(fds + 1))), (role, words))
        t.check("SECRET" not in words[2] and "PATH" not in words[2], words[2])
    keeper = s.words("keeper", s.alive("keeper")[0])[0]
    t.check("--expect-sha256 " + "ab" * 32 in keeper and s.dir + "/state/audit" in keeper, keeper)
    t.check(s.end() == 0, s.lines())
    t.check(not s.left() and not os.path.exists(s.path), s.left())
    s.forget()


def each_role_comes_back_and_the_others_stay(t):
    s = Service()
    tapping.wait_until(lambda: is_settled(s))
    for role in ("warden", "scribe", "reader", "keeper", "front"):
        tapping.wait_until(lambda: s.alive(role))
        others = {r: s.alive(r) for r in ("warden", "scribe") if r != role}
        old = s.alive(role)[0]
        begun = time.monotonic()
        os.kill(old, signal.SIGKILL)
        tapping.wait_until(lambda: old not in s.alive(role) and s.alive(role))
        tapping.wait_until(lambda: is_settled(s))
        t.say("%s is back after %.0f ms" % (role, 1000 * (time.monotonic() - begun)))
        for other, pids in others.items():
            t.check(s.alive(other) == pids, "%s died with the %s" % (other, role))
    t.check(s.end() == 0, s.lines())
    t.check("was killed by signal 9" in s.lines(), s.lines())
    s.forget()


def node_waits_in_as_many_keepers_as_it_may(t):
    for most in (0, 1):
        view = dict(VIEW, serve=dict(VIEW["serve"], warm_node=most))
        s = Service(before=lambda s, view=view: s.put("view.json", json.dumps(view)))

        def waiting(s=s):
            return [pid for pid in s.alive("keeper")
                    if "--warm-node" in s.words("keeper", pid)[0].split()]

        tapping.wait_until(lambda s=s: is_settled(s) and len(s.alive("keeper")) == 2)
        before = waiting()
        t.check(len(before) == most, (most, before))
        if most:
            os.kill(before[0], signal.SIGKILL)
            tapping.wait_until(lambda s=s: is_settled(s) and len(s.alive("keeper")) == 2)
            tapping.wait_until(lambda: len(waiting()) == 1 and waiting() != before)
        t.check(s.end() == 0, s.lines())
        s.forget()


def one_that_does_not_stay_up_is_tried_again_later_and_later(t):
    s = Service()
    tapping.wait_until(lambda: is_settled(s))
    s.put("scribe.fail", "7")
    os.kill(s.alive("scribe")[0], signal.SIGKILL)
    tapping.wait_until(lambda: s.ask()[1] == ALL_UP & ~2)

    def times():
        with open(os.path.join(s.dir, "failures")) as text:
            return [float(line.split()[1]) for line in text]

    tapping.wait_until(lambda: len(times()) >= 7)
    gaps = [b - a for a, b in zip(times(), times()[1:])]
    # Not sooner than the delay; how much later is the machine's affair.
    t.check(gaps[5] >= 0.7, gaps)
    t.check("does not stay up" in s.lines() and "exit code 7" in s.lines(), s.lines())
    t.check("\x1b" not in s.lines() and "\\x1b[31mred" in s.lines(), s.lines())
    # Said once a minute, however often it is.
    t.check(s.lines().count("scribe fails") < 4, s.lines())
    s.take("scribe.fail")
    tapping.wait_until(lambda: s.ask()[1] == ALL_UP)
    t.check(s.end() == 0, s.lines())
    t.check("times more)" in s.lines(), s.lines())
    s.forget()


def a_warden_that_does_not_answer_is_not_up_until_it_does(t):
    s = Service()
    tapping.wait_until(lambda: is_settled(s))
    warden, keeper = s.alive("warden")[0], s.alive("keeper")[0]
    os.kill(warden, signal.SIGSTOP)
    tapping.wait_until(lambda: s.ask()[1] == ALL_UP & ~1)
    t.check("the warden does not answer" in s.lines(), s.lines())
    # Nobody begins who would wait for it.
    os.kill(keeper, signal.SIGKILL)
    tapping.wait_until(lambda: s.ask()[2] == 1)
    t.check(len(s.alive("keeper")) == 1, s.alive("keeper"))
    os.kill(warden, signal.SIGCONT)
    tapping.wait_until(lambda: is_settled(s))
    t.check(s.alive("warden") == [warden] and "answers again" in s.lines(), s.lines())
    # One that is killed while it is silent has a successor that is not.
    os.kill(warden, signal.SIGSTOP)
    tapping.wait_until(lambda: s.ask()[1] == ALL_UP & ~1)
    os.kill(warden, signal.SIGKILL)
    tapping.wait_until(lambda: is_settled(s) and s.alive("warden") != [warden])
    t.check(s.end() == 0, s.lines())
    s.forget()


def a_log_that_another_scribe_holds_is_no_failure(t):
    s = Service(before=lambda s: s.put("scribe.busy"))
    tapping.wait_until(lambda: is_settled(s))
    t.check("exit code 125" not in s.lines(), s.lines())
    s.take("scribe.busy")
    tapping.wait_until(lambda: s.alive("scribe"))
    t.check(s.ask()[1] == ALL_UP, s.ask())
    t.check(s.end() == 0, s.lines())
    s.forget()


def a_policy_is_read_again_and_a_bad_one_changes_nothing(t):
    s = Service()
    tapping.wait_until(lambda: is_settled(s))
    other = dict(VIEW, policy_sha256="cd" * 32)
    s.put("view.json", json.dumps(other))
    s.process.send_signal(signal.SIGHUP)
    tapping.wait_until(lambda: s.ask()[3] == 2)
    tapping.wait_until(lambda: s.alive("keeper"))
    os.kill(s.alive("keeper")[0], signal.SIGKILL)
    tapping.wait_until(lambda: any("cd" * 32 in s.words("keeper", pid)[0]
                                   for pid in s.alive("keeper")))
    s.put("view.fail")
    s.process.send_signal(signal.SIGHUP)
    tapping.wait_until(lambda: "goes on by the policy of before" in s.lines())
    t.check("policy.yaml:1:1: it is wrong" in s.lines(), s.lines())
    s.take("view.fail")
    s.put("view.json", "{}")
    s.process.send_signal(signal.SIGHUP)
    tapping.wait_until(lambda: s.lines().count("goes on by the policy of before") == 2)
    t.check(s.ask()[3] == 2, s.ask())
    s.put("view.json", json.dumps(VIEW))
    s.ask(b"reload")
    tapping.wait_until(lambda: s.ask()[3] == 3)
    t.check(s.end() == 0, s.lines())
    s.forget()


def a_service_that_nobody_can_use_says_so(t):
    quiet = ["/bin/sh", "-c", 'exec "$0" "$1" "$2"']  # without --json
    for clients, listen, word in (([], "127.0.0.1:0", "nobody can come in there"),
                                  ([{"key_sha256": ["ab" * 32]}], "127.0.0.1:0", "Bearer $KEY"),
                                  ([{"cert": "x"}], "127.0.0.1:0", "Bearer $KEY"),
                                  ([], "unix", "--unix-socket")):
        view = dict(VIEW, source="/p.yaml", clients=clients,
                    serve=dict(VIEW["serve"], loopback_without_key=False))
        s = Service(listen=listen, up=False, start=quiet,
                    before=lambda s, view=view: s.put("view.json", json.dumps(view)))
        tapping.wait_until(lambda s=s, word=word: word in s.lines())
        t.check(("Bearer $KEY" in s.lines()) == (word == "Bearer $KEY"), s.lines())
        t.check(s.end() == 0, s.lines())
        s.forget()


def who_asks_for_a_reload_hears_what_came_of_it(t):
    s = Service()

    def heard():
        with open(os.path.join(s.dir, "reloads"), "a+") as text:
            text.seek(0)
            return text.read().splitlines()

    tapping.wait_until(lambda: is_settled(s))
    s.put("view.fail")
    s.ask(b"reload")
    tapping.wait_until(lambda: len(heard()) == 1)
    t.check(heard()[0].startswith("False 1 1 ") and "policy.yaml:1:1: it is wrong" in heard()[0],
            heard())
    t.check("the policy of before" in heard()[0], heard())
    s.take("view.fail")
    s.put("view.json", json.dumps(dict(VIEW, policy_sha256="cd" * 32)))
    s.process.send_signal(signal.SIGHUP)
    tapping.wait_until(lambda: len(heard()) == 2)
    t.check(heard()[1] == "True 1 2 ", heard())  # nobody of the front asked for this one
    # Asked while one is being read that may be of an older file: the next one is the answer.
    s.put("view.wait")
    s.process.send_signal(signal.SIGHUP)
    tapping.wait_until(lambda: s.alive("view"))
    s.ask(b"reload")
    s.ask(b"reload")
    s.put("view.json", json.dumps(dict(VIEW, serve=dict(VIEW["serve"], listen=["127.0.0.1:1"]))))
    s.take("view.wait")
    tapping.wait_until(lambda: len(heard()) == 4)
    t.check(heard()[2].startswith("True 1 3"), heard())
    t.check(heard()[3].startswith("True 3 4"), heard())
    t.check("serve.listen has changed" in heard()[2] + heard()[3], heard())
    # A front that begins anew counts anew, and is not answered for another's questions.
    s.put("view.wait")
    s.ask(b"reload")
    tapping.wait_until(lambda: s.alive("view"))
    old = s.ask()[0]
    os.kill(old, signal.SIGKILL)
    tapping.wait_until(lambda: s.alive("front") and old not in s.alive("front"))
    tapping.wait_until(lambda: is_settled(s))
    s.take("view.wait")
    tapping.wait_until(lambda: len(heard()) == 5)
    t.check(heard()[4].startswith("True 0 5"), heard())
    t.check(s.end() == 0, s.lines())
    s.forget()


def a_front_that_asks_for_too_much_gets_what_the_policy_allows(t):
    s = Service()
    tapping.wait_until(lambda: is_settled(s))
    s.ask(b"flood")
    most = 2 * 4 + 2 + 8
    tapping.wait_until(lambda: s.ask()[2] == most)
    tapping.wait_until(lambda: len(s.alive("keeper")) == most)
    t.check(s.end() == 0, s.lines())
    s.forget()


def killed_it_leaves_nobody(t):
    s = Service()
    tapping.wait_until(lambda: is_settled(s))
    t.check(s.end(signal.SIGKILL) == -9, "")
    tapping.wait_until(lambda: not s.left())
    t.check(os.path.exists(s.path), "the next one finds what this one left")
    again = subprocess.Popen([DRIVE, s.dir, "unix:" + s.path, "--json"], env={},
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    t.check(json.loads(again.stdout.readline())["listening"], "")
    again.terminate()
    t.check(again.wait(90) == 0, "")
    again.stdout.close()
    s.forget()


def a_second_signal_ends_it_now(t):
    s = Service(before=lambda s: s.put("front.stuck"))
    tapping.wait_until(lambda: is_settled(s))
    s.process.send_signal(signal.SIGTERM)
    tapping.wait_until(lambda: "draining" in s.lines())
    t.check(s.process.poll() is None, "it drains")
    t.check(s.end(signal.SIGINT) == 0, s.lines())
    t.check(not s.left(), s.left())
    s.forget()


def two_do_not_share_a_state_directory_nor_an_address(t):
    s = Service()
    other = subprocess.run([DRIVE, s.dir, "127.0.0.1:0"], env={}, stderr=subprocess.PIPE, text=True)
    t.check(other.returncode == 1 and "uses %s/state already" % s.dir in other.stderr,
            other.stderr)
    second = Service(listen="unix:" + s.path, up=False)
    t.check(second.process.wait(60) == 1 and "already" in second.lines(), second.lines())
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        third = Service(listen="127.0.0.1:%d" % busy.getsockname()[1], up=False)
        t.check(third.process.wait(60) == 1 and "another belljar serve?" in third.lines(),
                third.lines())
    fourth = Service(listen="0.0.0.0:0", up=False)
    t.check(fourth.process.wait(60) == 1 and "in the clear" in fourth.lines(), fourth.lines())
    for one in (second, third, fourth, s):
        one.end()
        one.forget()


def a_host_without_boxes_is_told_at_once(t):
    s = Service(up=False, before=lambda s: s.put("selftest.fail", "125"))
    t.check(s.process.wait(90) == 1 and "belljar doctor" in s.lines(), s.lines())
    t.check(not s.left(), s.left())
    s.end()
    s.forget()


def systemd_is_told_and_its_sockets_are_taken(t):
    where = tempfile.mkdtemp()
    heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    heard.bind(where + "/notify")
    heard.settimeout(60)
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        door.listen()
        env = {"NOTIFY_SOCKET": where + "/notify", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "plain",
               "WATCHDOG_USEC": "200000"}
        # The pid is known only once it is there: a shell becomes it.
        script = "import os,sys; os.dup2(%d, 3); os.environ['LISTEN_PID'] = str(os.getpid()); " \
                 "os.set_inheritable(3, True); os.execv(sys.argv[1], sys.argv[1:])" % door.fileno()
        s = Service(listen="-", env=env, pass_fds=[door.fileno()],
                    start=["/usr/bin/python3", "-c", script])
        t.check(s.said["listening"] == ["http://127.0.0.1:%d" % door.getsockname()[1]], s.said)
        words = [heard.recv(200).decode() for _ in range(3)]
        while not any("READY=1" in w for w in words):
            words.append(heard.recv(200).decode())
        t.check("WATCHDOG=1" in words, words)
        with socket.create_connection(door.getsockname()) as client:
            client.sendall(b"?")
            t.check(len(client.recv(100).split()) == 4, "it answers at that socket")
        s.process.send_signal(signal.SIGHUP)
        while not words[-1].startswith("RELOADING=1\nMONOTONIC_USEC="):
            words.append(heard.recv(200).decode())
        while not words[-1].startswith("READY=1\nSTATUS=policy abab"):
            words.append(heard.recv(200).decode())
        s.put("view.fail")
        s.process.send_signal(signal.SIGHUP)
        while not words[-1].startswith("READY=1\nSTATUS=everything goes on by the policy of before: "):
            words.append(heard.recv(200).decode())
        t.check("policy.yaml:1:1: it is wrong" in words[-1], words)
        t.check(s.end() == 0, s.lines())
        while not words[-1].startswith("STOPPING=1"):
            words.append(heard.recv(200).decode())
    heard.close()
    shutil.rmtree(where)
    s.forget()


tapping.run([
    it_starts_every_role_with_what_it_needs_and_nothing_else,
    each_role_comes_back_and_the_others_stay,
    node_waits_in_as_many_keepers_as_it_may,
    one_that_does_not_stay_up_is_tried_again_later_and_later,
    a_warden_that_does_not_answer_is_not_up_until_it_does,
    a_log_that_another_scribe_holds_is_no_failure,
    a_policy_is_read_again_and_a_bad_one_changes_nothing,
    who_asks_for_a_reload_hears_what_came_of_it,
    a_service_that_nobody_can_use_says_so,
    a_front_that_asks_for_too_much_gets_what_the_policy_allows,
    killed_it_leaves_nobody,
    a_second_signal_ends_it_now,
    two_do_not_share_a_state_directory_nor_an_address,
    a_host_without_boxes_is_told_at_once,
    systemd_is_told_and_its_sockets_are_taken,
])
