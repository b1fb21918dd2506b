#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check-shell.sh: the scripts are sound.
. "$(dirname "$0")/lint.sh"
need shellcheck
sources '*.sh' | xargs shellcheck --external-sources --source-path=SCRIPTDIR .ci/run
