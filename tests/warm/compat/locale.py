# SPDX-License-Identifier: Apache-2.0
import locale, sys
print(locale.getlocale(), locale.getpreferredencoding(False), sys.getfilesystemencoding(), sys.getdefaultencoding(), sys.getfilesystemencodeerrors(), locale.setlocale(locale.LC_ALL))
