# SPDX-License-Identifier: Apache-2.0
x = {"a": {"b": None}}
print(x["a"]["b"]["c"]["d"])
