#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# as_user.sh PROGRAM ARGS...: runs it as an ordinary user, if we are not one already.
set -eu
if [ "$(id -u)" -ne 0 ]; then
	exec "$@"
fi
if ! command -v setpriv >/dev/null; then
	echo '1..0 # SKIP setpriv is not installed'
	exit 0
fi
cd /
exec setpriv --reuid=61235 --regid=61235 --clear-groups -- "$@"
