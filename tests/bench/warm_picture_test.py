#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""warm_picture_test.py - the picture is XML with every row in it, true lengths, and nothing that is fetched."""
import os
import sys
import xml.etree.ElementTree as ElementTree

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "serve", "roles"))
from tapping import run  # noqa: E402
from warm_picture import draw  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"


def row(name, title, us, bare, ratio, **more):
    return dict({"name": name, "title": title, "median_us": us, "bare": bare, "bare_median_us": us / ratio,
                 "ratio": ratio, "not_warm": 0}, **more)


TOLD = {
    "machine": {"kernel": "6.1 <a&b>", "cores": 2, "processor": "A \"quick\" one"}, "rounds": 7, "rest_ms": 30,
    "rows": [{"name": "bare_python", "title": "python3 -c 'print(2+2)'", "median_us": 16000.0},
             row("print", "print(2+2), whole <answer>", 3200.0, "bare_python", 0.2),
             row("slow", "slower & cold", 32000.0, "bare_python", 2.0, not_warm=3),
             dict(row("never", "not measured", 1.0, "bare_python", 1.0), ratio=None)],
    "crowd": {"clients": 16, "per_second": 600.0, "bare_per_second": 150.0, "ratio": 4.0},
    "sleepers": {"alive": 1000, "each_mib": 0.9},
}


def texts(tree):
    return [e.text for e in tree.iter(SVG + "text")]


def every_row_is_there(t):
    said = texts(ElementTree.fromstring(draw(TOLD)))
    for words in ("print(2+2), whole <answer>", "slower & cold", "calls a second, 16 clients", "16.0 ms",
                  "3.20 ms, 0.2 x", "32.0 ms, 2 x (not warm)", "600/s, 4.0 x", "150/s"):
        t.check(words in said, (words, said))
    t.check(any("1000 Python sessions asleep: 0.90 MiB" in s for s in said), said)
    t.check(not any("not measured" in s for s in said), said)


def lengths_are_ratios(t):
    tree = ElementTree.fromstring(draw(TOLD))
    widths = {kind: [float(e.get("width")) for e in tree.iter(SVG + "rect") if e.get("class") == kind]
              for kind in ("bare", "ours")}
    for i, ratio in enumerate((0.2, 2.0, 4.0)):
        seen = widths["ours"][i] / widths["bare"][i]
        t.check(abs(seen / ratio - 1) < 0.02, (ratio, seen))
    room = float(tree.get("width"))
    t.check(all(float(e.get("x")) + float(e.get("width")) < room for e in tree.iter(SVG + "rect")), widths)


def it_tells_how_it_was_made_and_fetches_nothing(t):
    drawn = draw(TOLD)
    t.check("<!-- made by: make bench" in drawn, drawn[:300])
    t.check(any("Made by: make bench" in s for s in texts(ElementTree.fromstring(drawn))), drawn)
    t.check("prefers-color-scheme: dark" in drawn, "light alone")
    for word in ("<script", "href", "url(", "@import", "<image", "<foreignObject"):
        t.check(word not in drawn, word)


def a_bench_without_crowd_and_sessions_is_drawn(t):
    drawn = draw(dict(TOLD, crowd=None, sleepers=None))
    t.check("16 clients" not in drawn and "asleep" not in drawn, drawn)
    t.check(ElementTree.fromstring(drawn) is not None, drawn)


run([every_row_is_there, lengths_are_ratios, it_tells_how_it_was_made_and_fetches_nothing,
     a_bench_without_crowd_and_sessions_is_drawn])
