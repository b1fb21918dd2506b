# SPDX-License-Identifier: Apache-2.0
"""escape_special.py - attacks that one program alone cannot judge.

Two boxes against each other, signals whose victim is outside, limits that show in the account,
ends that come too late, files that are copied out.  Each row is a name and a function that takes
the host, and raises Fail or Skip.  Each shows the attack without the wall as well.
"""

import contextlib
import functools
import os
import pty
import selectors
import shutil
import signal
import subprocess
import time

from escape_host import WORD, Fail, Skip, need_layer


def need(truth, why):
    if not truth:
        raise Fail(str(why))


def need_twin(truth, why):
    if not truth:
        raise Skip(f"does not work without the wall here: {why}")


def was_blocked(result):
    return result.code == 1 and "# tried: " in result.output


# --- signals: the victim knows -------------------------------------------------------------------

def signal_one(way, host):
    with host.victim() as victim:
        twin = host.bare("signal_process", (way, victim.pid), "user")
        need_twin(twin.code == 0 and victim.wait(timeout=5) == -signal.SIGTERM, twin)
    with host.victim() as victim:
        boxed = host.attack("signal_process", (way, victim.pid))
        need(was_blocked(boxed), boxed)
        need(victim.poll() is None, "the victim is dead")


def signal_all(host):
    argv = ["unshare", "-Urpf", "--mount-proc", "--kill-child", "sh", "-c",
            'sleep 9 & v=$!; "$@"; kill -0 $v 2>/dev/null && exit 1; exit 0', "sh",
            f"{host.bin}/signal_everyone", "all"]
    twin = host.run(argv, "user")
    need_twin(twin.code == 0, twin)
    with host.victim() as victim:
        boxed = host.attack("signal_everyone", ("all",))
        need(was_blocked(boxed), boxed)
        need(victim.poll() is None, "the victim is dead")


def signal_group(host):
    """Caller and victim share a session and a process group."""
    here = {"start_new_session": False}
    with host.victim(process_group=0, **here) as victim:
        program = f"{host.bin}/signal_everyone"
        host.run([program, "group"], "user", process_group=victim.pid, **here)
        need_twin(victim.wait(timeout=5) == -signal.SIGUSR1, "the victim lives")
    with host.victim(process_group=0, **here) as victim:
        boxed = host.attack("signal_everyone", ("group",), process_group=victim.pid, **here)
        need(was_blocked(boxed), boxed)
        need(victim.poll() is None, "the victim is dead")


def signal_init(host):
    """Without our init: a pid 1 that is a shell with a handler dies of it."""
    argv = ["unshare", "-Urpf", "--mount-proc", "--kill-child", "sh", "-c",
            'trap "exit 0" HUP INT TERM; "$@" & wait $!', "sh", f"{host.bin}/signal_init"]
    twin = host.run(argv, "user")
    need_twin(twin.code == 0, twin)
    boxed = host.attack("signal_init", ())
    need(was_blocked(boxed), boxed)


# --- one box against another ---------------------------------------------------------------------

def wait_until_ready(process):
    """The line comes while the program runs, or it is not live output."""
    seen = b""
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while b"ready\n" not in seen:
            if not selector.select(5):
                raise Fail(f"not ready after 5 s: {process.args}: {seen}")
            data = os.read(process.stdout.fileno(), 4096)
            if not data:
                raise Fail(f"never ready: {process.args}: {seen + process.stderr.read()}")
            seen += data


@contextlib.contextmanager
def holder(host, argv, who):
    """A program that says "ready" and goes on until its stdin ends."""
    process = host.popen(argv, who, stdin=subprocess.PIPE)
    try:
        wait_until_ready(process)
        yield process
    finally:
        process.stdin.close()
        process.stdin = None
        host.finish(process)


def boxed_holder(host, command):
    options = ["--quiet", "--stdin", "--files", "1024", "--read", f"{host.bin}:/escape"]
    return holder(host, host.belljar_argv(options, command), host.box_who())


