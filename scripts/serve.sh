#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# serve.sh BUILD: the service of the belljar in BUILD, with the built-in policy, until Ctrl-C.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}

# A policy that the environment names is for the belljar that is installed.
unset BELLJAR_POLICY
exec "$(realpath "$build")/src/belljar" serve ${LISTEN:+--listen "$LISTEN"}
