# SPDX-License-Identifier: Apache-2.0
"""escape_rows.py - the table: which program attacks which wall, and where it works.

One row is one way of one program.  twin says without which wall it must work (Host.bare); a box
is given options beside the usual ones; listed runs it with --programs, itself and these.
"""

import os
import subprocess
from typing import NamedTuple, Optional


class Row(NamedTuple):
    wall: str
    program: str
    args: tuple = ()
    twin: str = "user"
    options: tuple = ()
    twin_args: Optional[tuple] = None  # None: the same
    listed: Optional[tuple] = None  # None: any program may run
    more: Optional[object] = None  # host -> more settings for Popen
    needs: Optional[str] = None  # the layer that is the wall; where it is degraded, so is the wall


LOADERS = ("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1")
NAMESPACES = ("user", "mnt", "pid", "net", "ipc", "uts", "cgroup")

# family, type, protocol, twin, name
SOCKETS = (
    (16, 3, 0, "user", "netlink route"),
    (16, 3, 6, "user", "netlink xfrm"),
    (16, 3, 12, "user", "netlink netfilter"),
    (16, 3, 21, "user", "netlink crypto"),
    (17, 3, 768, "owner", "packet"),
    (38, 5, 0, "user", "alg"),
    (40, 1, 0, "user", "vsock"),
    (33, 2, 2, "user", "rxrpc"),
    (30, 2, 0, "user", "tipc"),
    (15, 3, 2, "owner", "key"),
    (44, 3, 0, "owner", "xdp"),
    (2, 3, 1, "owner", "raw icmp"),
    (2, 3, 255, "owner", "raw ip"),
    (10, 3, 58, "owner", "raw icmp6"),
    (2, 2, 1, "root", "ping"),
    (2, 1, 262, "user", "mptcp"),
    (2, 2, 136, "user", "udp-lite"),
    (10, 2, 136, "user", "udp-lite 6"),
    (2, 1, 132, "user", "sctp"),
    (2, 5, 0, "user", "sctp by default"),
    (2, 6, 0, "user", "dccp"),
)

# call, twin; see forbidden_call.c
CALLS = (
    ("io_uring_setup", "user"), ("userfaultfd", "user"), ("bpf", "root"),
    ("perf_event_open", "user"), ("io_setup", "user"), ("fanotify_init", "user"),
    ("quotactl", "root"), ("kexec_load", "root"), ("init_module", "root"),
    ("finit_module", "root"), ("delete_module", "root"), ("reboot", "root"),
    ("swapon", "root"), ("acct", "root"), ("settimeofday", "root"), ("clock_settime", "root"),
    ("adjtimex", "user"), ("sethostname", "root"), ("setdomainname", "root"), ("syslog", "root"),
    ("modify_ldt", "user"), ("memfd_secret", "user"), ("cachestat", "user"),
    ("ioprio_set", "user"), ("sched_setscheduler", "root"), ("mbind", "user"),
    ("move_pages", "user"), ("migrate_pages", "user"), ("name_to_handle_at", "user"),
    ("vhangup", "root"), ("iopl", "root"), ("ioperm", "root"),
)


def passwd_needle():
    with open("/etc/passwd", encoding="utf-8", errors="replace") as file:
        return file.read().splitlines()[-1]


def file_rows(h):
    read = [
        ("/etc/shadow", "root"), ("/root", "root"), (h.secret, "user"),
        (f"/tmp/..{h.secret}", "user"), (f"{h.in_tmp}/secret", "user"), ("/var/log", "user"), ("/sys/kernel", "user"),
        ("/proc/kallsyms", "user"), ("/proc/kcore", "root"), ("/proc/keys", "user"),
        ("/proc/cmdline", "user"), ("/proc/interrupts", "user"), ("/proc/net/tcp", "user"),
        ("/proc/sys/kernel/hostname", "user"), ("/sys/fs/cgroup", "user"),
        (os.path.dirname(os.path.abspath(h.belljar)), "user"),
    ]
    rows = [Row("files", "read_host_file", (path,), twin) for path, twin in read]
    rows += [
        Row("files", "read_host_file", ("/etc/passwd", passwd_needle())),
        Row("files", "read_host_file", ("/tmp", os.path.basename(h.in_tmp))),
        Row("files", "read_host_file", ("/etc/hostname", os.uname().nodename)),
        Row("proc, full", "read_host_file", ("/proc/kallsyms",), options=("--proc", "full")),
        Row("proc, full", "read_host_file", ("/proc/kcore",), "root", ("--proc", "full")),
        Row("proc, full", "read_host_file", ("/proc/keys",), options=("--proc", "full")),
        Row("proc, full", "read_host_file", ("/proc/cmdline",), options=("--proc", "full")),
        Row("proc, full", "read_host_file", ("/proc/timer_list",), "root", ("--proc", "full")),
        Row("links", "follow_symlink", (h.secret,)),
        Row("descriptors", "leaked_directory", ("secret",)),
        Row("mount namespace", "file_handle", (h.secret,), "root"),
        Row("mount namespace", "proc_root", (h.secret,)),
        Row("mount namespace", "proc_root", (h.secret,), options=("--proc", "full")),
    ]
    return rows


