# SPDX-License-Identifier: Apache-2.0
class Stop(BaseException):
    pass
raise Stop("base")
