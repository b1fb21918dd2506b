#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""templates.py BELLJAR WHO - sessions of the service whose Pythons begin as one that was ready."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from living import Service, beneath  # noqa: E402
from tapping import run, wait_until  # noqa: E402

BELLJAR, WHO = os.path.realpath(sys.argv[1]), sys.argv[2]
POLICY = """\
version: 1
{allow}
serve: {{ loopback_without_key: true, concurrency: 2, sessions_ready: 1, sessions: 12 }}
clients:
  local: {{ uid: any, tools: ["*"] }}
tools:
  py:
    kind: code
    languages: [python, bash]
    rate: unlimited
    screen: {{ mode: warn }}
    env_allow: [COLOUR, PYTHONOPTIMIZE]
    env: {{ DATABASE_URL: "no-sql://only-for-py", LANGCHAIN_WORD: "only-for-py" }}
    sessions: {{ allow: true }}
  other: {{ kind: code, languages: [python], rate: unlimited, screen: {{ mode: warn }}, sessions: {{ allow: true }} }}
  rooted: {{ kind: code, languages: [python], rate: unlimited, root: /, sessions: {{ allow: true }} }}
  fresh: {{ kind: code, languages: [python], rate: unlimited, warm: false, sessions: {{ allow: true }} }}
"""


class Templates(Service):
    def put_policy(self, text=None):
        super().put_policy(text or POLICY.format(allow=self.allow))

    def open(self, tool="py", **more):
        status, answer = self.ask("POST", "/v1/sessions", {"tool_name": tool, **more})
        if status != 201:
            raise AssertionError(answer)
        return answer["id"]

    def run(self, name, code):
        status, answer = self.ask("POST", "/v1/sessions/%s/code" % name, {"code": code})
        if not answer.get("success"):
            raise AssertionError(answer)
        return answer["result"]

    def began(self, name):
        """How its Python did, once it has."""
        found = []

        def is_ready():
            found[:] = [i for i in self.ask("GET", "/v1/sessions/" + name)[1]["interpreters"]
                        if i["language"] == "python"]
            return found and found[0]["ready"]

        wait_until(is_ready)
        return found[0]["how"], found[0]["why_cold"]

    def woken(self):
        """A session that began as the template; there is one soon."""
        found = []

        def is_it():
            found[:] = [self.open()]
            if self.began(found[0])[0] == "template":
                return True
            self.ask("DELETE", "/v1/sessions/" + found[0])
            return False

        wait_until(is_it)
        return found[0]


def start():
    s = Templates(BELLJAR, as_user=WHO == "user")
    wait_until(s.is_ready)
    return s


def finish(t, s):
    t.check(s.end() == 0, s.lines())
    wait_until(lambda: not s.left())
    t.check(s.verify()[0] == 0, "its log verifies")
    s.forget()


def sessions_begin_as_the_template_and_share_nothing(t):
    s = start()
    a, b = s.woken(), s.woken()
    draw = "import random, uuid, os; (random.random(), uuid.uuid4().hex, os.urandom(8).hex())"
    one, other = eval(s.run(a, draw)), eval(s.run(b, draw))
    t.check(all(x != y for x, y in zip(one, other)), (one, other))
    s.run(a, "import builtins; builtins.mine = 1; mine = 2")
    t.check(s.run(b, "import builtins; hasattr(builtins, 'mine')") == "False", "it is only in the other")
    look = "[m for m in open('/proc/self/maps') if m.split()[1][1] == 'w' and m.split()[1][3] == 's']"
    t.check(s.run(a, look) == "[]", s.run(a, look))
    # It is on no descriptor, and cannot be opened by way of the mapping.
    fds = "sorted(os.readlink('/proc/self/fd/' + n) for n in os.listdir('/proc/self/fd')"\
          " if os.path.exists('/proc/self/fd/' + n) or os.path.islink('/proc/self/fd/' + n))"
    t.check("template" not in s.run(a, fds), s.run(a, fds))
    s.run(a, "def reach():\n    n = 0\n    for m in open('/proc/self/maps'):\n"
             "        if 'belljar-template' not in m: continue\n"
             "        try: os.close(os.open('/proc/self/map_files/' + m.split()[0], os.O_RDONLY))\n"
             "        except OSError: continue\n        n += 1\n    return n")
    t.check(s.run(a, "reach()") == "0", "it can be opened")
    t.check(s.run(a, "(os.getcwd(), os.path.basename(os.readlink('/proc/self/exe')).startswith('python3'))") ==
            "('/work', True)", "where and what it is")
    finish(t, s)


