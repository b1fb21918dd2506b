# SPDX-License-Identifier: Apache-2.0
import signal
for n in sorted(signal.valid_signals()):
    h = signal.getsignal(n)
    if h is not signal.SIG_DFL:
        print(n, h)
print(signal.pthread_sigmask(signal.SIG_BLOCK, []), signal.set_wakeup_fd(-1))