def write_rows(h):
    new = f"belljar-escape-{os.getpid()}"
    rows = [Row("read-only root", "write_host_file", (way, f"{place}/{new}"), "root")
            for place in ("/usr", "/etc", "/usr/bin")
            for way in ("create", "mkdir", "symlink", "fifo")]
    rows += [Row("read-only root", "write_host_file", (way, "/usr/bin/env"), "root")
             for way in ("open", "chmod", "utimes", "xattr")]
    rows += [
        Row("read-only root", "write_host_file", ("tmpfile", "/usr"), "root"),
        Row("read-only root", "write_host_file", ("create", f"/{new}"), "root"),
        Row("read-only root", "write_host_file", ("create", f"/lib/{new}"), "root"),
        Row("read-only root", "write_host_file", ("create", f"/dev/{new}"), "root"),
        Row("read-only root", "write_host_file", ("open", "/etc/passwd"), "root"),
        Row("read-only root", "remount_rw", ("/",), "mounts"),
        Row("read-only root", "remount_rw", ("/usr",), "mounts", twin_args=("/",)),
    ]
    return rows


def grant_rows(h):
    """What --read does not say: the directory may be read, and nothing else."""
    given = h.directory("given", h.uid)
    h.write(os.path.join(given, "file"), b"given\n", 0o666, h.uid)
    os.chmod(given, 0o777)
    os.symlink(h.secret, os.path.join(given, "link"))
    os.symlink("../private/secret", os.path.join(given, "dots"))
    fifo = os.path.join(given, "fifo")
    os.mkfifo(fifo)
    os.chmod(fifo, 0o666)
    # Somebody listens, or nobody could write.
    os.set_inheritable(os.open(fifo, os.O_RDWR | os.O_NONBLOCK), False)
    read = ("--read", f"{given}:/given")
    rows = [Row("--read", "write_host_file", (way, "/given/" + name), options=read,
                twin_args=(way, f"{given}/{name}"))
            for way, name in (("create", "new"), ("mkdir", "new"), ("open", "file"),
                              ("chmod", "file"), ("utimes", "file"), ("xattr", "file"),
                              ("open", "fifo"), ("tmpfile", ""))]
    rows += [Row("--read", "read_host_file", ("/given/" + name,), options=read,
                 twin_args=(f"{given}/{name}",))
             for name in ("link", "dots", "../private/secret")]
    rows += [
        Row("--read", "connect_unix", ("path", "/services/socket"),
            options=("--read", os.path.dirname(h.bait.path) + ":/services"),
            twin_args=("path", h.bait.path)),
        Row("--write", "read_host_file", ("/given/link",), twin_args=(f"{given}/link",),
            options=("--write", f"{given}:/given")),
        Row("--write", "read_host_file", ("/given/../private/secret",),
            twin_args=(f"{given}/../private/secret",), options=("--write", f"{given}:/given")),
    ]
    return rows + set_id_rows(h)


def set_id_rows(h):
    """A file that a box leaves behind belongs to the directory's owner, and must not lend that."""
    given = h.directory("set-id", h.uid)
    ways = ("chmod", "fchmod", "fchmodat", "fchmodat2", "open", "creat", "openat", "openat2",
            "tmpfile", "mknod", "mknodat")
    return [Row("--write", "set_id_file", (way, "/given", *more),
                options=("--write", f"{given}:/given"), twin_args=(way, given, *more))
            for way in ways for more in (("4755",), ("2755",), ("6755", "high"))]


