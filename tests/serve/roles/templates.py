#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""templates.py BELLJAR WHO - sessions of the service whose Pythons begin as one that was ready."""
import fcntl
import mmap
import os
import signal
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from living import USER, beneath, command_of  # noqa: E402
from sessioning import Sessions, finish, start  # noqa: E402
from tapping import run, wait_until  # noqa: E402

POLICY = """\
version: 1
{s.allow}
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
  rooted: {{ kind: code, languages: [python], rate: unlimited, root: /, screen: {{ mode: warn }}, sessions: {{ allow: true }} }}
  tight: {{ kind: code, languages: [python], rate: unlimited, screen: {{ mode: warn }}, sessions: {{ allow: true }}, limits: {{ memory: 24M, disk: 8M }} }}
  fresh: {{ kind: code, languages: [python], rate: unlimited, warm: false, sessions: {{ allow: true }} }}
"""


# What an attacker would try, as functions for a session or any other process.
PROBES = """
import os, ctypes
def lines(): return [m for m in open('/proc/self/maps') if 'belljar-template' in m]
def writable(): return [m for m in open('/proc/self/maps') if m.split()[1][1] == 'w' and m.split()[1][3] == 's']
def fds():
    names = ['/proc/self/fd/' + n for n in os.listdir('/proc/self/fd')]
    return [n for n in names if os.path.islink(n) and 'template' in os.readlink(n)]
def reach():
    n = 0
    for m in lines():
        try: os.close(os.open('/proc/self/map_files/' + m.split()[0], os.O_RDONLY))
        except OSError: continue
        n += 1
    return n
def hunt(word):
    n = 0
    for m in lines():
        if 'r--s' not in m: continue
        a, b = (int(x, 16) for x in m.split()[0].split('-'))
        n += ctypes.string_at(a, b - a).count(word.encode())
    return n
"""


class Templates(Sessions):
    policy = POLICY

    def probing(self, name):
        self.run(name, PROBES)
        return name

    def holders(self):
        """Who has it on a descriptor: pid -> program, and paths to it."""
        found, paths = {}, []
        self.look()
        for pid, _ in self.seen:
            try:
                for fd in os.listdir("/proc/%d/fd" % pid):
                    path = "/proc/%d/fd/%s" % (pid, fd)
                    if "belljar-template" in os.readlink(path):
                        found[pid] = os.path.basename(os.readlink("/proc/%d/exe" % pid))
                        paths.append(path)
            except (FileNotFoundError, ProcessLookupError):
                continue
        return found, paths

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
            self.close(found[0])
            return False

        wait_until(is_it)
        return found[0]


class Trapped(Templates):
    """With a secret that has no business in any output."""

    policy = POLICY.replace("    sessions: {{ allow: true }}\n", "    sessions: {{ allow: true }}\n    secrets: {{ bird: "
                            "{{ file: {s.dir}/bird.key, env: BIRD, canary: true }} }}\n", 1)

    def put_policy(self, text=None):
        with open(os.open(self.dir + "/bird.key", os.O_CREAT | os.O_WRONLY, 0o600), "w") as out:
            out.write("tweet-8x2mQ-77aa\n")
        if self.user:
            os.chown(self.dir + "/bird.key", USER, USER)
        super().put_policy(text)


def reach_outside():
    """reach() in a process that is in no box and has such a mapping; as root."""
    file = os.memfd_create("belljar-template")
    os.truncate(file, 4096)
    with mmap.mmap(file, 4096, mmap.MAP_SHARED, mmap.PROT_READ):
        os.close(file)
        probes = {}
        exec(PROBES, probes)
        return probes["reach"]() if os.geteuid() == 0 else 1


