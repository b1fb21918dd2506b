# SPDX-License-Identifier: Apache-2.0
# after: "out.txt"
import json
json.held = open("out.txt", "w")
json.held.write("held by json")
