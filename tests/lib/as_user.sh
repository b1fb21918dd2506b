#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# as_user.sh PROGRAM: runs it as an ordinary user, if we are not one already.
set -eu
program=$(realpath "$1")
if [ "$(id -u)" -ne 0 ]; then
	exec "$program"
fi
if ! command -v setpriv >/dev/null; then
	echo '1..0 # SKIP setpriv is not installed'
	exit 0
fi
cd / # the directory we are in may be root's
exec setpriv --reuid=61235 --regid=61235 --clear-groups -- "$program"
