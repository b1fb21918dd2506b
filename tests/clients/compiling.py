# SPDX-License-Identifier: Apache-2.0
"""compiling.py - TypeScript to JavaScript with the pinned compiler; whoever lacks it skips its test."""
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile

from clienting import ROOT


def skip(why):
    print("1..0 # SKIP " + why)
    sys.exit(0)


def node():
    """Node 18 or newer, of the system."""
    path = shutil.which("node", path="/usr/bin:/usr/local/bin:/bin")
    if not path:
        skip("there is no node")
    version = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
    if int(version.lstrip("v").split(".")[0] or 0) < 18:
        skip("node is older than 18: " + version)
    return path


@contextlib.contextmanager
def compile_typescript(packages, source):
    """A folder with the client and source beside each other, compiled by the client's own rules."""
    compiler = os.path.join(packages, "node_modules", "typescript", "bin", "tsc")
    if not os.path.exists(compiler):
        skip("the TypeScript compiler is not there: scripts/client-packages.sh fetches it")
    with tempfile.TemporaryDirectory(prefix="belljar-ts-", dir="/var/tmp") as folder:
        client = os.path.join(ROOT, "clients", "typescript")
        os.symlink(os.path.join(packages, "node_modules"), os.path.join(folder, "node_modules"))
        for path in (os.path.join(client, "belljar.ts"), os.path.join(client, "tsconfig.json"),
                     os.path.join(client, "package.json")):
            shutil.copy(path, folder)
        with open(source) as text, open(os.path.join(folder, os.path.basename(source)), "w") as out:
            out.write(text.read().replace("../clients/typescript/belljar.js", "./belljar.js"))
        with open(os.path.join(folder, "tsconfig.test.json"), "w") as out:
            out.write('{"extends": "./tsconfig.json", "compilerOptions": {"outDir": "."}, '
                      '"files": ["belljar.ts", "%s"]}' % os.path.basename(source))
        done = subprocess.run([node(), compiler, "-p", "tsconfig.test.json"], cwd=folder)
        if done.returncode != 0:
            print("Bail out! it does not compile")
            sys.exit(1)
        yield folder
