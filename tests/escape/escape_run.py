#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""escape_run.py - runs every hostile program twice: in a box, and without the wall it attacks.

usage: escape_run.py root|user BELLJAR PROGRAMS [WORD]

In the box the program must say that it tried, and exit with 1: blocked.  Without the wall the same
program must exit with 0: it works.  Where it does not work without the wall either, the row is
skipped with the reason, never passed.  WORD runs only the rows whose name holds it.  Speaks TAP.
"""

import os
import sys
import time
import traceback

from escape_host import Fail, Host, Skip, need_layer
from escape_rows import simple_rows
from escape_special import special_rows


FILLED = os.environ.get("BOX_WARM", "")  # who waited in the box; empty: nobody


def check_box(row, host):
    more = row.more(host) if row.more else {}
    if row.listed is None:
        return host.attack(row.program, row.args, row.options, **more)
    path = os.path.join(host.bin, row.program)
    listed = ["--programs", ",".join([path, *row.listed])]
    return host.box([path, *row.args], [*listed, *row.options], **more)


def check_start(row, boxed):
    """Was it really filled ahead, as this run of the tests is to show?"""
    if not FILLED or boxed.account["start"] is None:
        return
    how = boxed.account["start"]["how"]
    if "--loopback" in row.options:
        wanted = ("cold",)
    elif FILLED == "python" and row.listed is None and not {"--programs", "--write"} & set(row.options):
        wanted = ("waiting",)
    else:
        wanted = ("sealed", "cold")
    if how not in wanted:
        raise Fail(f"the box was filled otherwise than wanted: {boxed.account['start']}")


def run_simple(row, host):
    """The twin first: the box's answer is judged even where the twin cannot be shown."""
    twin_args = row.args if row.twin_args is None else row.twin_args
    more = row.more(host) if row.more else {}
    reason = None
    try:
        if FILLED:
            boxed = check_box(row, host)
            check_start(row, boxed)
            if boxed.code == 0 and row.needs:
                need_layer(boxed, row.needs)
            if boxed.code == 2:
                raise Skip(f"cannot be tried here: {last_line(boxed.output)}")
            if boxed.code != 1 or "# tried: " not in boxed.output:
                raise Fail(f"not blocked, but: {boxed}")
            return
        twin = host.bare(row.program, twin_args, row.twin, **more)
        if twin.code != 0:
            reason = f"does not work without the wall here ({row.twin}): {last_line(twin.output)}"
    except Skip as skip:
        reason = str(skip)
    boxed = check_box(row, host)
    if boxed.code == 0:
        if row.needs:
            need_layer(boxed, row.needs)
        raise Fail(f"the attack succeeded: {boxed}")
    if reason and boxed.code == 2:
        raise Skip(reason)
    if boxed.code != 1 or "# tried: " not in boxed.output:
        raise Fail(f"not blocked, but: {boxed}")
    if reason:
        raise Skip(f"blocked, but {reason}")


def last_line(text):
    lines = text.strip().splitlines()
    return lines[-1].lstrip("# ") if lines else "no output"


def report(number, name, run, host):
    """One TAP line; returns whether it counts against us."""
    start = time.monotonic()
    try:
        run(host)
        print(f"ok {number} - {name}")
    except Skip as skip:
        print(f"ok {number} - {name} # SKIP {' '.join(str(skip).split())}")
    except Exception as fail:  # one broken row must not hide the others
        text = str(fail) if isinstance(fail, Fail) else traceback.format_exc()
        print(f"not ok {number} - {name}")
        print("".join(f"# {line}\n" for line in text.splitlines()), end="")
        return True
    finally:
        if time.monotonic() - start > 2:
            print(f"# took {time.monotonic() - start:.1f} s")
        sys.stdout.flush()
    return False


def all_rows(host):
    rows = [(f"{row.wall}: {row.program} {' '.join(map(str, row.args))}".strip(),
             lambda h, row=row: run_simple(row, h)) for row in simple_rows(host)]
    return rows + special_rows(host)


def run_rows(host, word):
    rows = [row for row in all_rows(host) if word in row[0]]
    print(f"1..{len(rows) + 1}")
    if report(1, "a box starts", Host.find_options, host):
        print("Bail out! no box starts")
        return 1
    failed = 0
    for number, (name, run) in enumerate(rows, 2):
        failed += report(number, name.replace(host.top, "TOP").replace("#", ""), run, host)
    return 1 if failed else 0


def main(argv):
    if len(argv) not in (4, 5) or argv[1] not in ("root", "user"):
        print(__doc__, file=sys.stderr)
        return 2
    if argv[1] == "root" and os.geteuid() != 0:
        print("1..0 # SKIP root mode needs root")
        return 0
    host = Host(argv[1], os.path.abspath(argv[2]), argv[3])
    try:
        return run_rows(host, argv[4] if len(argv) == 5 else "")
    finally:
        host.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv))