def sessions_begin_as_the_template_and_share_nothing(t):
    s = start(Templates)
    a, b = s.woken(), s.woken()
    draw = "import random, uuid, os; (random.random(), uuid.uuid4().hex, os.urandom(8).hex())"
    one, other = eval(s.run(a, draw)), eval(s.run(b, draw))
    t.check(all(x != y for x, y in zip(one, other)), (one, other))
    s.run(a, "import builtins; builtins.mine = 1; mine = 2")
    t.check(s.run(b, "import builtins; hasattr(builtins, 'mine')") == "False", "it is only in the other")
    s.probing(a)
    t.check(s.run(a, "writable()") == "[]", s.run(a, "writable()"))
    # It is on no descriptor, and cannot be opened by way of the mapping.
    t.check(s.run(a, "fds()") == "[]", s.run(a, "fds()"))
    t.check(s.run(a, "reach()") == "0" and s.run(a, "len(lines()) > 0") == "True", "it can be opened")
    # Twins: what these look for they find.
    t.check("rw-s" in s.run(a, "import mmap; m = mmap.mmap(-1, 4096); writable()[0]"), "a mapping that is shared")
    t.check(s.run(a, "f = open('/work/template', 'w'); len(fds())") == "1", "a descriptor")
    t.check(reach_outside() > 0, "a file by its mapping")
    t.check(s.run(a, "(os.getcwd(), os.path.basename(os.readlink('/proc/self/exe')).startswith('python3'))") ==
            "('/work', True)", "where and what it is")
    finish(t, s)


def its_own_variables_and_no_others(t):
    s = start(Templates)
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
    t.check(s.run(s.probing(e), "lines()") == "[]", "nothing of it is there")
    f = s.open("other")  # the twin: the same tool without a root of its own
    t.check(s.began(f)[0] == "template" and s.run(s.probing(f), "len(lines()) > 0") == "True", s.began(f))
    finish(t, s)


def modules_of_the_sessions_own_are_found(t):
    s = start(Templates)
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
    s = start(Templates)
    mine = s.woken()
    t.check(s.run(mine, "import os; os.environ['DATABASE_URL']") == "'no-sql://only-for-py'", "its tool has it")
    other = s.open("other")
    t.check(s.began(other)[0] == "template", s.began(other))
    s.probing(other)
    t.check(s.run(other, "hunt('ylno'[::-1] + '-for-py')") == "0", "another tool's variables are in it")
    finish(t, s)


class Planting(Templates):
    """Each of the two tools has a variable that counts for an interpreter: so it is in the template."""
    policy = POLICY.replace('DATABASE_URL: "no-sql://only-for-py"', 'LC_PLANTED: "meant-for-both"').replace(
        "  other: {{", '  other: {{ env: {{ LC_PLANTED: "meant-for-both" }},')


def what_is_in_it_is_found_by_another_tool(t):
    """The twin: a variable that its maker had can be read there."""
    s = start(Planting)
    s.woken()
    other = s.open("other")
    t.check(s.began(other)[0] == "template", s.began(other))
    t.check(int(s.run(s.probing(other), "hunt('tnaem'[::-1] + '-for-both')")) > 0, "it is in there")
    finish(t, s)


def of_sessions(s):
    return [pid for pid in beneath(s.process.pid) if command_of(pid)[:1] == ["sleep"] or is_woken(pid)]


def no_session_has_it_on_a_descriptor(t):
    """Looked at from outside; the keepers have it, so that it would be seen."""
    s = start(Templates)
    origin = s.woken()
    status, copy = s.ask("POST", "/v1/sessions/%s/fork" % origin, {})
    t.check(status == 201 and s.began(copy["id"])[0] == "template", copy)
    for name in (origin, copy["id"]):
        s.run(name, "import subprocess; child = subprocess.Popen(['sleep', '1000'])")
    # Who has just been exec'ed has no words yet.
    wait_until(lambda: len(of_sessions(s)) == 4)
    inside = of_sessions(s)
    holders = s.holders()[0]
    t.check(not set(inside) & set(holders), holders)
    t.check(set(holders.values()) == {"belljar-gate"}, holders)
    finish(t, s)


def is_woken(pid):
    try:
        with open("/proc/%d/maps" % pid) as maps:
            return "belljar-template" in maps.read()
    except (FileNotFoundError, ProcessLookupError):
        return False


def hollow(file):
    """What nobody has written at its end: whoever reads it there makes memory of it."""
    end, size = 0, os.fstat(file).st_size
    while end < size:
        try:
            end = os.lseek(file, os.lseek(file, end, os.SEEK_DATA), os.SEEK_HOLE)
        except OSError:  # ENXIO: only a hole
            break
    return size - end