def shared_file():
    """One that other runs of this test are not likely to take."""
    files = sorted(entry.path for entry in os.scandir("/usr/bin") if entry.is_file())
    return files[os.getpid() % len(files)]


def need_own_devices(path, result):
    """Only root can make device nodes; without root the box shows the host's."""
    if path.startswith("/dev/"):
        need_layer(result, "own_uid")


def lock(kind, path, host):
    hold = ("hold", kind, path)
    with holder(host, [f"{host.bin}/file_lock", *hold], "user"):
        twin = host.bare("file_lock", ("try", kind, path), "user")
        need_twin(twin.code == 0, twin)
    with boxed_holder(host, ["/escape/file_lock", *hold]):
        boxed = host.attack("file_lock", ("try", kind, path))
        if boxed.code == 0:
            need_own_devices(path, boxed)
        need(was_blocked(boxed), f"a box sees another box's lock: {boxed}")
        # and the host's own programs must not wait for a box either
        outside = host.bare("file_lock", ("try", kind, path), "user")
        need(outside.code == 1, f"the host sees a box's lock: {outside}")


def watch(toucher, path, host):

    def touch_bare():
        host.bare("watch_file", ("touch", path), "user")

    def touch_boxed():
        host.attack("watch_file", ("touch", path))

    with holder(host, [f"{host.bin}/watch_file", "watch", path], "user") as twin:
        touch_bare()
    need_twin(twin.returncode == 0, "nothing was seen")
    with boxed_holder(host, ["/escape/watch_file", "watch", path]) as boxed:
        {"host": touch_bare, "box": touch_boxed}[toucher]()
    if boxed.returncode == 0:
        need_own_devices(path, host.box(["true"]))
    need(boxed.returncode == 1, f"a box sees what the {toucher} opens ({boxed.returncode})")


def starve(host):
    with holder(host, [f"{host.bin}/starve_user", "hold"], "user"):
        twin = host.bare("starve_user", ("try",), "user")
        need_twin(twin.code == 0, twin)
    with boxed_holder(host, ["/escape/starve_user", "hold"]):
        boxed = host.attack("starve_user", ("try",))
        if boxed.code == 0:
            need_layer(boxed, "own_uid")
        need(was_blocked(boxed), boxed)


def ipc(kind, host):
    key = 0x42000000 + os.getpid()
    made = host.bare("ipc_object", ("make", kind, key), "user")
    need_twin(made.code == 0, made)
    try:
        twin = host.bare("ipc_object", ("find", kind, key), "user")
        need_twin(twin.code == 0, twin)
        boxed = host.attack("ipc_object", ("find", kind, key))
        need(was_blocked(boxed), boxed)
    finally:
        host.bare("ipc_object", ("remove", kind, key), "user")


def ipc_left(kind, host):
    """What one box leaves, the next must not find, nor the host."""
    key = 0x43000000 + os.getpid()
    made = host.attack("ipc_object", ("make", kind, key))
    if made.code != 0:
        raise Skip(f"a box cannot make one: {made.output.strip()}")
    boxed = host.attack("ipc_object", ("find", kind, key))
    need(was_blocked(boxed), boxed)
    outside = host.bare("ipc_object", ("find", kind, key), "user")
    need(outside.code == 1, f"the host finds it: {outside}")


# --- files that carry privileges, terminals, roots -----------------------------------------------

def privileged_file(kind, host):
    if not host.is_root:
        raise Skip("needs root to make such a file")
    path = shutil.copy(f"{host.bin}/setuid_program", f"{host.bin}/setuid_program_{kind}")
    if kind == "set-uid":
        os.chmod(path, 0o6755)
    else:
        # VFS_CAP_REVISION_2, effective; CAP_NET_RAW permitted
        data = bytes.fromhex("0100000200200000000000000000000000000000")
        os.setxattr(path, "security.capability", data)
    twin = host.bare("setuid_program", (path,), "user")
    need_twin(twin.code == 0, twin)
    boxed = host.attack("setuid_program", (f"/escape/setuid_program_{kind}",))
    need(was_blocked(boxed), boxed)


