# SPDX-License-Identifier: Apache-2.0
"""terminal.py - what a program says to a terminal."""
import os
import pty
import subprocess


def said_to_terminal(command, errors=False, **spawn):
    """Its standard output, and with errors its standard error as well, as bytes."""
    ours, theirs = pty.openpty()
    if errors:
        spawn["stderr"] = theirs
    process = subprocess.Popen(command, stdout=theirs, **spawn)
    os.close(theirs)
    text = b""
    try:
        while chunk := os.read(ours, 65536):
            text += chunk
    except OSError:
        pass  # the terminal is gone with its last writer
    os.close(ours)
    process.wait(timeout=60)
    return text
