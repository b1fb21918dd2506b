#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# setup.sh run|test|bench|lint|fuzz: install the Debian packages that this purpose needs.
#
# Says what is missing and why before it installs anything, asks for sudo only
# when not root, and is silent and quick when nothing is missing.
set -eu

purpose=${1:-run}

# package (a|b: either will do), purposes, what it is for
packages() {
	cat <<'TABLE'
gcc               run,test,bench,lint,fuzz  compiles belljar
libc6-dev         run,test,bench,lint,fuzz  headers of the C library and of the kernel
musl-dev          run,test,bench,lint,fuzz  the C library inside belljar and belljar-call: they start in half the time
meson             run,test,bench,lint,fuzz  describes the build
ninja-build       run,test,bench,lint,fuzz  does the build
pkgconf           run,test,bench,lint,fuzz  finds libraries for the build
libpython3-dev    run,test,bench,lint,fuzz  headers for what a warm Python loads
python3           run,test,bench,lint       runs inside the boxes of the tour and of the tests
libssl-dev        run,test,bench,lint,fuzz  SHA-256 and the signatures of the audit log
libjansson-dev    run,test,bench,lint,fuzz  reads JSON
libfyaml-dev      run,test,bench,lint,fuzz  reads the policy's YAML
libpcre2-dev      run,test,bench,lint,fuzz  matches patterns
libutf8proc-dev   run,test,bench,lint,fuzz  normalises identifiers
libsqlite3-dev    run,test,bench,lint,fuzz  the index of the audit log
libllhttp-dev|node-llhttp run,test,bench,lint,fuzz  reads HTTP requests (Debian 12: as C sources)
zlib1g-dev        run,test,bench,lint,fuzz  OpenSSL needs it when it is linked in
libzstd-dev       run,test,bench,lint,fuzz  OpenSSL needs it when it is linked in
libvectorscan-dev run,test,bench,lint,fuzz  finds many patterns at once in output
curl              run,test                  makes the calls that make run prints and the README shows
npm               run,test,bench,lint,fuzz  fetches the syntax parsers (third-party/)
g++               test                      compiles a program in C++ with belljar.h
clang             test,fuzz                 the second compiler that must accept the tree
clang-format      test,lint                 checks the layout of the source
clang-tidy        test,lint                 checks the source for mistakes
cppcheck          test,lint                 checks the source for mistakes
nodejs            test,bench                runs the tests of the TypeScript client, and the bench of warm boxes
mandoc            test,lint                 checks the manual pages
shellcheck        test,lint                 checks the scripts
zsh               test                      completes words in the test of its completion
libtest-json-schema-acceptance-perl test      carries the official JSON Schema Test Suite
strace            test                      shows that no role is refused what it needs
bubblewrap        test,bench                the other side of some tests and of the bench
crun              bench                     the other side of the bench
valgrind          bench                     counts instructions
runc              bench                     the other side of the bench
python3-numpy     test,bench                what many snippets import; warm, copied, and bare in the bench
libclang-rt-dev   fuzz                      the fuzzing engine and the sanitizers of clang
TABLE
}

is_installed() {
	# npm comes in more than one package: what counts is that it is there.
	# So does node; the tests take Debian's place for it.
	if [ "$1" = npm ] && command -v npm >/dev/null; then return 0; fi
	if [ "$1" = nodejs ] && [ -x /usr/bin/node ]; then return 0; fi
	dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

is_known() {
	apt-cache show "$1" >/dev/null 2>&1
}

# Prints the lines of the table that this purpose needs and that are not there.
missing() {
	packages | while read -r names purposes why; do
		case ",$purposes," in *",$purpose,"*) ;; *) continue ;; esac
		found=no
		for name in $(echo "$names" | tr '|' ' '); do
			if is_installed "$name"; then found=yes; fi
		done
		if [ $found = no ]; then echo "$names $why"; fi
	done
}

# The first of "a|b" that this release of Debian has.
choose() {
	for name in $(echo "$1" | tr '|' ' '); do
		if is_known "$name"; then
			echo "$name"
			return
		fi
	done
	echo "setup: this release has no package $1" >&2
	return 1
}

as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		echo "setup: not root and there is no sudo; run as root: $*" >&2
		exit 1
	fi
}

# What apt says is of interest only when it fails.
apt() {
	if as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@" \
		>"$log" 2>&1; then
		return 0
	fi
	tail -n 20 "$log" >&2
	return 1
}

case $purpose in
run | test | bench | lint | fuzz) ;;
*)
	echo "usage: setup.sh run|test|bench|lint|fuzz" >&2
	exit 2
	;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
	echo "setup: not a Debian system; going on without installing anything. 'make $purpose' needs:"
	packages | while read -r names purposes why; do
		case ",$purposes," in *",$purpose,"*) echo "  $names: $why" ;; esac
	done
	exit 0
fi

wanted=$(missing)
if [ -z "$wanted" ]; then
	exit 0
fi

echo "setup: 'make $purpose' needs Debian packages that are missing; installing:"
echo "$wanted" | while read -r names why; do printf '  %-18s %s\n' "$names" "$why"; done
if [ "$(id -u)" -ne 0 ]; then
	echo "setup: not root, so sudo may ask for your password"
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# A fresh container has no package lists at all.
unknown=no
for names in $(echo "$wanted" | cut -d' ' -f1); do
	choose "$names" >/dev/null 2>&1 || unknown=yes
done
if [ $unknown = yes ]; then
	apt update
fi

chosen=
for names in $(echo "$wanted" | cut -d' ' -f1); do
	chosen="$chosen $(choose "$names")"
done
# Package lists that are merely old point to files that are gone: refresh them once.
# shellcheck disable=SC2086  # a list of package names
if ! apt install -y --no-install-recommends $chosen; then
	echo "setup: the package lists may be old; updating them and trying once more"
	apt update
	apt install -y --no-install-recommends $chosen
fi
