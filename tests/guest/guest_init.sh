#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# First program of the guest: leaves the initramfs, in which pivot_root does not work, for a tmpfs.
mount -t tmpfs -o mode=755,size=75% tmpfs /new
for entry in /*; do
	case $entry in
	/new | /init) ;;
	*) cp -a "$entry" /new/ ;;
	esac
done
exec switch_root /new /guest/checks
