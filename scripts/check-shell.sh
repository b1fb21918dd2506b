#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check-shell.sh: the scripts are sound.
. "$(dirname "$0")/lint.sh"
need shellcheck
# SC2016: a program for awk in single quotes means its dollars.
sources '*.sh' | xargs shellcheck --exclude=SC2016 --external-sources --source-path=SCRIPTDIR .ci/run
