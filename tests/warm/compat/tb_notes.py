# SPDX-License-Identifier: Apache-2.0
e = ValueError("x")
if hasattr(e, "add_note"):
    e.add_note("a note")
raise e
