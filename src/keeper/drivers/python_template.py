# SPDX-License-Identifier: Apache-2.0
# python_template.py - runs in an interpreter in which no snippet of a caller's ran: prepares it to become a template.
#
# Whoever makes it runs snippets of its own before and after this, so that everything that an
# interpreter learns by running them is known: what is the same in all copies is in memory once.
# It is laid into the file when it is told to rest the next time, in the state in which it waits.
# Finds: channel, session, nonce, and what is in python_given.py.
import gc
import os

TIMES = 20  # enough for whatever changes while it is run often


def practise():
    """What each copy does first."""
    session.env = b"".join(name + b"=" + value + b"\0" for name, value in os.environb.items())
    for _ in range(TIMES):
        session.wake(channel, session.env)
        session.rest(channel)


def prepare():
    channel.say(nonce, 0, None)
    library, file = take_given()
    session.copier = load(library)
    os.close(library)
    practise()
    gc.collect()
    gc.freeze()
    session.copier.lay(file, channel.fd)


prepare()