def overwrite_program(host):
    """The file is the caller's own and may be written outside."""
    path = os.path.join(host.own, "overwrite_program")
    shutil.copy(f"{host.bin}/overwrite_program", path)
    if host.is_root:
        os.chown(path, host.uid, host.uid)
    os.chmod(path, 0o777)
    twin = host.run([path], "user")
    need_twin(twin.code == 0, twin)
    boxed = host.box(["/own/overwrite_program"], ["--read", f"{host.own}:/own"])
    need(was_blocked(boxed), boxed)


def on_terminal(host, argv, who):
    leader, follower = pty.openpty()
    if host.is_root:
        os.fchown(follower, host.uid, host.uid)
    try:
        process = host.popen(["setsid", "-cw", *argv], who, stdin=follower, stderr=follower)
        out, err = host.finish(process)
        return process, out, err
    finally:
        os.close(leader)
        os.close(follower)


def terminal(host):
    process, out, _ = on_terminal(host, [f"{host.bin}/push_input", "terminal"], "user")
    need_twin(process.returncode == 0, out.decode())
    options = ["--json", "--stdin", "--read", f"{host.bin}:/escape"]
    argv = host.belljar_argv(options, ["/escape/push_input", "terminal"])
    process, out, err = on_terminal(host, argv, host.box_who())
    boxed = host.read_account(process, out, err)
    need(was_blocked(boxed), boxed)


def descriptors_on_terminal(host):
    """The three that are given must be neither a terminal nor a directory, whatever we hold."""
    options = ["--json", "--read", f"{host.bin}:/escape"]
    argv = host.belljar_argv(options, ["/escape/descriptors"])
    process, out, err = on_terminal(host, argv, host.box_who())
    boxed = host.read_account(process, out, err)
    need(was_blocked(boxed), boxed)
    here = os.open(host.top, os.O_RDONLY)
    try:
        boxed = host.attack("descriptors", (), stdin=here)
        need(was_blocked(boxed), boxed)
    finally:
        os.close(here)


def leave_chroot(host):
    jail = host.directory("jail", host.uid)
    shutil.copy(f"{host.bin}/leave_chroot", jail)
    os.chmod(jail, 0o777)
    twin = host.run(["unshare", "-Ur", "chroot", jail, "/leave_chroot", host.secret], "user",
                    pass_fds=())
    need_twin(twin.code == 0, twin)
    boxed = host.attack("leave_chroot", (host.secret,))
    need(was_blocked(boxed), boxed)


def uid_of(process):
    """Of the program in the box that this belljar runs, seen from the host."""
    found = [pid for pid in host_children(process.pid)
             if b"watch_file" in read_file(f"/proc/{pid}/cmdline")
             and b"/escape/watch_file" == read_file(f"/proc/{pid}/cmdline").split(b"\0")[0]]
    need(found, "the program is not to be found")
    return os.stat(f"/proc/{found[0]}").st_uid


def read_file(path):
    with contextlib.suppress(OSError), open(path, "rb") as file:
        return file.read()
    return b""


def host_children(pid):
    for child in read_file(f"/proc/{pid}/task/{pid}/children").split():
        yield int(child)
        yield from host_children(int(child))


def own_uid(host):
    """Two boxes at once: neither root nor the caller, nor the same."""
    need_layer(host.box(["true"]), "own_uid")
    command = ["/escape/watch_file", "watch", "/usr/bin/env"]
    with boxed_holder(host, command) as first, boxed_holder(host, command) as second:
        uids = uid_of(first), uid_of(second)
    need(uids[0] != uids[1] and not {0, host.uid, os.getuid()} & set(uids), uids)


def owner_of_written_file(host):
    """What a box writes belongs to whoever the directory belongs to, and to nobody else."""
    given = host.directory("written", host.uid)
    os.chmod(given, 0o777)
    boxed = host.box(["touch", "/given/file"], ["--write", f"{given}:/given"])
    need(boxed.code == 0, boxed)
    owner = os.stat(f"{given}/file").st_uid
    need(owner == host.uid, f"belongs to {owner}")


# --- limits: the account tells -------------------------------------------------------------------

