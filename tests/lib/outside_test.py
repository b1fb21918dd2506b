#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""outside_test.py BUILD LIBRARY BELLJAR EXAMPLE HEADER SOURCE: what is installed, and what the
helper does when somebody else talks to it.

The library exports what belljar.h declares and nothing else; the header is C89 and C++; the
example builds with pkg-config from an installed tree and runs; noise on the helper's socket ends
the helper and nothing else.
"""
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile

BUILD, LIBRARY, BELLJAR, EXAMPLE, HEADER, SOURCE = map(os.path.abspath, sys.argv[1:7])
ENV = dict(os.environ, BELLJAR_HELPER=BELLJAR)


class Skip(Exception):
    """This host cannot run the test; the words say why."""


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            raise Skip(program + " is not installed")


def output(*command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=60, **more)
    assert done.returncode == 0, "%s: exit code %d: %s" % (
        " ".join(command), done.returncode, done.stdout)
    return done.stdout


def exports_what_the_header_declares_and_nothing_else():
    need("nm")
    lines = output("nm", "-D", "--defined-only", LIBRARY).splitlines()
    exported = {line.split()[-1].split("@")[0] for line in lines}
    text = re.sub(r"/\*.*?\*/", "", open(HEADER).read(), flags=re.S)
    declared = set(re.findall(r"\b(bj_\w+)\(", text))
    assert exported == declared, "exported: %s, declared: %s" % (
        sorted(exported - declared), sorted(declared - exported))
    assert "bj_run" in exported


def neither_prints_nor_exits():
    need("nm")
    wanted = {line.split()[-1].split("@")[0]
              for line in output("nm", "-D", "--undefined-only", LIBRARY).splitlines()}
    banned = {"exit", "_exit", "printf", "puts", "perror", "__printf_chk", "__fprintf_chk", "fputs",
              "fwrite", "putchar", "signal", "sigaction", "sigprocmask", "pthread_sigmask", "fork",
              "vfork", "system", "wait", "setenv", "chdir", "umask", "stdout", "stderr"}
    assert not wanted & banned, "it uses %s" % sorted(wanted & banned)


def has_the_soname_zero():
    need("readelf")
    assert "[libbelljar.so.0]" in output("readelf", "-d", LIBRARY)


def compile_header(compiler, *options):
    need(compiler)
    with tempfile.TemporaryDirectory() as where:
        for suffix in options[0]:
            path = os.path.join(where, "use" + suffix)
            with open(path, "w") as file:
                file.write("#include <belljar.h>\n#include <belljar.h>\n"
                           "int use(struct bj_box *b, struct bj_result **r);\n"
                           "int use(struct bj_box *b, struct bj_result **r)\n{\n"
                           "\tconst char *words[2];\n\tstruct bj_input in = BJ_INPUT_INIT;\n"
                           "\twords[0] = \"true\";\n\twords[1] = NULL;\n"
                           "\tin.stdin_fd = 0;\n\treturn bj_run(b, words, &in, r);\n}\n")
            output(compiler, *options[1:], "-Wall", "-Wextra", "-Werror", "-pedantic",
                   "-I", os.path.dirname(HEADER), "-fsyntax-only", path)


def has_a_header_for_c89():
    compile_header("gcc", [".c"], "-std=c89")


def has_a_header_for_newer_c():
    compile_header("gcc", [".c"], "-std=c17")


def has_a_header_for_cpp():
    compile_header("g++", [".cc"], "-std=c++11")


def has_a_header_for_clangs_cpp():
    compile_header("clang++", [".cc"], "-std=c++17")


def runs_the_example():
    ready_helper().__exit__()
    text = output(EXAMPLE, env=ENV)
    assert text.startswith("42\n[success, exit code 0; "), text
    done = subprocess.run([EXAMPLE, "while True: pass"], env=ENV, stdout=subprocess.PIPE, text=True,
                          timeout=60)
    assert done.returncode == 1 and "[timeout, killed: wall; " in done.stdout, done.stdout


def builds_the_example_from_an_installed_tree():
    need("pkg-config", "cc", "meson")
    ready_helper().__exit__()
    with tempfile.TemporaryDirectory() as where:
        output("meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", where)
        found = [os.path.join(d, f) for d, _, files in os.walk(where) for f in files]
        pc = [f for f in found if f.endswith("/belljar.pc")]
        lib = [f for f in found if os.path.basename(f).startswith("libbelljar.so.0.")]
        assert len(pc) == 1 and len(lib) == 1, found
        env = dict(ENV, PKG_CONFIG_PATH=os.path.dirname(pc[0]), PKG_CONFIG_SYSROOT_DIR=where)
        flags = output("pkg-config", "--cflags", "--libs", "belljar", env=env).split()
        program = os.path.join(where, "example")
        output("cc", os.path.join(SOURCE, "examples", "run_python.c"), *flags, "-o", program)
        text = output(program, env=dict(ENV, LD_LIBRARY_PATH=os.path.dirname(lib[0])))
        assert text.startswith("42\n"), text


def builds_the_example_of_the_readme():
    need("cc")
    text = open(os.path.join(SOURCE, "README.md")).read()
    example = re.search(r"^```c\n(.*?)^```$", text, re.M | re.S).group(1)
    with tempfile.TemporaryDirectory() as where:
        program = os.path.join(where, "example")
        output("cc", "-Wall", "-Wextra", "-Werror", "-xc", "-", "-I", os.path.dirname(HEADER),
               "-L", os.path.dirname(LIBRARY), "-lbelljar", "-o", program, input=example)
        if os.geteuid() != 0:
            raise Skip("it builds; its box wants control groups, which users may lack")
        text = output(program, env=dict(ENV, LD_LIBRARY_PATH=os.path.dirname(LIBRARY)))
        assert text == "success: 42\n", text


class Helper:
    """belljar slot, with the other end of its socket in our hands."""

    def __init__(self, *options):
        self.sock, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.sock.settimeout(20)
        self.process = subprocess.Popen(
            [BELLJAR, "slot", "--fd", str(theirs.fileno()), *options], pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        theirs.close()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.sock.close()
        self.process.wait(timeout=20)

    def hear(self):
        data, fds, _, _ = socket.recv_fds(self.sock, 65536, 16)
        for fd in fds:
            os.close(fd)
        return data

    def kind(self):
        return struct.unpack_from("=IIII", self.hear())[3]

    def ended(self):
        """Nothing but a complaint comes, and it goes by itself."""
        while self.hear():
            pass
        return self.process.wait(timeout=20) == 0


OPTIONS = [] if os.geteuid() == 0 else ["--allow-degraded", "memory,processes,cpu"]
READY, FAILED = 1, 4
ASK_BOX, ASK_RUN, ASK_KILL = 1, 2, 3
LIMITS = [30000, 10000, 256 << 20, 100 << 20, 12800, 64, 1024, 10000, 100]


with open(os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../src/lib/talk.h")) as header:
    VERSION = int(re.search(r"TALK_VERSION = (\d+)", header.read())[1])
SIZE = 96 + 8 + 16 + 16 + 1024


def request(kind, limits=LIMITS, magic=0x6a6c6562, version=VERSION, size=SIZE):
    return struct.pack("=IIIIII9Q", magic, version, size, kind, 0, 0, *limits).ljust(SIZE, b"\0")


def ready_helper():
    helper = Helper(*OPTIONS)
    if helper.kind() != READY:
        helper.__exit__()
        raise Skip("no box on this host")
    return helper


def ends_its_helper_when_it_hears_noise():
    for noise in [b"x", b"x" * SIZE, os.urandom(SIZE), os.urandom(9000), request(ASK_RUN)[:-1],
                  request(ASK_RUN) + b"x", request(ASK_BOX, version=2), request(ASK_BOX, magic=1),
                  request(ASK_BOX, size=SIZE - 1), request(0), request(77)]:
        with ready_helper() as helper:
            helper.sock.send(noise)
            assert helper.ended(), noise[:24]


def refuses_calls_that_are_not_whole():
    with ready_helper() as helper:
        helper.sock.send(request(ASK_KILL))  # of nothing
        helper.sock.send(request(ASK_RUN))  # without descriptors
        assert helper.kind() == 3
        null = os.open("/dev/null", os.O_RDWR)
        socket.send_fds(helper.sock, [request(ASK_RUN)], [null] * 4)  # /dev/null holds no words
        assert helper.kind() == 3
        socket.send_fds(helper.sock, [request(ASK_RUN, [0] * 9)], [null] * 4)  # no limits
        assert helper.kind() == 3
        socket.send_fds(helper.sock, [request(ASK_RUN)], [null] * 16)
        assert helper.kind() == 3
        os.close(null)
        helper.sock.send(request(ASK_BOX, [1 << 63] * 9))
        assert helper.kind() == FAILED


def says_why_its_helper_cannot_start():
    for options in [["--memory", "nonsense"], ["--root", "/nowhere"], ["--help"], ["word"],
                    ["--read", "/nowhere:/x"]]:
        with Helper(*OPTIONS, *options) as helper:
            assert helper.kind() == FAILED, options


def starts_no_helper_for_people():
    for words in [[], ["--fd"], ["--fd", "0"], ["--fd", "99"], ["--fd", "x"]]:
        done = subprocess.run([BELLJAR, "slot", *words], stderr=subprocess.PIPE, timeout=20)
        assert done.returncode == 125 and done.stderr, words


TESTS = [
    exports_what_the_header_declares_and_nothing_else,
    neither_prints_nor_exits,
    has_the_soname_zero,
    has_a_header_for_c89,
    has_a_header_for_newer_c,
    has_a_header_for_cpp,
    has_a_header_for_clangs_cpp,
    runs_the_example,
    builds_the_example_from_an_installed_tree,
    builds_the_example_of_the_readme,
    ends_its_helper_when_it_hears_noise,
    refuses_calls_that_are_not_whole,
    says_why_its_helper_cannot_start,
    starts_no_helper_for_people,
]


def main():
    failed = 0
    print("1..%d" % len(TESTS))
    for number, test in enumerate(TESTS, 1):
        name = "the_library_" + test.__name__
        try:
            test()
        except Skip as why:
            print("ok %d - %s # SKIP %s" % (number, name, why), flush=True)
        except (AssertionError, OSError, subprocess.TimeoutExpired) as error:
            failed += 1
            print("".join("# %s\n" % line for line in repr(error).split("\\n")), end="")
            print("not ok %d - %s" % (number, name), flush=True)
        else:
            print("ok %d - %s" % (number, name), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