def process_rows(h):
    rows = [Row("pid 1", "touch_process", (way, 1), "init")
            for way in ("attach", "seize", "readv", "writev", "getfd", "kcmp", "prlimit")]
    rows += [Row("pid 1", "touch_process", (way, 1), "init", needs="own_uid")
             for way in ("affinity", "priority")]
    rows += [Row("pid 1", "proc_of_init", (way, name), "init")
             for way, name in (("read", "environ"), ("read", "mem"), ("read", "maps"),
                               ("read", "auxv"), ("read", "cmdline"), ("list", "fd"),
                               ("list", "map_files"), ("list", "ns"), ("link", "root"),
                               ("link", "cwd"), ("link", "exe"), ("write", "oom_score_adj"),
                               ("write", "mem"), ("write", "comm"))]
    rows += [
        Row("pid namespace", "see_processes", ("proc", h.variable[1]), more=waiting_process),
        Row("pid namespace", "see_processes", ("kill",), more=waiting_process),
        Row("pid 1 reaps", "orphans", (100,), "alone", ("--processes", "16")),
        Row("pid 1", "touch_process", ("madvise", 1), "rooted"),
        Row("limits", "oom_score", (), "adjusted"),
        Row("limits", "become_root", ("limit",), "root"),
        Row("personality", "personality_bits", (0x0040000,)),
        Row("personality", "personality_bits", (0x0400000,)),
        Row("personality", "personality_bits", (0x0400000, "high")),
        Row("personality", "personality_bits", (8,)),
        Row("core dumps", "core_dump"),
    ]
    return rows


def waiting_process(host):
    """A process of the same user's that runs meanwhile; it ends with us."""
    if not host.waiting:
        host.waiting = host.popen(["sh", "-c", "read x", host.variable[1]], "user",
                                  stdin=subprocess.PIPE, pass_fds=())
    return {}


def socket_rows(h):
    rows = [Row("socket families", "socket_family", ("sweep",)),
            Row("socket families", "socket_family", ("sweep", "high")),
            Row("socket families", "socket_family", ("pair", 30, 1, 0)),
            Row("socket families", "socket_family", ("pair", 1, 3, 1), twin_args=("pair", 1, 3, 0))]
    for family, kind, protocol, twin, name in SOCKETS:
        for high in ((), ("all",)):
            rows.append(Row(f"socket {name}", "socket_family",
                            ("one", family, kind, protocol, *high), twin))
    rows += [Row("socket families", "socket_family", ("one", 16, 3, 0, part))
             for part in ("family", "type", "protocol")]
    rows += [Row("second call table", "i386_call", (way,)) for way in ("getpid", "socketcall", "x32")]
    return rows


def network_rows(h):
    rows = []
    for name, port in h.bait.ports.items():
        args = (name[:3], "::1" if name == "tcp6" else "127.0.0.1", port)
        rows.append(Row("network", "connect_host", args))
        rows.append(Row("network, own loopback", "connect_host", args, options=("--loopback",)))
    rows += [
        Row("network", "connect_unix", ("abstract", h.bait.abstract)),
        Row("mount namespace", "connect_unix", ("path", h.bait.path)),
    ]
    return rows


def device_rows(h):
    rows = [Row("devices", "make_device", (kind, major, minor, *high), "root")
            for kind, major, minor in (("c", 1, 11), ("b", 7, 0), ("c", 10, 229))
            for high in ((), ("high",))]
    disks = [d for d in ("/dev/vda", "/dev/sda", "/dev/nvme0n1") if os.path.exists(d)]
    for path in ("/dev/kmsg", "/dev/fuse", "/dev/kvm", "/dev/loop-control", "/dev/net/tun",
                 "/dev/mem", "/dev/console", "/dev/tty0", "/dev/loop0", *disks[:1]):
        rows.append(Row("devices", "open_device", (path,), "root"))
    rows += [Row("devices", "open_device", (path,)) for path in ("/dev/ptmx", "/dev/pts/ptmx")]
    rows += [Row("terminal", "push_input", ("filter", request, *high))
             for request in (0x5412, 0x541C, 0x541D, 0x5423) for high in ((), ("high",))]
    return rows