def limited(host, program, args, option, small, large):
    """Does it finish with the large limit and not with the small one?  Returns the small one."""
    twin = host.attack(program, args, [option, large])
    need_twin(twin.code == 0, f"{option} {large}: {twin}")
    boxed = host.attack(program, args, [option, small])
    need(boxed.code != 0, f"finished within {option} {small}: {boxed}")
    need("# tried: " in boxed.output, boxed)
    return boxed


def killed_for(result, reason):
    account = result.account
    need(account["was_killed"] and account["kill_reason"] == reason, result)
    status = "timeout" if reason == "wall" else "resource_exceeded"
    need(account["status"] == status and not account["success"], result)


HELD_MS = 2000  # that nobody sees for so long


def held(host, args):
    """Is somebody ended who holds too much memory?  Who may hold it need not do so for long."""
    how, mib, *more = args
    twin = host.attack("memory_bomb", (how, mib, 0, *more), ["--memory", "512m"])
    need_twin(twin.code == 0, twin)
    boxed = host.attack("memory_bomb", (how, mib, HELD_MS, *more), ["--memory", "64m"])
    need(boxed.code != 0, f"finished within --memory 64m: {boxed}")
    need("# tried: " in boxed.output, boxed)
    return boxed


def memory_in_sockets(host):
    """Version 1 counts what lies in sockets only if it is told to."""
    need_layer(host.box(["true"]), "memory")
    twin = host.attack("memory_bomb", ("sockets", 300, 0), ["--loopback", "--memory", "2g"])
    need_twin(twin.code == 0, twin)
    boxed = host.attack("memory_bomb", ("sockets", 300, HELD_MS),
                        ["--loopback", "--memory", "64m", "--wall", "20s"])
    need(boxed.code != 0, f"held it within --memory 64m: {boxed}")
    # Version 2 counts it with all the rest, and gives no more.
    if "v1" in boxed.account["layers"]["memory"]["detail"]:
        killed_for(boxed, "memory")


def memory(args, host):
    if args[0] == "shared":  # rlimits, where they stand in, know only private memory
        need_layer(host.box(["true"]), "memory")
    boxed = held(host, args)
    if boxed.account["kill_reason"] != "memory":
        need_layer(boxed, "memory")
    killed_for(boxed, "memory")


def memory_together(host):
    """Each child below the limit, all together above it."""
    need_layer(host.box(["true"], ["--memory", "64m"]), "memory")
    killed_for(held(host, ("children", 90, 4)), "memory")


def memory_in_files(host):
    """Files in /work count as disk; they must not be free memory beside the limit."""
    args = ("bytes", 40 << 10, "/work", "/tmp", "/dev/shm")
    twin = host.attack("disk_fill", args, ["--disk", "200m", "--memory", "256m"])
    need_twin(twin.code == 0, twin)
    boxed = host.attack("disk_fill", args, ["--disk", "100m", "--memory", "256m"])
    need(was_blocked(boxed), boxed)


def disk(kind, args, small, large, flag, host):
    boxed = limited(host, "disk_fill", (kind, *args), *small_large(kind, small, large))
    need(was_blocked(boxed), boxed)
    if flag:
        need(boxed.account["near_misses"][flag], f"{flag} is not set: {boxed}")


def small_large(kind, small, large):
    return ("--inodes" if kind == "inodes" else "--disk", small, large)


def processes(way, host):
    boxed = limited(host, "fork_bomb", (way, 40), "--processes", "16", "64")
    need(was_blocked(boxed), boxed)
    if boxed.account["layers"]["processes"]["state"] == "full":
        need(boxed.account["near_misses"]["forks_refused"] > 0, boxed.account["near_misses"])


def endless_forks(host):
    """The host stays alive, the answer comes in time, and nothing is left."""
    marker = f"endless-{os.getpid()}"
    boxed = host.attack("fork_bomb", ("endless", marker), ["--processes", "16", "--wall", "1s"])
    need(boxed.account["kill_reason"] in ("wall", "cpu", "processes"), boxed)
    need(boxed.seconds < 8, f"took {boxed.seconds:.1f} s")
    need(not host.processes_with(marker), "forks are left")


