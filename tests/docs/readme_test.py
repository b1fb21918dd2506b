#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""readme_test.py BELLJAR FILE...: the examples in the documents do what they show.

A ```sh block right after a line "<!-- test -->" is a transcript: "$ " begins a
command, "> " continues it, everything else is the output that must come.
Each block is one TAP test and runs in one shell in an empty directory.
"""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
import patience

BLOCK = re.compile(r"^<!-- test -->\n```sh\n(.*?)^```$", re.M | re.S)


def commands(block):
    """[(command, expected output)]"""
    steps = []
    for line in block.splitlines():
        if line.startswith("$ "):
            steps.append([line[2:], ""])
        elif line.startswith("> "):
            steps[-1][0] += "\n" + line[2:]
        else:
            steps[-1][1] += line + "\n"
    return steps


def script(steps, mark):
    """All commands in one shell, a mark before the output of each."""
    return "".join("printf '%s\\n'\n%s\n" % (mark, command) for command, _ in steps)


def run(belljar, steps):
    mark = "=====next====="
    env = dict(os.environ, PATH=os.path.dirname(belljar) + ":" + os.environ["PATH"])
    with patience.scratch() as where, patience.scratch() as state:
        os.chmod(where, 0o755)
        env["BELLJAR_STATE"] = state
        for name in ("BELLJAR_POLICY", "BELLJAR_AUDIT", "XDG_STATE_HOME"):
            env.pop(name, None)
        done = subprocess.run(
            ["/bin/sh"], input=script(steps, mark), text=True, cwd=where, env=env,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    return done.stdout.split(mark + "\n")[1:]


def check(belljar, steps):
    """The first difference as text, or None."""
    try:
        outputs = run(belljar, steps)
    except subprocess.TimeoutExpired:
        return "did not end"
    for (command, expected), got in zip(steps, outputs):
        if got != expected:
            return "%s\nexpected:\n%s\ngot:\n%s" % (command, expected, got)
    return None if len(outputs) == len(steps) else "the shell ended early"


def no_box_here(belljar):
    """Why the host cannot have a box, or None; anything else is for the tests to find."""
    probe = subprocess.run([belljar, "run", "--json", "--", "true"],
                           stdout=subprocess.PIPE, text=True)
    try:
        error = json.loads(probe.stdout)["error"]
    except (ValueError, KeyError):
        return None
    return error["text"] if error and error["kind"] == "config" else None


def main():
    belljar, documents = os.path.abspath(sys.argv[1]), sys.argv[2:]
    blocks = [(d, b) for d in documents for b in BLOCK.findall(open(d).read())]
    if not blocks:
        print("Bail out! no examples found")
        return 1
    reason = no_box_here(belljar)
    if reason:
        print("1..0 # SKIP no box on this host: " + reason)
        return 0
    print("1..%d" % len(blocks))
    failed = 0
    for number, (document, block) in enumerate(blocks, 1):
        steps = commands(block)
        complaint = check(belljar, steps)
        title = "%s: %s" % (os.path.basename(document), steps[0][0].splitlines()[0].replace("#", "+"))
        if complaint:
            failed += 1
            print("\n".join("# " + line for line in complaint.splitlines()))
        print("%s %d - %s" % ("not ok" if complaint else "ok", number, title), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
