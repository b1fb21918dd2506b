# SPDX-License-Identifier: Apache-2.0
import threading
threading._shutdown = lambda: print("my shutdown")
