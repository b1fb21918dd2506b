#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""examples_test.py BELLJAR EXAMPLE PACKAGES - an example beside a service with the built-in policy says what it should."""
import os
import socket
import subprocess
import sys

from clienting import ROOT, ClientService
from compiling import compile_typescript, node
from tapping import run

AGENT = """\
execute_code({"code": "print(sum(i * i for i in range(100)))"})
    328350
execute_code({"code": "import socket\\nsocket.create_connection(('example.com', 80))"})
    refused: line 1, column 8: there is no network in the box (socket) *
run_command({"command": "echo sealed"})
    sealed
run_command({"command": "rm -rf /"})
    refused: line 1, column 1: rm with -r and -f removes whole trees without asking (rm -rf) *
"""
SESSION = """\
[1, 2, 3]
seen 1
seen 2
seen 3
['numbers.txt']
"""
AGENT_TS = """\
execute_code({"code":"print(sum(range(10)))","language":"python"})
    45
execute_code({"code":"import socket; socket.socket()","language":"python"})
    refused: line 1, column 8: there is no network in the box (socket) *
run_command({"command":"echo sealed"})
    sealed
run_command({"command":"rm -rf /"})
    refused: line 1, column 1: rm with -r and -f removes whole trees without asking (rm -rf) *
"""
SHOULD_SAY = {"agent_tool.py": AGENT, "session.py": SESSION, "agent-tool.ts": AGENT_TS}


class BuiltIn(ClientService):
    """The policy that `make run` has."""

    def put_policy(self, text=None):
        with open(os.path.join(ROOT, "policies", "default.yaml")) as built_in:
            super().put_policy(built_in.read())


def differences(said, wanted):
    """A * at the end of a line stands for anything, also for further lines that are indented."""
    said = said.splitlines()
    for line in wanted.splitlines():
        got = said.pop(0) if said else "(nothing)"
        if line.endswith("*"):
            if not got.startswith(line[:-1]):
                yield line, got
            while said and said[0].startswith("    "):
                said.pop(0)
        elif got != line:
            yield line, got
    yield from (("(nothing)", line) for line in said)


def the_example_says_what_it_should(t):
    done = subprocess.run(COMMAND, capture_output=True, text=True, timeout=100, env={
        "BELLJAR_URL": SERVICE.url, "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.path.join(ROOT, "clients", "python")})
    t.check(done.returncode == 0 and done.stderr == "", done.stderr)
    for wanted, got in differences(done.stdout, SHOULD_SAY[EXAMPLE]):
        t.check(False, "wanted: %s\n   got: %s" % (wanted, got))


def without_a_service_it_says_so(t):
    with socket.create_server(("127.0.0.1", 0)) as door:
        nobody = "http://127.0.0.1:%d" % door.getsockname()[1]
    done = subprocess.run(COMMAND, capture_output=True, text=True, timeout=100, env={
        "BELLJAR_URL": nobody, "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.path.join(ROOT, "clients", "python")})
    t.check(done.returncode == 1 and "is belljar serve running?" in done.stderr, done.stderr)


def main():
    with BuiltIn(sys.argv[1]) as service:
        globals()["SERVICE"] = service
        run([the_example_says_what_it_should, without_a_service_it_says_so])


EXAMPLE, PACKAGES = sys.argv[2], sys.argv[3]
sys.argv[3:] = []
SOURCE = os.path.join(ROOT, "examples", EXAMPLE)
if EXAMPLE.endswith(".py"):
    COMMAND = ["/usr/bin/python3", SOURCE]
    main()
else:
    with compile_typescript(PACKAGES, SOURCE) as FOLDER:
        COMMAND = [node(), os.path.join(FOLDER, EXAMPLE.replace(".ts", ".js"))]
        main()
