# SPDX-License-Identifier: Apache-2.0
"""arena.py - a place of our own to torture in, so that whatever is left over is ours.

The tests look for leftovers: processes, mounts, control groups, files, SysV
objects.  On a machine where others work too, somebody else's would be found as
well.  So the driver first moves into its own pid, mount and ipc namespaces,
with its own /tmp, /run and /dev/shm and its own control group in every
hierarchy; what it finds there was left by the belljar it started.
"""
import ctypes
import errno
import os
import shutil
import signal
import stat
import sys
import time

libc = ctypes.CDLL(None, use_errno=True)

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWPID = 0x00020000, 0x08000000, 0x20000000
MS_NOSUID, MS_NODEV, MS_REC = 2, 4, 16384
MS_PRIVATE, MS_SHARED = 1 << 18, 1 << 20
PR_SET_PDEATHSIG = 1

# An ordinary user that owns nothing on the machine.
USER = int(os.environ.get("TORTURE_UID", "61234"))
SYSV_KEY = 0x626A7477  # witness.c looks for it
BIN = "/run/arena"
HIERARCHIES_USED = ("memory", "pids", "cpu", "cpuacct", "freezer", "unified")
DEGRADED = ["--allow-degraded", "memory,processes,cpu"]


def check(result, what):
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def mount(source, target, fstype, flags=0, data=None):
    check(libc.mount(source.encode(), target.encode(), fstype and fstype.encode(), flags,
                     data and data.encode()), f"mount {target}")


def skip_all(why):
    print(f"1..0 # SKIP {why}")
    sys.exit(0)


def cgroup_mounts():
    """{name: mount point}: v1 by controller, v2 as "unified"."""
    found = {}
    with open("/proc/self/mountinfo") as lines:
        for line in lines:
            left, right = line.rstrip("\n").split(" - ", 1)
            kind = right.split()[0]
            point = left.split()[4]
            if kind == "cgroup2":
                found.setdefault("unified", point)
            elif kind == "cgroup":
                for name in right.split()[2].split(","):
                    found.setdefault(name.removeprefix("name="), point)
    found.pop("rw", None)
    return found


def own_cgroups():
    """{hierarchy: path within it} of this process."""
    found = {}
    with open("/proc/self/cgroup") as lines:
        for line in lines:
            _, names, path = line.rstrip("\n").split(":", 2)
            for name in names.split(",") if names else ["unified"]:
                found[name.removeprefix("name=")] = path
    return found


def enter_cgroups(name_of_ours):
    """A group of our own in each hierarchy we may have one in; returns their directories."""
    mounts, paths, made = cgroup_mounts(), own_cgroups(), []
    for name in HIERARCHIES_USED:
        if name not in mounts or name not in paths:
            continue
        group = f"{mounts[name]}{paths[name].rstrip('/')}/{name_of_ours}"
        try:
            os.makedirs(group, exist_ok=True)
            with open(f"{group}/cgroup.procs", "w") as procs:
                procs.write("0")
            if group not in made:
                made.append(group)
        except OSError as e:
            print(f"# no group of our own in {name}: {e.strerror}")
    return made


def leave_cgroups(groups):
    """From outside, after the arena's last process is dead."""
    for group in groups:
        for _ in range(100):
            try:
                for inner, _, _ in os.walk(group, topdown=False):
                    os.rmdir(inner)
                break
            except FileNotFoundError:
                break
            except OSError:
                time.sleep(0.05)


def copy_in(programs):
    os.mkdir(BIN, 0o755)
    placed = []
    for path in programs:
        target = f"{BIN}/{os.path.basename(path)}"
        shutil.copy2(path, target)
        os.chmod(target, 0o755)
        placed.append(target)
    return placed


