# SPDX-License-Identifier: Apache-2.0
"""warm_picture.py [JSON] - the picture of what warm_bench.py measured: plain SVG for light and dark pages.

Each thing has two bars: grey is the bare start of the same, as long for each of them; the other is belljar.
"""
import json
import sys
from xml.sax.saxutils import escape

COMMAND = "make bench"
WIDTH, LEFT, BARS, TOP, STEP = 900, 300, 420, 74, 46
STYLE = """\
text { font: 14px -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; fill: #1f2328; }
.title { font-size: 18px; font-weight: 600; }
.small { font-size: 12px; fill: #59636e; }
.bare { fill: #b8bfc6; }
.ours { fill: #0a7d5a; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .small { fill: #9198a1; }
  .bare { fill: #4d555e; }
  .ours { fill: #2fbf8f; }
}"""


def ms(us):
    value = us / 1e3
    return "%.0f ms" % value if value >= 100 else "%.1f ms" % value if value >= 10 else "%.2f ms" % value


def text(x, y, words, kind=""):
    return '<text x="%d" y="%d"%s>%s</text>' % (x, y, ' class="%s"' % kind if kind else "", escape(words))


def bar(x, y, width, kind):
    return '<rect class="%s" x="%d" y="%d" width="%.1f" height="14" rx="2"/>' % (kind, x, y, max(width, 1.5))


def pair(y, title, note, bare, ours):
    """bare and ours: a share of the longest bar, and words."""
    out = [text(16, y + 13, title), text(16, y + 30, note, "small")] if note else [text(16, y + 20, title)]
    for share, words, kind, at in ((*bare, "bare", y), (*ours, "ours", y + 16)):
        out.append(bar(LEFT, at, share * BARS, kind))
        out.append(text(int(LEFT + max(share * BARS, 1.5) + 8), at + 12, words,
                        "small" if kind == "bare" else ""))
    return out


def pairs(told):
    """(title, note, bare, ours) of everything that can be drawn."""
    titles = {r["name"]: r["title"] for r in told["rows"]}
    rows = [r for r in told["rows"] if r.get("ratio") is not None]
    scale = max([1.0] + [r["ratio"] for r in rows])
    found = []
    for r in rows:
        words = "%s, %.2g x" % (ms(r["median_us"]), r["ratio"])
        if r["not_warm"]:
            words += " (not warm)"
        found.append((r["title"], "against " + titles[r["bare"]], (1 / scale, ms(r["bare_median_us"])),
                      (r["ratio"] / scale, words)))
    crowd = told.get("crowd")
    if crowd:
        most = max(crowd["per_second"], crowd["bare_per_second"])
        found.append(("calls a second, %d clients" % crowd["clients"], "against bare starts a second",
                      (crowd["bare_per_second"] / most, "%.0f/s" % crowd["bare_per_second"]),
                      (crowd["per_second"] / most, "%.0f/s, %.1f x" % (crowd["per_second"], crowd["ratio"]))))
    return found


def draw(told):
    rows, m, y = pairs(told), told["machine"], TOP
    out = []
    for row in rows:
        out += pair(y, *row)
        y += STEP
    sleepers = told.get("sleepers")
    if sleepers and sleepers["each_mib"] is not None:
        out.append(text(16, y + 14, "%d Python sessions asleep: %.2f MiB of the machine's memory each" % (
            sleepers["alive"], sleepers["each_mib"])))
        y += 26
    captions = ["Medians of %d rounds, bare and sealed in turn, %d ms rest before each. Made by: %s" % (
        told["rounds"], told["rest_ms"], COMMAND),
        "Linux %s, %d cores, %s" % (m["kernel"], m["cores"], m["processor"])]
    head = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img">' % (
            WIDTH, y + 56, WIDTH, y + 56),
        "<!-- made by: %s (tests/bench/warm_bench.py) -->" % COMMAND,
        "<title>Sealed and warm against bare starts</title>",
        "<style>\n%s\n</style>" % STYLE,
        text(16, 30, "A sealed call against a bare start of the same", "title"),
        text(16, 52, "milliseconds, shorter is better; grey: started as it is, not sealed; green: through belljar",
             "small"),
    ]
    out += [text(16, y + 22 + 18 * i, words, "small") for i, words in enumerate(captions)]
    return "\n".join(head + out + ["</svg>"]) + "\n"


if __name__ == "__main__":
    with open(sys.argv[1]) as given:
        sys.stdout.write(draw(json.load(given)))
