#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""completions_test.py BELLJAR BASH ZSH: everything that --help offers completes in bash and zsh."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

BELLJAR = os.path.realpath(sys.argv[1])
BASH, ZSH = (os.path.realpath(path) for path in sys.argv[2:4])

# Each prints what would be offered for the last of its words.
IN_BASH = '''
compopt() { :; }
. "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_belljar
printf '%s\\n' "${COMPREPLY[@]}"
'''
IN_ZSH = '''
compadd() { local w; shift; for w; do [[ $w == $PREFIX* ]] && print -r -- $w; done; return 0 }
compset() { PREFIX=${PREFIX#*=} }
_files() { local -a found; [[ $1 == -/ ]] && found=($PREFIX*(N/)) || found=($PREFIX*(N)); print -rl -- $found }
_command_names() { print -rl -- ${^path}/$PREFIX*(N:t) }
file=$1; shift
words=("$@"); CURRENT=$#; PREFIX=$words[CURRENT]
. $file || true
'''


def offered(shell, *words, where=None):
    script, file = {"bash": (IN_BASH, BASH), "zsh": (IN_ZSH, ZSH)}[shell]
    command = [shell, "--norc", "--noprofile"] if shell == "bash" else [shell, "-f"]
    done = subprocess.run([*command, "-c", script, shell, file, "belljar", *words], cwd=where,
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0 and not done.stderr, (words, done)
    return set(done.stdout.split())


def told(*words):
    return subprocess.run([BELLJAR, *words, "--help"], capture_output=True, text=True, timeout=60,
                          check=True).stdout


def commands():
    return set(re.findall(r"^  ([a-z]+) ", told(), re.M))


def words_of(command):
    return set(re.findall(r"belljar %s ([a-z][a-z-]+)" % command, told(command)))


def options_of(*words):
    return set(re.findall(r"^ +(--?[a-z][a-z-]*)", told(*words), re.M))


def every_command_and_word_completes(shell):
    assert len(commands()) == 8, commands()
    assert offered(shell, "") == commands() | {"--help", "--version"}
    assert offered(shell, "d") == {"doctor"}
    for command in commands():
        words = words_of(command)
        if words:
            assert offered(shell, command, "") == words | {"--help"}, command
    assert offered(shell, "audit", "verify-") == {"verify-proof"}


def every_option_of_help_completes(shell):
    seen = 0
    for command in commands():
        for word in words_of(command) or {None}:
            words = (command, word) if word else (command,)
            options = options_of(*words)
            assert len(options) > 2, words
            assert offered(shell, *words, "-") == options, (words, offered(shell, *words, "-"), options)
            seen += len(options)
    assert seen > 100, seen
    assert offered(shell, "run", "--json", "--al") == {"--allow-degraded"}


def values_complete(shell):
    with tempfile.TemporaryDirectory() as where:
        os.mkdir(where + "/a dir")
        os.mkdir(where + "/adir")
        with open(where + "/afile", "w", encoding="ascii"):
            pass
        for words, expected in (
                (["run", "--lang", ""], {"python", "node", "bash"}),
                (["run", "--lang", "no"], {"node"}),
                (["screen", "--lang", "c"], {"command"}),
                (["run", "--proc", ""], {"full"}),
                (["run", "--read", "af"], {"afile"}),
                (["run", "--audit", "a"], {"a", "dir", "adir"}),  # split at the space
                (["run", "--root", "ho"], {"host"}),
                (["audit", "tail", "--log", "ad"], {"adir"}),
                (["audit", "verify-proof", "af"], {"afile"}),
                (["run", "--wall", ""], set()),
                (["run", "--wall", "3", "--lang", "bash", "af"], {"afile"}),
                (["run", "--", "ls", "--wall", "af"], {"afile"}),
                (["call", "x", "--args", "af"], {"afile"})):
            found = offered(shell, *words, where=where)
            assert found == expected, (words, found)
        assert "ls" in offered(shell, "run", "--", "l", where=where)
        glued = ["run", "--lang", "=", "py"] if shell == "bash" else ["run", "--lang=py"]
        assert offered(shell, *glued) == {"python"}, offered(shell, *glued)


TESTS = [every_command_and_word_completes, every_option_of_help_completes, values_complete]


def main():
    print("1..%d" % (2 * len(TESTS)))
    failed = 0
    for number, (shell, test) in enumerate([(s, t) for s in ("bash", "zsh") for t in TESTS], 1):
        name = "%s in %s" % (test.__name__, shell)
        if not shutil.which(shell):
            print("ok %d - %s # SKIP there is no %s" % (number, name, shell))
            continue
        try:
            test(shell)
            print("ok %d - %s" % (number, name))
        except (AssertionError, subprocess.SubprocessError) as why:
            print("# %s" % str(why).replace("\n", "\n# "))
            print("not ok %d - %s" % (number, name))
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
