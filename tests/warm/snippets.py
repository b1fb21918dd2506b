#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# snippets.py - the programs under compat/: how each wants to be started, and when two runs are the same.
#
# A snippet is a program.  Comments at its top say what is special:
#   run: "-c"        its text is an argument; "-m": only its arguments count
#   script: NAME     the word after python3 instead of main.py
#   args, env        arguments, variables beside the standard ones
#   stdin: TEXT      what it can read; null: /dev/null; (none: nothing, from a pipe)
#   file, link, zip  what lies beside it
#   bytes: TEXT      the program itself, a byte per character, if it could not be a file here
#   nonl             no newline at its end
#   after: NAME      the contents of this file count too
#   below: [3, 12]   only with an older python3 (what newer ones say here is an accident of theirs)
#   tofile           its output goes to a file
import json
import os
import re
import shutil
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
KEYS = {"run", "script", "args", "env", "stdin", "file", "link", "zip", "bytes", "nonl", "after", "tofile", "below"}


class Snippet:
    def __init__(self, path):
        self.name = os.path.basename(path)[:-3]
        with open(path, encoding="utf-8", newline="") as f:
            self.text = f.read()
        self.says = {}
        for line in self.text.split("\n"):
            found = re.match(r"# ([a-z]+): (.*)$", line)
            if found and found.group(1) in KEYS:
                self.says[found.group(1)] = json.loads(found.group(2))
            elif not line.startswith("#"):
                break

    def source(self):
        if "bytes" in self.says:
            return self.says["bytes"].encode("latin-1")
        text = self.text
        if self.says.get("nonl"):
            text = text.rstrip("\n")
        return text.encode()

    def body(self):
        """What -c gets: without the words for us."""
        lines = self.text.split("\n")
        while lines and (lines[0].startswith("# SPDX") or re.match("# [a-z]+: ", lines[0])) and "coding:" not in lines[0]:
            del lines[0]
        return "\n".join(lines).rstrip("\n")

    def argv(self):
        """The words after python3."""
        run = self.says.get("run")
        if run == "-c":
            first = ["-c", self.body()]
        elif run == "-m":
            first = ["-m"]
        else:
            first = [self.says.get("script", "link.py" if "link" in self.says else "main.py")]
        return first + self.says.get("args", [])

    def files(self):
        """name -> bytes, and one link."""
        found = {name: text.encode() for name, text in self.says.get("file", {}).items()}
        found[self.says.get("link", "main.py")] = self.source()
        return found

    def stdin(self):
        """bytes, or None for /dev/null"""
        text = self.says.get("stdin", "")
        return None if text is None else text.encode("utf-8", "surrogateescape")

    def lay_out(self, where):
        """An empty directory becomes the one it runs in."""
        for name in os.listdir(where):
            path = os.path.join(where, name)
            shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)
        for name, data in self.files().items():
            path = os.path.join(where, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as f:
                f.write(data)
        if "link" in self.says:
            os.symlink(self.says["link"], os.path.join(where, "link.py"))
        if "zip" in self.says:
            with zipfile.ZipFile(os.path.join(where, self.says["script"]), "w") as z:
                for name, text in self.says["zip"].items():
                    z.writestr(name, text)


def every(names=(), version=(3, 9)):
    where = os.path.join(HERE, "compat")
    for name in sorted(os.listdir(where)):
        if name.endswith(".py") and (not names or name[:-3] in names):
            snippet = Snippet(os.path.join(where, name))
            if version < tuple(snippet.says.get("below", (9,))):
                yield snippet


def plain(data):
    """Without what says nothing: addresses, process ids, counts of references."""
    data = re.sub(rb"\(pid=\d+\)", b"(pid=_)", data)
    data = re.sub(rb"object refcount : \d+", b"object refcount : _", data)
    return re.sub(rb"0x[0-9a-f]{6,}", b"0x_", data)
