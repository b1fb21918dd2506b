#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""contained_test.py BELLJAR CORPUS-DIR: what screening lets through ends in the box, without effect.

Each piece marked "contained" is really run. Afterwards the host's files are as they were, no program
outside the list has run, and the call has ended by itself or by a limit. The twin at the end
opens the wall for one program: there the same command lines do have their effect.
"""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
import patience

BELLJAR, CORPUS = os.path.realpath(sys.argv[1]), sys.argv[2]
PROGRAMS = ["ls?", "cat?", "echo?", "grep?", "find?", "sort?", "sed?", "rg?", "git?", "ping?", "jq?"]
LIMITS = "{ wall: 3s, cpu: 2s, memory: 64M, disk: 8M, processes: 16, output: 4000 }"
results = []


def check(name, true, detail="", skip=None):
    results.append(true or skip)
    print(f"{'ok' if true or skip else 'not ok'} {len(results)} - {name}{f' # SKIP {skip}' if skip else ''}")
    true = true or skip
    if not true:
        print(f"#   {detail}", flush=True)


def pieces(file):
    with open(os.path.join(CORPUS, file), encoding="utf-8") as f:
        for part in re.split(r"^=== ", f.read(), flags=re.M)[1:]:
            head, _, text = part.partition("\n")
            name, _, expect = head.partition(" | ")
            if expect.startswith("contained"):
                words = [w[1:].split(",") for w in expect.split() if w.startswith("+")]
                yield name, text.rstrip("\n"), words[0] if words else None


def write_policy(at, fixtures):
    mounts = ", ".join(f'"{fixtures}/{n}:/work/{n}"' for n in ("x", "y"))
    every = [p.rstrip("?") for p in PROGRAMS]
    with open(at, "w", encoding="utf-8") as f:
        f.write(f"""version: 1
{'allow_degraded: [own_uid, memory, processes, cpu]' if os.geteuid() else ''}
clients: {{ c: {{ uid: any, tools: ["*"] }} }}
tools:
  code: {{ kind: code, languages: [python], screen: {{ mode: off }}, rate: unlimited, limits: {LIMITS} }}
  wall: {{ kind: command, programs: [{', '.join(PROGRAMS)}], rate: unlimited, limits: {LIMITS}, read: [{mounts}],
          screen: {{ allow: [pipe, list, glob, write_to] }} }}
  open: {{ kind: command, programs: [{', '.join(p + '?' for p in every + ['id', 'sh'])}], rate: unlimited,
          limits: {LIMITS}, read: [{mounts}] }}
""")


def call(policy, state, tool, args):
    run = subprocess.run(
        [BELLJAR, "call", tool, "--policy", policy, "--state", state, "--json", "--args", "-"],
        input=json.dumps(args), capture_output=True, text=True, timeout=60, check=False)
    try:
        return json.loads(run.stdout)
    except json.JSONDecodeError:
        return {"status": "no answer", "stdout": {"data": ""}, "stderr": {"data": run.stderr}}


def fingerprint(directory):
    found = {}
    for name in sorted(os.listdir(directory)):
        with open(os.path.join(directory, name), "rb") as f:
            found[name] = hashlib.sha256(f.read()).hexdigest()
    return found


def said(answer):
    return answer["stdout"]["data"] + answer["stderr"]["data"]


def not_installed(text):
    program = text.split()[0]
    return None if shutil.which(program) else f"{program} is not installed here"


def untouched(before, fixtures):
    return (fingerprint(fixtures) == before and not os.path.exists("/tmp/pwned")
            and not os.path.exists("/usr/bin/evil"))


def main():
    with patience.scratch(dir="/var/tmp") as base:
        fixtures, policy, state = (os.path.join(base, n) for n in ("fixtures", "policy.yaml", "state"))
        os.mkdir(fixtures)
        for name in ("x", "y"):
            with open(os.path.join(fixtures, name), "w", encoding="utf-8") as f:
                f.write("test\nb\na\n")
        write_policy(policy, fixtures)
        before = fingerprint(fixtures)
        ended = {"success", "error", "timeout", "resource_exceeded"}
        for name, text, _ in pieces("command-hostile.corpus"):
            answer = call(policy, state, "wall", {"command": text})
            check(name, answer["status"] in ended and "uid=" not in said(answer)
                  and untouched(before, fixtures), answer, not_installed(text))
        for name, text, _ in pieces("python-hostile.corpus"):
            answer = call(policy, state, "code", {"code": text})
            check(name, answer["status"] in ended and untouched(before, fixtures), answer)
        for text in ("find . -name x -exec id ';'", "sed '1e id' x"):
            answer = call(policy, state, "open", {"command": text})
            check(f"twin: {text}", "uid=" in said(answer), answer)
    print(f"1..{len(results)}")


main()
