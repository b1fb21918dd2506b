# SPDX-License-Identifier: Apache-2.0
# run: "-m"
# args: ["json.tool"]
# stdin: "{\"a\": 1}"
