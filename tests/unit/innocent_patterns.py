#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""innocent_patterns.py ASK: texts made from the pattern of each rule are not innocent.

A pattern says what its rule finds; so texts are drawn from it at random, with other words around
them.  Whatever the redactor changes must not be innocent: else it would come out as it is.
"""
import random
import subprocess
import sys
try:
    from re import _parser as parser, _constants as constants
except ImportError:  # before Python 3.11
    import sre_parse as parser
    import sre_constants as constants

ASK = sys.argv[1]
EACH = 60
AROUND = [("", ""), ("use ", " now"), ("x=1; ", ";"), ("\\n", "\\n"), ('{"a": "', '"}'), ("a%20", ""),
          ("(", ")"), ("- ", ","), ("/", "/")]
PRINTABLE = [chr(c) for c in range(0x20, 0x7f)]
# Found by hand: its own pattern is too loose to draw from.
DRAWN_FROM = {"ipv6": "(?:[0-9a-f]{1,4}:){1,5}:(?:[0-9a-f]{1,4}:){0,1}[0-9a-f]{1,4}"}
chance = random.Random(4)


def one_of(items, fold):
    """A character of a class."""
    allowed, negated = [], False
    for kind, value in items:
        if kind is constants.NEGATE:
            negated = True
        elif kind is constants.LITERAL:
            allowed.append(chr(value))
        elif kind is constants.RANGE:
            allowed += [chr(c) for c in range(value[0], value[1] + 1)]
        else:
            raise ValueError(f"class with {kind}")
    if negated:
        allowed = [c for c in PRINTABLE if c not in allowed]
    return turn(chance.choice(allowed), fold)


def turn(char, fold):
    return chance.choice([char.lower(), char.upper()]) if fold else char


def draw(tree, fold):
    """A text that the pattern matches, but for what is around it."""
    text = ""
    for kind, value in tree:
        if kind is constants.LITERAL:
            text += turn(chr(value), fold)
        elif kind is constants.NOT_LITERAL:
            text += chance.choice([c for c in PRINTABLE if ord(c) != value])
        elif kind is constants.IN:
            text += one_of(value, fold)
        elif kind is constants.MAX_REPEAT:
            least, most, inner = value
            most = min(int(most), least + chance.choice([0, 1, 3, 20]))
            for _ in range(chance.randint(least, max(least, most))):
                text += draw(inner, fold)
        elif kind is constants.BRANCH:
            text += draw(chance.choice(value[1]), fold)
        elif kind is constants.SUBPATTERN:
            text += draw(value[3], fold)
        elif kind is not constants.AT:
            raise ValueError(f"pattern with {kind}")
    return text


def main():
    rules = subprocess.run([ASK, "rules"], capture_output=True, text=True, check=True).stdout
    texts, owner = [], []
    for line in rules.splitlines():
        name, pattern = line.split("\t", 1)
        fold = pattern.startswith("(?i)")
        tree = parser.parse(DRAWN_FROM.get(name, pattern))
        for _ in range(EACH):
            before, behind = chance.choice(AROUND)
            texts.append(before + draw(tree, fold) + behind)
            owner.append(name)
    told = subprocess.run([ASK, "texts"], input="\n".join(texts) + "\n", capture_output=True,
                          text=True, check=True).stdout.splitlines()
    names = list(dict.fromkeys(owner))
    print(f"1..{len(names)}")
    failed = 0
    for number, name in enumerate(names, 1):
        rows = [(t, *map(int, s.split())) for t, s, o in zip(texts, told, owner) if o == name]
        wrong = [text for text, innocent, changed in rows if innocent and changed]
        found = sum(changed for _, _, changed in rows)
        for text in wrong[:3]:
            print(f"# innocent, but changed: {text!r}")
        if not found:
            print("# no text of its own was found by the redactor: this shows nothing")
        good = not wrong and found
        failed += not good
        print(f"{'ok' if good else 'not ok'} {number} - {name}: {found} of {len(rows)} found")
    return 1 if failed else 0


sys.exit(main())
