#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""callprogram_test.py BELLJAR BELLJAR_CALL BELLJAR_GATE BELLJAR_SCRIBE LIBC: the program of belljar call, as it was linked."""
import os
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sentences import Skip, check, tell  # noqa: E402

BELLJAR, CALL, GATE, SCRIBE = (os.path.realpath(path) for path in sys.argv[1:5])
LIBC, LEFT = sys.argv[5], 77
POLICY = """version: 1
clients: { me: { uid: any, tools: [say, show, look, get] } }
tools:
  say: { kind: command, exec: [/bin/echo, "{words}"], args: { words: { type: string, max_len: 99 } } }
  show: { kind: command, exec: [/bin/ls, /proc/self/fd] }
  get: { kind: command, exec: [/bin/echo, "{u}"], args: { u: { type: url, schemes: [http], hosts: [a.example] } } }
  look: { kind: code, languages: [bash, node, python] }
"""
RELA, IRELATIVE = 4, {62: 37, 183: 1032}  # by machine: x86-64, aarch64
SECRET = "AKIA" + "2E3A7F3B244C6776"


def relocations():
    """(kind, how many) of what is filled in at the program's start, and its machine."""
    with open(CALL, "rb") as file:
        elf = file.read()
    machine, = struct.unpack_from("<H", elf, 18)
    table, = struct.unpack_from("<Q", elf, 40)
    size, n = struct.unpack_from("<HH", elf, 58)
    kinds = {}
    for at in range(table, table + n * size, size):
        kind, start, length = struct.unpack_from("<4xI16xQQ", elf, at)
        for row in range(start, start + length, 24) if kind == RELA else ():
            word = struct.unpack_from("<Q", elf, row + 8)[0] & 0xffffffff
            kinds[word] = kinds.get(word, 0) + 1
    return machine, kinds


def call(*words, program=None, pass_fds=()):
    with tempfile.TemporaryDirectory() as place:
        with open(place + "/policy.yaml", "w", encoding="utf-8") as out:
            out.write(POLICY)
        return subprocess.run([program or BELLJAR, "call", "--policy", place + "/policy.yaml", "--state", place,
                               "--audit", place + "/log", *words], capture_output=True, text=True, timeout=60,
                              pass_fds=pass_fds)


def nothing_in_it_waits_for_a_start_that_musl_has_not():
    """An ifunc that nobody resolves is a call of address 0."""
    if LIBC != "musl":
        raise Skip("it has glibc in it, which resolves them")
    machine, kinds = relocations()
    check(machine in IRELATIVE and kinds, (machine, kinds))
    check(IRELATIVE[machine] not in kinds, kinds)


def it_makes_a_call_of_a_command_and_of_code():
    for program in (BELLJAR, CALL):
        done = call("say", "--arg", "words=hello", program=program)
        check((done.returncode, done.stdout) == (0, "hello\n"), done)
        done = call("look", "--arg", "language=bash", "--arg", "code=echo hello", program=program)
        check((done.returncode, done.stdout) == (0, "hello\n"), done)


def what_its_caller_left_open_does_not_reach_its_box():
    null = os.open("/dev/null", os.O_RDONLY)
    os.dup2(null, LEFT)
    try:
        done = call("show", pass_fds=[LEFT])
    finally:
        os.close(LEFT)
        os.close(null)
    check((done.returncode, done.stdout.split()) == (0, ["0", "1", "2", "3"]), done)


def what_its_caller_left_open_does_not_reach_its_helper():
    """Which is a program of ours here, beside a copy of belljar-call."""
    with tempfile.TemporaryDirectory() as place:
        with open(place + "/belljar", "w", encoding="utf-8") as out:
            out.write(f"#!/bin/sh\nif [ -e /proc/$$/fd/{LEFT} ]; then echo has it; else echo has not; fi >{place}/seen\n")
        os.chmod(place + "/belljar", 0o755)
        shutil.copy(CALL, place + "/belljar-call")
        os.symlink(SCRIBE, place + "/belljar-scribe")
        null = os.open("/dev/null", os.O_RDONLY)
        os.dup2(null, LEFT)
        try:
            done = call("look", "--arg", "language=bash", "--arg", "code=x=1", program=place + "/belljar-call",
                        pass_fds=[LEFT])
        finally:
            os.close(LEFT)
            os.close(null)
        check(done.returncode == 125, done)
        with open(place + "/seen", encoding="utf-8") as file:
            check(file.read() == "has not\n", "it was left open")


def secrets_do_not_come_out():
    done = call("say", "--arg", "words=key " + SECRET)
    check(done.returncode == 0 and SECRET not in done.stdout and "key [" in done.stdout, done)


def code_of_each_language_is_screened():
    for language, code in (("python", "import socket"), ("bash", "curl http://x"), ("node", "require('net')")):
        done = call("look", "--dry-run", "--arg", "language=" + language, "--arg", "code=" + code)
        check(done.returncode == 126 and "(screen)" in done.stderr, (language, done))
        done = call("look", "--dry-run", "--arg", "language=" + language, "--arg", "code=x=1")
        check(done.returncode == 0, (language, done))


def an_ipv4_address_is_no_ipv6_address():
    """Which are so, musl and glibc do not agree on."""
    for address in ("::127.0.0.1", "::10.0.0.0", "::0.0.1.0", "::ffff:10.0.0.1"):
        done = call("get", "--dry-run", "--arg", "u=http://[%s]/" % address)
        check(done.returncode == 126 and "IPv4 address is written as such" in done.stderr, (address, done))


def each_program_knows_its_own_commands():
    for program, word, other in ((GATE, "call", "belljar-gate is a part"), (CALL, "policy", "belljar-call is a part")):
        done = subprocess.run([program, word], capture_output=True, text=True, timeout=60)
        check(done.returncode == 125 and other in done.stderr, done)


sys.exit(tell([
    nothing_in_it_waits_for_a_start_that_musl_has_not,
    it_makes_a_call_of_a_command_and_of_code,
    what_its_caller_left_open_does_not_reach_its_box,
    what_its_caller_left_open_does_not_reach_its_helper,
    secrets_do_not_come_out,
    code_of_each_language_is_screened,
    an_ipv4_address_is_no_ipv6_address,
    each_program_knows_its_own_commands,
]))
