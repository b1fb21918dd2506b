# SPDX-License-Identifier: Apache-2.0
# after: "out.txt"
import logging
logging.basicConfig(filename="out.txt", level=logging.INFO)
logging.info("to file")