def cpu(way, host):
    probe = host.box(["true"])
    if way == "children":
        need_layer(probe, "cpu")
    # Without a counter for the whole box the kernel's own limit stands in, in whole seconds.
    full = probe.account["layers"]["cpu"]["state"] == "full"
    burn, small = (1200, "100ms") if full else (2600, "1s")
    boxed = limited(host, "cpu_burn", (way, burn), "--cpu", small, "10s")
    killed_for(boxed, "cpu")


def cpu_share(host):
    probe = host.box(["true"])
    need_layer(probe, "cpu")
    quick = host.attack("cpu_burn", ("plain", 200), ["--cpu-percent", "100"])
    need_twin(quick.code == 0, quick)
    slow = host.attack("cpu_burn", ("plain", 200), ["--cpu-percent", "20"])
    need(slow.code == 0, slow)
    took = slow.account["execution_time_ms"]
    need(took > 600, f"200 ms of processor time at 20 % took {took} ms")


def output(fd, host):
    boxed = limited(host, "output_flood", (fd, 4096), "--output", "1000", "100000")
    killed_for(boxed, "output")
    stream = boxed.account["stdout" if fd == 1 else "stderr"]
    need(stream["truncated"] and stream["bytes_kept"] <= 1000, stream)


def plain_limit(program, args, option, small, large, host):
    boxed = limited(host, program, args, option, small, large)
    need(was_blocked(boxed), boxed)


def locked_memory(host):
    twin = host.run(["prlimit", "--memlock=67108864", f"{host.bin}/lock_memory", "4096"], "user")
    if twin.code != 0:
        twin = host.bare("lock_memory", (4096,), "root")
    need_twin(twin.code == 0, twin)
    boxed = host.attack("lock_memory", (4096,))
    need(was_blocked(boxed), boxed)


# --- ends ----------------------------------------------------------------------------------------

def left_behind(way, host):
    marker = f"left-{way}-{os.getpid()}"
    try:
        host.run([f"{host.bin}/outlive", way, marker, "9"], "user", stdout=subprocess.DEVNULL,
                 stderr=subprocess.DEVNULL)
        need_twin(host.processes_with(marker), "nothing is left behind")
    finally:
        host.end_processes_with(marker)
    marker += "-box"
    boxed = host.attack("outlive", (way, marker, 9))
    left = host.processes_with(marker)
    host.end_processes_with(marker)
    need(boxed.code == 0 and "# tried: " in boxed.output, boxed)
    need(not left, f"left behind: {left}")
    need(boxed.seconds < 4, f"the answer took {boxed.seconds:.1f} s")


def held_output(host):
    twin = host.run([f"{host.bin}/outlive", "stdout", "held", "2"], "user")
    need_twin(twin.seconds > 1.9, f"took {twin.seconds:.1f} s")
    boxed = host.attack("outlive", ("stdout", "held", 6))
    need(boxed.code == 0, boxed)
    need(boxed.seconds < 4, f"the answer took {boxed.seconds:.1f} s")


def never_ends(way, host):
    twin = host.popen([f"{host.bin}/outlive", way, "never", "9"], "user")
    time.sleep(0.3)
    running = twin.poll() is None
    os.killpg(twin.pid, signal.SIGKILL)
    twin.communicate()
    need_twin(running, "ended by itself")
    boxed = host.attack("outlive", (way, "never", 9), ["--wall", "300ms"])
    killed_for(boxed, "wall")
    need(boxed.seconds < 4, f"the answer took {boxed.seconds:.1f} s")


def caller_dies(number, host):
    """Whatever happens to belljar, its box ends."""
    marker = f"orphaned-{number}-{os.getpid()}"
    options = ["--quiet", "--stdin", "--read", f"{host.bin}:/escape"]
    command = ["/escape/watch_file", "watch", "/usr", marker]
    process = host.popen(host.belljar_argv(options, command), host.box_who(),
                         stdin=subprocess.PIPE)
    try:
        wait_until_ready(process)
        need_twin(len(host.processes_with(marker)) > 1, "the program is not seen from outside")
        os.kill(process.pid, number)
        until = time.monotonic() + 3
        while host.processes_with(marker) and time.monotonic() < until:
            process.poll()
            time.sleep(0.02)
        need(not host.processes_with(marker), f"still there: {host.processes_with(marker)}")
    finally:
        host.end_processes_with(marker)
        process.stdin.close()
        process.stdin = None
        host.finish(process)


