# SPDX-License-Identifier: Apache-2.0
# env: {"TZ": "Asia/Tokyo"}
import time, datetime
print(time.tzname, time.timezone, datetime.datetime.fromtimestamp(0))