def what_is_empty_in_it_cannot_be_filled(t):
    """That memory would be in nobody's limit once he is gone who read it."""
    s = start(Templates)
    s.woken()
    with open(s.holders()[1][0], "rb") as template:
        t.check(0 < os.fstat(template.fileno()).st_size <= 64 << 20, os.fstat(template.fileno()))
        t.check(hollow(template.fileno()) == 0, hollow(template.fileno()))
    # The twin: sealed and opened for reading only as that one is, and yet it grows.
    file = os.memfd_create("hollow", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.truncate(file, 1 << 20)
    fcntl.fcntl(file, 1033, 0xF)  # F_ADD_SEALS, all
    with open("/proc/self/fd/%d" % file, "rb") as reading:
        t.check((hollow(file), os.fstat(file).st_blocks) == (1 << 20, 0), "nothing is in it")
        with mmap.mmap(reading.fileno(), 1 << 20, mmap.MAP_SHARED, mmap.PROT_READ) as view:
            t.check(not any(view[::4096]), "zeros")
        t.check(os.fstat(file).st_blocks * 512 == 1 << 20, os.fstat(file))
    os.close(file)
    finish(t, s)


# In a session that is to be copied: the copy is written by this, and says what CHANGE makes of it.
LIAR = """
import sys, os, struct
at = sys._getframe()
while not hasattr(at.f_locals.get('session'), 'copier'): at = at.f_back
class Liar:
    def __init__(self, real): self.real = real
    def __getattr__(self, name): return getattr(self.real, name)
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
    s = start(Templates)
    # Nothing of it is to be seen: then it is not closed?
    status, copy = copy_of_liar(s, "struct.pack_into('<Q', whole, %d, 0)" % IMAGE_LEN)
    t.check(status == 201 and s.run(s.probing(copy["id"]), "fds()") == "[]", (status, copy))
    t.check(s.run(copy["id"], "f = open('/work/template', 'w'); len(fds())") == "1", "the twin")
    # More of it than there is: whoever reads that would fill it for all.
    status, copy = copy_of_liar(s, "struct.pack_into('<Q', whole, %d, 256 << 20)" % IMAGE_LEN)
    t.check(status == 201, copy)
    read = "import ctypes; m = [m for m in open('/proc/self/maps') if 'r--s' in m and 'belljar-template' in m][0]\n" \
           "a, b = (int(x, 16) for x in m.split()[0].split('-')); ctypes.string_at(%s, 4096)[:0]"
    t.check(s.run(copy["id"], read % "a") == "b''", "it can be read at all")
    answer = s.try_run(copy["id"], read % "b - 4096")
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
    s = start(Templates)
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
    def __getattr__(self, name): return getattr(self.real, name)
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
        s.close(origin)
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
    s = start(Templates)
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
    answer = s.try_run(a, "import os; os._exit(3)")
    t.check(answer["state_lost"], answer)
    t.check(s.run(a, "'mine' in globals()") == "False" and s.began(a)[0] == "template", s.began(a))
    finish(t, s)


# For a session: the disk is filled, every page of Python's objects differs a little from the template's, and memory is
# taken page by page.  rest() is what its keeper asks for, begun and over at once.
FILL = """
import gc, mmap, os, sys
at = sys._getframe()
while not hasattr(at.f_locals.get('session'), 'copier'): at = at.f_back
copier, (r, w) = at.f_locals['session'].copier, os.pipe()
os.write(w, b'x')
def rest(): copier.rest(r)
gc.unfreeze()
kept, file = gc.get_objects(), os.open('/work/file', os.O_WRONLY | os.O_CREAT)
try:
    while os.write(file, bytes(65536)): pass
except OSError: pass
m, n = mmap.mmap(-1, 64 << 20, mmap.MAP_PRIVATE), 0
m.madvise(mmap.MADV_NOHUGEPAGE)
def fill(pages):
    global n
    for i in range(n, n + pages): m[i << 12] = 1
    n += pages
"""
NEARLY = 64 << 10


def room_of(pid):
    """Bytes until the limit of its group; None: it has none."""
    with open("/proc/%d/cgroup" % pid) as text:
        groups = [line.strip().split(":", 2) for line in text]
    for _, kinds, path in groups:
        if "belljar" not in path:
            continue
        top, names = ("/sys/fs/cgroup", ("max", "current")) if not kinds else \
            ("/sys/fs/cgroup/" + kinds, ("limit_in_bytes", "usage_in_bytes"))
        values = []
        for name in names:
            try:
                with open("%s%s/memory.%s" % (top, path, name)) as file:
                    values.append(int(file.read()))
            except (FileNotFoundError, NotADirectoryError):
                break
        if len(values) == 2:
            return values[0] - values[1]
    return None


def sleeps(pid):
    with open("/proc/%d/maps" % pid) as maps:
        return any(line.startswith("200000000-") for line in maps)


def opened(s, tool):
    """A session that began as the template, and its Python's number here."""
    before = {pid for pid in beneath(s.process.pid) if is_woken(pid)}
    name = s.open(tool)
    if s.began(name)[0] != "template":
        raise AssertionError(s.began(name))
    pids = {pid for pid in beneath(s.process.pid) if is_woken(pid)} - before
    if len(pids) != 1:
        raise AssertionError(pids)
    return name, pids.pop()


def filled(s):
    """One that has next to no memory left."""
    name, pid = opened(s, "tight")
    s.run(name, FILL)
    while (room := room_of(pid)) > NEARLY:
        s.run(name, "fill(%d)" % max(1, (room - NEARLY) >> 13))
    return name, pid


def one_that_is_nearly_full_is_not_told_to_sleep(t):
    s = start(Templates)
    s.close(s.woken())
    small, pid = opened(s, "tight")
    if room_of(pid) is None:
        t.say("SKIP no group limits its memory")
        return finish(t, s)
    full, full_pid = filled(s)
    pages = s.run(full, "n")
    s.run(small, "mine = 5")
    slept = []
    wait_until(lambda: slept.append(sleeps(full_pid)) or sleeps(pid))  # the one that has room
    time.sleep(1)
    t.check(not any(slept) and not sleeps(full_pid), "it was told to")
    state = s.run(full, "(n, len(kept) > 1000)")
    t.check(state == "(%s, True)" % pages, state)
    # The twin: being told to is the death of it, and of nobody who has room.
    s.run(small, FILL)
    s.run(small, "rest()")
    t.check(s.run(small, "mine") == "5", "it woke up")
    # What a processor has set aside of the group's room lets one through now and then.
    for _ in range(5):
        answer = s.try_run(filled(s)[0], "rest()")
        if answer["kill_reason"]:
            break
    t.check(answer["kill_reason"] == "memory", answer)
    finish(t, s)


# In a session: what is done when it is told that a snippet may come; the session's own is real().
STIRRED = """
import os, sys, time
at = sys._getframe()
while not hasattr(at.f_locals.get('session'), 'copier'): at = at.f_back
session, channel = at.f_locals['session'], at.f_locals['channel']
times, own = [], session.stir
def stir(channel, place):
    times.append(place)
    real = lambda: own(channel, place)
    DO
session.stir = stir
"""


def stirred(s, do):
    """One that was, unless the machine has so much to do that nobody is."""
    for _ in range(300):
        name = s.woken()
        s.run(name, STIRRED.replace("DO", do))
        s.run(name, "0")
        if s.run(name, "len(times)") != "0":
            return name
        s.close(name)
    return None


def who_is_stirred_is_believed_nothing(t):
    s = start(Templates)
    name = stirred(s, "real()")
    if name is None:
        t.say("nobody was ever alone")
        finish(t, s)
        return
    all_of_them = len(os.sched_getaffinity(0))
    for _ in range(50):
        t.check(s.run(name, "len(os.sched_getaffinity(0))") == str(all_of_them), "a snippet has what it had")
    # Refused: it waits in vain, and then as before.
    for body in ({"code": 5}, {"code": "1", "language": "none"}):
        status, _ = s.ask("POST", "/v1/sessions/%s/code" % name, body)
        t.check(status in (200, 400, 403), status)
    t.check(s.run(name, "6 * 7") == "42", "it is answered")
    # One that takes its time, or does nothing, or raises, is as slow as it is.
    for do in ("time.sleep(0.2)", "pass", "raise ValueError", "os.set_blocking(channel.fd, False)"):
        name = stirred(s, "if len(times) > 6: " + do)
        if name:
            answers = [s.try_run(name, "6 * 7") for _ in range(6)]
            t.check(all(a.get("result") == "42" or a.get("state_lost") for a in answers), answers)
            last = s.try_run(name, "6 * 7")
            t.check(last.get("result") == "42" or s.run(name, "6 * 7") == "42", "it, or the next, is answered")
            s.close(name)
    # One that says something ends; with what is no answer, or one to a snippet that it cannot know.
    for said in ("b'x'", "b'0' * 32 + b' 0 1\\n5'", "b'x' * 100000", "b'ready\\n'"):
        name = stirred(s, "if len(times) > 6: os.write(channel.fd, %s)" % said)
        for _ in range(300 if name else 0):
            answer = s.try_run(name, "6 * 7")
            if answer.get("code") == "conflict":  # it spoke when the snippet was foretold, and is told to go
                time.sleep(0.01)
                continue
            if answer["state_lost"]:
                break
            t.check(answer["result"] == "42", answer)
        t.check(not name or answer["state_lost"], (said, name and answer))
        t.check(not name or s.run(name, "6 * 7") == "42", "and another begins")
    finish(t, s)


BURN = """
def burn(ms):
    end = time.process_time() + ms / 1000
    while time.process_time() < end: pass
"""


def who_prints_a_canary_is_gone_however_soon_it_ends(t):
    """What a short snippet prints is read with its end."""
    s = start(Trapped)
    name = s.woken()
    for text in ("print(os.environ['BIRD'])", "print(os.environ['BIRD'], end='')",
                 "print(os.environ['BIRD'], file=sys.stderr)") * 4:
        for _ in range(3):  # the next one is foretold
            s.run(name, "import os, sys; x = 1; x")
        a = s.try_run(name, text)
        t.check((a["kill_reason"], a["was_killed"], a["state_lost"]) == ("canary", True, True), (text, a))
        t.check(s.run(name, "'x' in globals()") == "False", "it has another interpreter")
        s.close(name)
        name = s.woken()
    finish(t, s)


def on_one_processor_nobody_is_stirred(t):
    mine = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(mine)})
    try:
        s = start(Templates)
        name = s.woken()
        s.run(name, STIRRED.replace("DO", "real()"))
        for _ in range(20):
            s.run(name, "0")
        t.check(s.run(name, "times") == "[]", "who waits awake keeps off whom it waits for")
        # Nor is anything of it forgotten that runs before its keeper goes on.
        s.run(name, BURN)
        for _ in range(40):
            answer = s.try_run(name, "burn(5)")
            counted = answer["layers"]["cpu"]["state"] == "full"  # otherwise by the kernel's tick
            t.check(not counted or answer["resource_usage"]["cpu_user_ms"] >= 4.5, answer["resource_usage"])
        finish(t, s)
    finally:
        os.sched_setaffinity(0, mine)


