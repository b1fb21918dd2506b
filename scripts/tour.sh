#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tour.sh BUILD: real runs and calls of the belljar in BUILD, each with its command and what it says.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
belljar=$(realpath "$build")/src/belljar

bold='' dim='' off=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
	esc=$(printf '\033')
	bold="${esc}[1m" dim="${esc}[2m" off="${esc}[0m"
fi

status=$(mktemp)
state=$(mktemp -d)
trap 'rm -rf "$status" "$state"' EXIT

# The account is one JSON object; a few of its fields tell the story.
account() {
	/usr/bin/python3 - "$1" <<'PYTHON'
import json, sys

a = json.load(open(sys.argv[1]))
if a["error"]:
    print("  status %s, %s" % (a["status"], a["error"]["kind"]))
    sys.exit(1)
use = a["resource_usage"]
if a["exit_code"] is not None:
    end = "exit code %d" % a["exit_code"]
else:
    end = "killed by SIG%s" % a["signal_name"] if a["signal_name"] else "no exit code"
why = ", kill_reason %s" % a["kill_reason"] if a["kill_reason"] else ""
asked = [layer for layer in a["layers"].values() if layer["detail"] != "not asked for"]
on = sum(layer["state"] != "off" for layer in asked)
print("  status %s%s, %s" % (a["status"], why, end))
print("  ran %.0f ms, cpu %.0f ms, memory peak %.1f MiB, %d of %d layers in force" % (
    a["execution_time_ms"], use["cpu_user_ms"] + use["cpu_system_ms"],
    use["memory_peak_bytes"] / 2**20, on, len(asked)))
PYTHON
}

# Words as they would be typed: quoted where the shell asks for it.
typed() {
	printf '  $ belljar'
	for word in "$@"; do
		case $word in
		*[!A-Za-z0-9_./=:-]*) printf " '%s'" "$word" ;;
		*) printf ' %s' "$word" ;;
		esac
	done
	printf '\n'
}

# show TITLE WORDS...: run "belljar WORDS..." and show everything.
show() {
	title=$1
	shift
	printf '\n%s%s%s\n' "$bold" "$title" "$off"
	typed "$@"
	word=$1
	shift
	: >"$status"
	"$belljar" "$word" --quiet --status-fd 3 "$@" 3>"$status" 2>&1 | sed 's/^/  | /'
	printf '%s' "$dim"
	if ! account "$status"; then
		printf '%s\nbelljar could not run this here; the line above says why.\n' "$off"
		exit 1
	fi
	printf '%s' "$off"
}

# show_call TITLE WORDS...: the same for a call, which says by itself what it has to say.
show_call() {
	title=$1
	shift
	printf '\n%s%s%s\n' "$bold" "$title" "$off"
	typed "$@"
	# Not by a policy of the caller's own, and with counters and a log that nobody else uses.
	BELLJAR_POLICY='' BELLJAR_STATE=$state BELLJAR_AUDIT=$state/audit "$belljar" "$@" 2>&1 | sed 's/^/  | /'
}

echo "A short tour of belljar: code that nobody has read runs behind glass. These are real runs;"
echo "belljar is $build/src/belljar."

show '1. A Python snippet runs sealed' \
	run --lang python -c 'import os, socket
print("6 * 7 =", 6 * 7)
print("I am uid", os.getuid(), "on host", socket.gethostname(), "in", os.getcwd())
print("environment:", sorted(os.environ))
print("processes I can see:", [p for p in os.listdir("/proc") if p.isdigit()])'

show '2. It tries to reach the network' \
	run --lang python -c 'import socket
socket.create_connection(("192.0.2.1", 443), timeout=5)'

show '3. It takes all the memory it can get' \
	run --memory 64m --lang python -c 'hoard = []
while True:
    hoard.append(b"x" * 1000000)'

show '4. It never ends' \
	run --wall 1s --lang python -c 'while True: pass'

show_call '5. An agent calls a tool, and the built-in policy allows it' \
	call run_command --arg 'command=echo one two three | wc -w'

show_call '6. It asks for something else, and is told why not' \
	call run_command --arg 'command=ls; rm -rf /'

printf '\nThe whole account is one JSON object: %s run --json -- true\n' "$build/src/belljar"
printf 'A policy of your own begins with:       %s policy init\n' "$build/src/belljar"
printf 'What this machine can and cannot do:    %s doctor\n' "$build/src/belljar"