def reader_goes_away(host):
    """Nobody reads the output any more: the box must not write for ever, nor wait for ever."""
    options = ["--quiet", "--wall", "5s"]
    process = host.popen(host.belljar_argv(options, ["yes"]), host.box_who())
    os.read(process.stdout.fileno(), 100)
    process.stdout.close()
    start = time.monotonic()
    process.wait(timeout=10)
    process.stderr.close()
    need(time.monotonic() - start < 3, "went on for three seconds")


def false_death(args, code, number, reason, host):
    boxed = host.attack("false_death", args)
    account = boxed.account
    need("# tried: " in boxed.output, boxed)
    need(account["exit_code"] == code and account["signal"] == number, boxed)
    need(account["kill_reason"] == reason and account["status"] == "error", boxed)
    need(account["was_killed"] == (reason is not None), boxed)


def violation(host):
    if os.uname().machine != "x86_64":
        raise Skip("this machine has one table of system calls")
    twin = host.bare("i386_call", ("plain",), "user")
    need_twin(twin.code == 0, twin)
    boxed = host.attack("i386_call", ("plain",))
    account = boxed.account
    need(account["signal"] == signal.SIGSYS and account["kill_reason"] == "violation", boxed)


# --- programs: listed ones may be used, not what they could start --------------------------------

def listed(programs, command, word, host, **more):
    """The command says word when it gets around the list."""
    module = ["--put", f"{host.bin}/loaded_module.so:module.so"]
    options = [*module, *more.get("options", ())]
    twin = host.box(command, options)
    need_twin(word in twin.output, twin)
    boxed = host.box(command, [*options, "--programs", programs])
    need(boxed.account["error"] is None, f"did not run: {boxed}")
    need(word not in boxed.output + boxed.account["stderr"]["data"], boxed)


def unlisted(host):
    """What is not listed is not there."""
    boxed = host.box(["id"], ["--programs", "ls,cat"])
    need(boxed.code is None and boxed.account["error"], boxed)
    allowed = host.box(["cat", "/work/hello"],
                       ["--programs", "ls,cat", "--put", f"{host.secret}:hello"])
    need(allowed.code == 0 and allowed.output == WORD.decode(), allowed)


# --- files that are copied out -------------------------------------------------------------------

REFUSED = ("link-absolute", "link-dots", "link-inside", "link-root", "link-proc", "fifo", "socket",
           "twice-a", "twice-b")
COPIED = {"plain": b"plain\n", "-rf": b"option\n", "set-uid": b"set-uid\n",
          "mode-0": b"unreadable\n"}


def base(name):
    return name.rsplit("/", 1)[-1]


def files_under(top):
    return [os.path.join(place, name) for place, _, names in os.walk(top) for name in names]


def artifacts(host):
    bare = host.directory("naive", host.uid)
    twin = host.run([f"{host.bin}/make_artifacts", host.secret], "user", cwd=bare)
    need_twin(twin.code == 0, twin)
    with open(f"{bare}/out/link-absolute", "rb") as file:
        need_twin(file.read() == WORD, "the link does not lead to the secret")
    to = host.directory("artifacts", host.uid)
    boxed = host.attack("make_artifacts", (host.secret,), ["--get", f"out/*:{to}"])
    need(boxed.code == 0, boxed)
    rows = {base(a["name"]): a for a in boxed.account["artifacts"]}
    for name in REFUSED:
        need(name in rows, f"{name} is not in the account: {sorted(rows)}")
        need(not rows[name]["copied"] and rows[name]["refused"], rows[name])
    check_copies(to, rows)


