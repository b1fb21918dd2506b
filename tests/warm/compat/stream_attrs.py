# SPDX-License-Identifier: Apache-2.0
import sys
for s in (sys.stdin, sys.stdout, sys.stderr):
    print(s, s.name, s.mode, s.encoding, s.errors, s.newlines, s.line_buffering, s.write_through, s.isatty(), s.seekable(), s.fileno(), type(s.buffer).__name__, s.closed)
print(sys.stdin is sys.__stdin__, sys.stdout is sys.__stdout__)