def furnish(programs):
    """Mounts; then the programs lie in /run, because /tmp, where they may have been, is hidden."""
    mount("none", "/", None, MS_REC | MS_PRIVATE)
    # Shared, as on a machine run by systemd: a mount that the box forgot to keep to itself shows.
    mount("none", "/", None, MS_REC | MS_SHARED)
    mount("proc", "/proc", "proc")
    mount("arena", "/run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=755")
    placed = copy_in(programs)
    mount("arena", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777")
    mount("arena", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777")
    os.chdir("/")
    os.mkdir("/tmp/home", 0o755)
    os.chown("/tmp/home", USER, USER)
    check(libc.shmget(SYSV_KEY, 4096, 0o1600), "shmget")
    return placed


def inside(groups_pipe, group_name, programs, body):
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    groups = enter_cgroups(group_name)
    os.write(groups_pipe, "\n".join(groups).encode())
    os.close(groups_pipe)
    placed = furnish(programs)
    code = body(groups, *placed)
    sys.stdout.flush()
    os._exit(code)


def run(programs, body):
    """Calls body(groups, *programs) as pid 1 of the arena; returns its exit code."""
    if os.geteuid() != 0:
        skip_all("needs root: to trace, and for namespaces of its own")
    programs = [os.path.realpath(path) for path in programs]
    check(libc.unshare(CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWPID), "unshare")
    sys.stdout.flush()
    group_name = f"bjtest-{os.getpid()}"
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read_end)
        inside(write_end, group_name, programs, body)
    os.close(write_end)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: os.kill(child, signal.SIGKILL))
    groups = os.read(read_end, 65536).decode().split("\n")
    _, status = os.waitpid(child, 0)
    leave_cgroups([g for g in groups if g])
    return os.waitstatus_to_exitcode(status)


# What is there now


def reap_strays():
    """The arena's pid 1 inherits orphans; call only while no child of our own is awaited."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0] > 0:
            pass
    except ChildProcessError:
        pass


def processes():
    found = set()
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            with open(f"/proc/{name}/stat") as text:
                found.add(f"process {name} {text.read().split(')')[0].split('(')[1]}")
        except OSError:
            pass
    return found


def mounts():
    with open("/proc/self/mountinfo") as lines:
        return {"mount " + " ".join(line.split()[3:6]) for line in lines}


def groups_beneath(groups):
    found = set()
    for group in groups:
        for directory, _, _ in os.walk(group):
            if directory != group:
                found.add(f"group {directory}")
    return found


def group_is_empty(directory):
    try:
        with open(f"{directory}/cgroup.procs") as procs:
            return not procs.read()
    except OSError:
        return True


def stray_groups(groups):
    """belljar's groups in hierarchies where we have none of our own."""
    found = set()
    points = {point for name, point in cgroup_mounts().items() if name in HIERARCHIES_USED}
    for point in points:
        if any(group.startswith(point + "/") for group in groups):
            continue
        for directory, names, _ in os.walk(point):
            found.update(f"group {directory}/{n}" for n in names if n.startswith("belljar-"))
    return found


def files():
    found = set()
    for top in ("/run", "/tmp", "/dev/shm"):
        for directory, names, leaves in os.walk(top):
            if directory.startswith(BIN):
                continue
            for name in names + leaves:
                path = f"{directory}/{name}"
                try:
                    mode = os.lstat(path).st_mode
                except FileNotFoundError:  # it went while we looked
                    mode = 0
                found.add(f"{'directory' if stat.S_ISDIR(mode) else 'file'} {path}")
    return found


def sysv():
    found = set()
    for kind in ("shm", "sem", "msg"):
        with open(f"/proc/sysvipc/{kind}") as lines:
            for line in list(lines)[1:]:
                found.add(f"sysv {kind} {line.split()[1]}")
    return found


def descriptors():
    return {f"descriptor {n} {os.readlink(f'/proc/self/fd/{n}')}"
            for n in os.listdir("/proc/self/fd") if os.path.lexists(f"/proc/self/fd/{n}")}


def namespaces():
    """Those that some process of the arena is in."""
    found = set()
    for pid in os.listdir("/proc"):
        if not pid.isdigit():
            continue
        try:
            for kind in os.listdir(f"/proc/{pid}/ns"):
                found.add("namespace " + os.readlink(f"/proc/{pid}/ns/{kind}"))
        except OSError:
            pass
    return found


def namespace_objects():
    """How many the kernel holds, pinned ones too, for the whole machine: {kind: count}."""
    found = {}
    try:
        with open("/proc/slabinfo") as lines:
            for line in lines:
                words = line.split()
                if words[0].endswith("_namespace") or words[0] == "nsproxy":
                    found[words[0]] = int(words[1])
    except OSError:
        pass
    return found


def everything(groups):
    reap_strays()
    return (processes() | mounts() | groups_beneath(groups) | stray_groups(groups) | files() |
            sysv() | namespaces())


def leftovers(before, groups, seconds=2.0, tolerate=None):
    """What is there that was not before; waits that long for what is not tolerated to go."""
    end = time.monotonic() + seconds
    while True:
        found = everything(groups) - before
        if time.monotonic() >= end or not any(not tolerate or not tolerate(f) for f in found):
            return sorted(found)
        time.sleep(0.01)