def check_copies(to, rows):
    copies = {base(path): path for path in files_under(to)}
    for path in copies.values():
        need(os.path.isfile(path) and not os.path.islink(path), f"{path} is not a plain file")
        need(not os.stat(path).st_mode & 0o6000, f"{path} is set-uid or set-gid")
        with open(path, "rb") as file:
            need(WORD not in file.read(), f"{path} holds the secret")
    for name in REFUSED:
        need(name not in copies, f"{name} was copied")
    for name, content in COPIED.items():
        if name == "mode-0" and rows[name]["refused"]:
            continue  # in user mode nobody may read it, and the account says so
        need(rows[name]["copied"] and rows[name]["sha256"], rows[name])
        with open(copies[name], "rb") as file:
            need(file.read() == content, f"{name} was not copied as it was")
    odd = [name for name in rows if "line" in name and name.startswith("new")]
    need(odd and "\n" not in odd[0], f"a line break in a name: {odd}")
    need(not any("\x1b" in name for name in rows), "an escape character in a name")


def artifact_over_link(host):
    """Where the copy should go lies a link, left by somebody before us."""
    to = host.directory("trap", host.uid)
    target = os.path.join(host.own, "target")
    host.write(target, b"untouched", 0o666, host.uid)
    for name in ("plain", "out"):
        os.symlink(target if name == "plain" else host.own, os.path.join(to, name))
    with open(os.path.join(to, "plain"), "rb") as file:
        need_twin(file.read() == b"untouched", "the link leads nowhere")
    boxed = host.attack("make_artifacts", (host.secret,), ["--get", f"out/plain:{to}"])
    names = [base(a["name"]) for a in boxed.account["artifacts"]]
    need(names == ["plain"], f"not in the account: {boxed}")
    with open(target, "rb") as file:
        need(file.read() == b"untouched", "written through a link")
    need(not os.path.exists(os.path.join(host.own, "plain")), "written beneath a link")


def get(host, pattern, to):
    """Refusing the option is as good as finding nothing."""
    argv = host.belljar_argv(["--json", "--read", f"{host.bin}:/escape", "--get",
                              f"{pattern}:{to}"], ["/escape/make_artifacts", host.secret])
    return host.run(argv, host.box_who())


def artifact_outside(host):
    """A name or a pattern must not lead out of /work."""
    to = host.directory("outside", host.uid)
    for pattern in ("../etc/*", "/etc/*", "out/link-root/etc/*"):
        get(host, pattern, to)
    need(not files_under(to), files_under(to))


def special_rows(_):
    bind = functools.partial
    rows = [(f"pid namespace: signal_process {way}", bind(signal_one, way))
            for way in ("kill", "tgkill", "tkill", "queue", "pidfd")]
    rows += [
        ("pid namespace: signal_everyone all", signal_all),
        ("session: signal_everyone group", signal_group),
        ("pid 1: signal_init", signal_init),
    ]
    for path in (shared_file(), "/dev/null", "/dev/urandom", "/etc/alternatives"):
        rows += [(f"overlay: file_lock {kind} {path}", bind(lock, kind, path))
                 for kind in ("flock", "posix")]
        rows += [(f"overlay: watch_file {path}, opened by the {who}", bind(watch, who, path))
                 for who in ("host", "box")]
    rows += [("own uid: starve_user", starve)]
    for kind in ("shm", "sem", "msg", "mq"):
        rows += [(f"ipc namespace: ipc_object {kind}", bind(ipc, kind)),
                 (f"ipc namespace: ipc_object {kind} left behind", bind(ipc_left, kind))]
    rows += [(f"no_new_privs: setuid_program {kind}", bind(privileged_file, kind))
             for kind in ("set-uid", "capability")]
    rows += [
        ("--read: overwrite_program", overwrite_program),
        ("terminal: push_input terminal", terminal),
        ("descriptors: with a terminal and a directory around", descriptors_on_terminal),
        ("root directory: leave_chroot", leave_chroot),
        ("own uid: two boxes at once", own_uid),
        ("--write: leaves files of the directory's owner", owner_of_written_file),
    ]
    return rows + limit_rows() + end_rows() + program_rows() + artifact_rows()


