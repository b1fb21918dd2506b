#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""session.py - a box that stays: variables, files and processes between calls.

    PYTHONPATH=clients/python /usr/bin/python3 examples/session.py
"""
import sys

from belljar import ApiError, Belljar


def main() -> None:
    with Belljar() as jar, jar.session("execute_code", language="python") as session:
        session.put("numbers.txt", "3\n1\n2\n")
        session.code("numbers = sorted(int(line) for line in open('numbers.txt'))")
        print(session.code("print(numbers)").output.strip())

        for event in session.stream_code("for n in numbers: print('seen', n, flush=True)"):
            if event.name == "stdout":
                print(event.text, end="")

        print([entry["name"] for entry in session.list()])


if __name__ == "__main__":
    try:
        main()
    except (ApiError, OSError) as error:
        sys.exit(f"is belljar serve running? {error}")