def its_own_variables_and_no_others(t):
    s = start()
    s.woken()
    a, b = s.open(env={"COLOUR": "red"}), s.open()
    show = "import os, subprocess; (os.environ.get('COLOUR'), subprocess.run(['sh', '-c', 'echo $COLOUR'], " \
           "capture_output=True, text=True).stdout.strip(), [n for n in os.environ if n.startswith(('LD_', 'BELLJAR'))])"
    t.check(s.began(a)[0] == s.began(b)[0] == "template", (s.began(a), s.began(b)))
    t.check(s.run(a, show) == "('red', 'red', [])", s.run(a, show))
    t.check(s.run(b, show) == "(None, '', [])", s.run(b, show))
    # One that the interpreter itself would have looked at.
    c = s.open(env={"PYTHONOPTIMIZE": "1"})
    t.check(s.began(c) == ("cold", "its interpreter or its variables are not the template's"), s.began(c))
    t.check(s.run(c, "import sys; sys.flags.optimize") == "1", "it counts")
    d = s.open("fresh")
    t.check(s.began(d) == ("cold", None), s.began(d))
    e = s.open("rooted")
    t.check(s.began(e) == ("cold", "its root is not the template's"), s.began(e))
    finish(t, s)


def modules_of_the_sessions_own_are_found(t):
    s = start()
    s.woken()
    where = s.run(s.open(), "import site; site.getusersitepackages()").strip("'").replace("/work/", "", 1)
    files = [{"path": where + "/mine.py", "content": "word = 41"},
             {"path": where + "/more.pth", "content": "/work/further\n"},
             {"path": where + "/usercustomize.py", "content": "import builtins; builtins.customized = True"},
             {"path": "further/deep.py", "content": "word = 42"}]
    look = "import sys, mine, deep; (mine.word, deep.word, customized, sys.path)"
    a, b = s.open(files=files), s.open("fresh", files=files)
    t.check((s.began(a)[0], s.began(b)[0]) == ("template", "cold"), (s.began(a), s.began(b)))
    t.check(s.run(a, look) == s.run(b, look), (s.run(a, look), s.run(b, look)))
    finish(t, s)


def what_is_one_tools_is_not_in_it(t):
    s = start()
    mine = s.woken()
    t.check(s.run(mine, "import os; os.environ['DATABASE_URL']") == "'no-sql://only-for-py'", "its tool has it")
    other = s.open("other")
    t.check(s.began(other)[0] == "template", s.began(other))
    s.run(other, "def hunt(word):\n    n = 0\n    for m in open('/proc/self/maps'):\n"
                 "        if 'r--s' not in m or 'belljar-template' not in m: continue\n"
                 "        import ctypes\n        a, b = (int(x, 16) for x in m.split()[0].split('-'))\n"
                 "        n += ctypes.string_at(a, b - a).count(word.encode())\n    return n")
    t.check(int(s.run(other, "hunt('PATH')")) > 0, "what is in it can be found")
    t.check(s.run(other, "hunt('ylno'[::-1] + '-for-py')") == "0", "another tool's variables are in it")
    finish(t, s)


# In a session that is to be copied: the copy is written by this, and says what CHANGE makes of it.
LIAR = """
import sys, os, struct
at = sys._getframe()
while not hasattr(at.f_locals.get('session'), 'copier'): at = at.f_back
class Liar:
    def __init__(self, real): self.real = real
    def check(self, *_): pass
    def write(self, stream):
        (r, w), whole = os.pipe(), b''
        if os.fork() == 0:
            os.close(r), os.close(stream)
            return self.real.write(w)
        os.close(w)
        while data := os.read(r, 1 << 20): whole += data
        os.wait()
        whole = bytearray(whole)
        CHANGE
        while whole: del whole[: os.write(stream, whole)]
        os._exit(0)
at.f_locals['session'].copier = Liar(at.f_locals['session'].copier)
"""
IMAGE_LEN = 40  # in struct copy_head


def copy_of_liar(s, change):
    origin = s.woken()
    s.run(origin, LIAR.replace("CHANGE", change))
    status, answer = s.ask("POST", "/v1/sessions/%s/fork" % origin, {})
    return status, answer


def a_copy_that_lies_gets_no_more_of_it(t):
    s = start()
    fds = "import os; [n for n in os.listdir('/proc/self/fd') if os.path.islink('/proc/self/fd/' + n) and " \
          "'template' in os.readlink('/proc/self/fd/' + n)]"
    # Nothing of it is to be seen: then it is not closed?
    status, copy = copy_of_liar(s, "struct.pack_into('<Q', whole, %d, 0)" % IMAGE_LEN)
    t.check(status == 201 and s.run(copy["id"], fds) == "[]", (status, copy))
    # More of it than there is: whoever reads that would fill it for all.
    status, copy = copy_of_liar(s, "struct.pack_into('<Q', whole, %d, 256 << 20)" % IMAGE_LEN)
    t.check(status == 201, copy)
    read = "import ctypes; m = [m for m in open('/proc/self/maps') if 'r--s' in m and 'belljar-template' in m][0]\n" \
           "a, b = (int(x, 16) for x in m.split()[0].split('-')); ctypes.string_at(%s, 4096)[:0]"
    t.check(s.run(copy["id"], read % "a") == "b''", "it can be read at all")
    answer = s.ask("POST", "/v1/sessions/%s/code" % copy["id"], {"code": read % "b - 4096"})[1]
    t.check(answer["signal_name"] == "BUS", answer)
    # One more open file, which is what it is just becoming.
    path = "/proc/self/fd/4"
    change = ("h = struct.unpack_from('<IIII', whole, 16); at = struct.unpack_from('<I', whole, 12)[0] + h[0] * 80 + h[1] * 24; "
              "texts = at + h[2] * 16; whole[texts + h[3] : texts + h[3]] = b'%s\\0'; "
              "whole[at:at] = struct.pack('<IIQII', 50, 0, 0, h[3], 0); "
              "struct.pack_into('<IIII', whole, 16, h[0], h[1] + 1, h[2], h[3] + %d)" % (path, len(path) + 1))
    status, copy = copy_of_liar(s, change)
    t.check(status != 201 and "this is no image" in str(copy), (status, copy))
    change = change.replace(path, "/dev/urandom").replace("h[3] + %d" % (len(path) + 1), "h[3] + 13")
    status, copy = copy_of_liar(s, change)
    t.check(status == 201 and s.run(copy["id"], "os.readlink('/proc/self/fd/50')") == "'/dev/urandom'", (status, copy))
    finish(t, s)