def namespace_rows(h):
    rows = []
    for how in ("unshare", "clone", "clone3"):
        for name in (*NAMESPACES, *(() if how == "clone" else ("time",))):
            twin = "user" if name == "user" else "root"
            rows.append(Row("no namespaces", "make_namespace", (how, name), twin))
            if how != "unshare":  # the kernel itself refuses bit 32 there
                rows.append(Row("no namespaces", "make_namespace", (how, name, "high"), twin))
    for way in ("file", "pidfd"):
        for name in NAMESPACES[1:]:
            for high in ((), ("high",)):
                rows.append(Row("no namespaces", "join_namespace", (way, name, *high), "rooted"))
    for name in NAMESPACES:
        inode = os.stat(f"/proc/self/ns/{name}").st_ino
        rows.append(Row("own namespaces", "same_namespace", (name, inode)))
    rows += [Row("mounts", "mount_call", (way,), "mounts")
             for way in ("tmpfs", "bind", "propagation", "fsopen", "fspick", "open-tree",
                         "move-mount", "setattr", "pivot-root")]
    rows += [Row("mounts", "mount_call", (way,), "init") for way in ("proc", "umount")]
    return rows


def proc_rows(h):
    paths = (
        "/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname",
        "/proc/sys/vm/drop_caches", "/proc/sys/vm/overcommit_memory", "/proc/sys/kernel/pid_max",
        "/proc/sys/net/ipv4/ip_forward",
    )
    own = ("/proc/self/uid_map", "/proc/self/gid_map",
           "/proc/self/oom_score_adj", "/proc/self/coredump_filter", "/proc/self/timerslack_ns",
           "/proc/self/comm", "/proc/self/clear_refs")
    rows = [Row("proc", "write_proc", (path,), "root", options)
            for path in paths for options in ((), ("--proc", "full"))]
    rows.append(Row("proc", "write_proc", ("/proc/self/setgroups",), "owner"))
    return rows + [Row("proc", "write_proc", (path,)) for path in own]


def seal_rows(h):
    rows = [
        Row("descriptors", "descriptors"),
        Row("environment", "find_secret", h.variable),
        Row("environment", "find_secret", h.variable, options=("--proc", "full")),
        Row("capabilities", "privileges", ("capabilities",), "root"),
        Row("capabilities", "privileges", ("bounding",)),
        Row("no_new_privs", "privileges", ("new-privs",)),
        Row("seccomp", "privileges", ("filter",)),
        Row("landlock", "landlock_layers"),
        Row("capabilities", "become_root", ("uid",), "owner"),
        Row("capabilities", "become_root", ("gid",), "owner"),
        Row("capabilities", "become_root", ("groups",), "root"),
        Row("capabilities", "become_root", ("fsuid",), "owner"),
        Row("capabilities", "become_root", ("capset",), "root"),
        Row("keyring", "keyring", ("add",)),
        Row("keyring", "keyring", ("join",)),
    ]
    if h.key:
        rows += [Row("keyring", "keyring", (way, h.key)) for way in ("search", "request")]
    rows += [Row("seccomp", "forbidden_call", (name,), twin) for name, twin in CALLS]
    rows += [Row("seccomp", "filtered_argument", (way, *high),
                 "root" if way == "huge-shm" else "user")
             for way in ("huge-map", "huge-memfd", "huge-shm", "merge", "socket-filter",
                         "linger", "peer", "tcp-ulp", "discipline", "listener", "clone-parent", "lease")
             for high in ((), ("high",))]
    return rows


def program_rows(h):
    loader = next((path for path in LOADERS if os.path.exists(path)), LOADERS[0])
    tools = ("ls", "cat")
    rows = [Row("programs", "run_memory", args, listed=tools)
            for args in (("execveat",), ("path",), ("loader", loader))]
    rows += [Row("programs", "run_written", (way, place), listed=tools)
             for place in (".", "/tmp", "/dev/shm")
             for way in ("exec", "script", "map", "protect")]
    rows += [Row("programs", "run_written", ("loader", place, loader), listed=tools)
             for place in (".", "/tmp", "/dev/shm")]
    rows += [
        Row("programs", "run_written", ("other", "/usr/bin/id"), listed=tools),
        Row("programs", "run_written", ("other", "/bin/true"), listed=tools),
        Row("programs", "run_written", ("loader-other", "/usr/bin/id", loader), listed=tools),
        Row("programs", "run_written", ("loader-other", "/bin/true", loader), listed=tools),
    ]
    return rows


def simple_rows(h):
    makers = (file_rows, write_rows, grant_rows, process_rows, socket_rows, network_rows,
              device_rows, namespace_rows, proc_rows, seal_rows, program_rows)
    return [row for make in makers for row in make(h)]
