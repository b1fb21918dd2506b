# SPDX-License-Identifier: Apache-2.0
# args: ["x"]
import argparse
p = argparse.ArgumentParser()
p.add_argument("n", type=int)
print(p.parse_args())