def a_copy_brings_files_only_where_files_are(t):
    s = start()
    for path, link, fine in (("/work/there", b"", True), ("/proc/self/mem", b"", False), ("/work/link/mem", b"/proc/self", False),
                             ("/work/../proc/self/mem", b"", False)):
        origin = s.woken()
        # Its stream is begun by somebody else.
        s.run(origin, """
import sys, os, struct
at = sys._getframe()
while not hasattr(at.f_locals.get('session'), 'copier'): at = at.f_back
class Sender:
    def __init__(self, real): self.real = real
    def check(self, stream, word):
        self.stream = stream
        link = %r
        if link: os.write(stream, struct.pack('<5Q', 0o120000, 0o777, len(link), 0, 10) + b'/work/link' + link)
        os.write(stream, struct.pack('<5Q', 0o100000, 0o600, 0, 0, %d) + %r + struct.pack('<2Q', 0, 0))
    def write(self, stream): return self.real.write(stream)
at.f_locals['session'].copier = Sender(at.f_locals['session'].copier)
""" % (link, len(path), path.encode()))
        status, copy = s.ask("POST", "/v1/sessions/%s/fork" % origin, {})
        if fine:
            t.check(status == 201 and s.run(copy["id"], "os.path.exists('/work/there')") == "True", (status, copy))
        else:
            t.check(status != 201 and "does not belong to a copy" in str(copy), (path, status, copy))
        s.ask("DELETE", "/v1/sessions/" + origin)
    finish(t, s)


def least_own_kib(s):
    """Of all Pythons: what nobody else has."""
    found = [1 << 30]
    for pid in beneath(s.process.pid):
        try:
            with open("/proc/%d/comm" % pid) as comm, open("/proc/%d/smaps_rollup" % pid) as text:
                if comm.read().strip() == "python3":
                    found += [int(line.split()[1]) for line in text if line.startswith("Anonymous:")]
        except (FileNotFoundError, ProcessLookupError):
            pass
    return min(found)


def it_rests_wakes_dies_and_is_copied(t):
    s = start()
    a = s.woken()
    s.run(a, "mine = {n: str(n) for n in range(1000)}")
    s.run(a, "import json; len(json.dumps(mine))")
    size = "sum(int(l.split()[1]) for l in open('/proc/self/smaps') if l.startswith('Anonymous:'))"
    before = int(s.run(a, size))
    small = s.woken()
    s.run(small, "mine = 5")
    wait_until(lambda: 0 < least_own_kib(s) <= 64)  # that one sleeps, and will not be alone in it
    t.check(s.run(small, "mine") == "5", "what it knows")
    t.check(s.run(a, "(len(mine), mine[77], json.loads('[1]'))") == "(1000, '77', [1])", "it is all there")
    t.say("KiB of its own: %d, rested %s" % (before, s.run(a, size)))
    status, copy = s.ask("POST", "/v1/sessions/%s/fork" % a, {})
    t.check(status == 201, copy)
    s.run(copy["id"], "mine[77] = 'changed'")
    t.check((s.run(a, "mine[77]"), s.run(copy["id"], "mine[77]")) == ("'77'", "'changed'"), "two of them")
    t.check(s.began(copy["id"])[0] == "template", s.began(copy["id"]))
    # Its interpreter dies: the next begins the same way.
    answer = s.ask("POST", "/v1/sessions/%s/code" % a, {"code": "import os; os._exit(3)"})[1]
    t.check(answer["state_lost"], answer)
    t.check(s.run(a, "'mine' in globals()") == "False" and s.began(a)[0] == "template", s.began(a))
    finish(t, s)


run([
    sessions_begin_as_the_template_and_share_nothing,
    its_own_variables_and_no_others,
    modules_of_the_sessions_own_are_found,
    what_is_one_tools_is_not_in_it,
    a_copy_that_lies_gets_no_more_of_it,
    a_copy_brings_files_only_where_files_are,
    it_rests_wakes_dies_and_is_copied,
])