def limit_rows():
    bind = functools.partial
    return [
        ("memory: memory_bomb plain", bind(memory, ("plain", 200))),
        ("memory: memory_bomb plain, within the space for files", bind(memory, ("plain", 90))),
        ("memory: memory_bomb shared", bind(memory, ("shared", 90))),
        ("memory: memory_bomb children", memory_together),
        ("memory: memory_bomb sockets", memory_in_sockets),
        ("disk: disk_fill in three places", memory_in_files),
        ("disk: disk_fill bytes", bind(disk, "bytes", (2048, "/work"), "1m", "8m",
                                       "disk_writes_refused")),
        ("disk: disk_fill inodes", bind(disk, "inodes", (60, "/work", "/tmp"), "50", "500",
                                        "file_creations_refused")),
        ("disk: disk_fill sparse", bind(disk, "sparse", (512, "/work"), "1m", "600m", None)),
        ("processes: fork_bomb count", bind(processes, "count")),
        ("processes: fork_bomb threads", bind(processes, "threads")),
        ("processes: fork_bomb endless", endless_forks),
        ("cpu: cpu_burn plain", bind(cpu, "plain")),
        ("cpu: cpu_burn children", bind(cpu, "children")),
        ("cpu: a share of the processor", cpu_share),
        ("output: output_flood stdout", bind(output, 1)),
        ("output: output_flood stderr", bind(output, 2)),
        ("files: file_flood", bind(plain_limit, "file_flood", (100,), "--files", "32", "256")),
        ("rlimits: lock_memory", locked_memory),
    ]


def end_rows():
    bind = functools.partial
    rows = [(f"end: outlive {way}", bind(left_behind, way)) for way in ("daemon", "stopped", "deaf")]
    return rows + [
        ("end: outlive stdout", held_output),
        ("end: outlive stop-self", bind(never_ends, "stop-self")),
        ("end: outlive vfork", bind(never_ends, "vfork")),
        ("end: belljar is killed", bind(caller_dies, signal.SIGKILL)),
        ("end: belljar is asked to end", bind(caller_dies, signal.SIGTERM)),
        ("end: nobody reads the output", reader_goes_away),
        ("account: exit 137 is not memory", bind(false_death, ("exit", 137), 137, None, None)),
        ("account: exit 124 is not time", bind(false_death, ("exit", 124), 124, None, None)),
        ("account: kill -9 is not memory", bind(false_death, ("signal", 9), None, 9, "signal")),
        ("account: SIGXCPU is not cpu", bind(false_death, ("signal", 24), None, 24, "signal")),
        ("account: a foreign call is a violation", violation),
    ]


def program_rows():
    bind = functools.partial
    shell = 'BEGIN { print "ran"; system("id") }'
    return [
        ("programs: unlisted ones are not there", unlisted),
        ("programs: awk system()", bind(listed, "awk", ["awk", shell], "uid=")),
        ("programs: awk pipe", bind(listed, "awk", ["awk", 'BEGIN { "id" | getline x; print x }'],
                                    "uid=")),
        ("programs: find -exec", bind(listed, "find", ["find", "/work", "-maxdepth", "0", "-exec",
                                                       "id", ";"], "uid=")),
        ("programs: ls finds no other program", bind(listed, "ls,cat", ["ls", "-1", "/usr/bin"],
                                                     "\nid\n")),
        ("programs: bash starts no other program", bind(listed, "bash", ["bash", "-c", "id; :"],
                                                        "uid=")),
        ("programs: bash loads no module", bind(
            listed, "bash", ["bash", "-c", "enable -f ./module.so x; :"], "module-was-loaded")),
        ("programs: LD_PRELOAD loads no module", bind(
            listed, "ls", ["ls"], "module-was-loaded",
            options=("--env", "LD_PRELOAD=/work/module.so"))),
    ]


def artifact_rows():
    return [
        ("copy-out: make_artifacts", artifacts),
        ("copy-out: a link where the copy should go", artifact_over_link),
        ("copy-out: a pattern that leads out", artifact_outside),
    ]
