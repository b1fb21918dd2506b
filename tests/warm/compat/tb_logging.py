# SPDX-License-Identifier: Apache-2.0
import logging
try:
    int("x")
except ValueError:
    logging.exception("failed")
logging.warning("w %d", 1)
logging.info("not shown")