def it_is_copied_also_when_others_begin_as_another(t):
    s = start(Templates)
    a = s.woken()
    s.run(a, "mine = {n: str(n) for n in range(1000)}")

    def copied():
        status, copy = s.ask("POST", "/v1/sessions/%s/fork" % a, {})
        if status == 409 and "try again" in copy["detail"]:  # one that was ready before there was a template
            return False
        t.check(status == 201 and s.run(copy["id"], "(len(mine), mine[77])") == "(1000, '77')", copy)
        s.close(copy["id"])
        return status == 201

    wait_until(copied)
    nurseries = [pid for pid in beneath(s.process.pid) if command_of(pid)[1:2] == ["nursery"]]
    os.kill(nurseries[0], signal.SIGKILL)
    s.close(s.woken())  # there is another
    wait_until(copied)
    lines = s.lines().count("reloaded")
    s.process.send_signal(signal.SIGHUP)
    wait_until(lambda: s.lines().count("reloaded") > lines)
    s.close(s.woken())
    t.check(copied(), "by the same policy")
    t.check(s.run(a, "len(mine)") == "1000", "and it goes on")
    finish(t, s)


run([
    sessions_begin_as_the_template_and_share_nothing,
    its_own_variables_and_no_others,
    modules_of_the_sessions_own_are_found,
    what_is_one_tools_is_not_in_it,
    what_is_in_it_is_found_by_another_tool,
    no_session_has_it_on_a_descriptor,
    what_is_empty_in_it_cannot_be_filled,
    a_copy_that_lies_gets_no_more_of_it,
    a_copy_brings_files_only_where_files_are,
    it_rests_wakes_dies_and_is_copied,
    one_that_is_nearly_full_is_not_told_to_sleep,
    who_is_stirred_is_believed_nothing,
    who_prints_a_canary_is_gone_however_soon_it_ends,
    on_one_processor_nobody_is_stirred,
    it_is_copied_also_when_others_begin_as_another,
])
