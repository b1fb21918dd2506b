# SPDX-License-Identifier: Apache-2.0
"""patience.py - directories in which a call leaves its scribe at work for some seconds."""
import contextlib
import shutil
import tempfile
import time


def remove(path, seconds=15):
    """The scribe goes when it is idle; until then it may make a file that was just removed."""
    until = time.monotonic() + seconds
    while True:
        try:
            shutil.rmtree(path)
            return
        except FileNotFoundError:
            return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)


@contextlib.contextmanager
def scratch(**where):
    path = tempfile.mkdtemp(**where)
    try:
        yield path
    finally:
        remove(path)
