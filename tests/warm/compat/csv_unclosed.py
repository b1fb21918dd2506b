# SPDX-License-Identifier: Apache-2.0
# after: "out.txt"
import csv
f = open("out.txt", "w", newline="")
w = csv.writer(f)
w.writerow([1, 2])
