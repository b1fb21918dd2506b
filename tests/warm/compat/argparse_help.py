# SPDX-License-Identifier: Apache-2.0
# args: ["--help"]
import argparse
p = argparse.ArgumentParser(description="d")
p.add_argument("--n", type=int, help="a number")
p.parse_args()
