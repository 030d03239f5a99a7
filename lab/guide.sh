#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# guide.sh PAGE - follows a guide as a new user would: every ```sh block of the page, in order, from an empty directory.
# Exit status 0 only if every command of the page succeeds. Its testbed is taken away in any case.
set -eu
NETSERV=$(cd "$(dirname "$0")/.." && pwd)
export NETSERV
page=$(realpath "$1")
name=$(basename "$page" .md)
directory=$(mktemp -d)

clean() {
    "$NETSERV/netserv" lab down "$name" >/dev/null 2>&1 || true
    awk -v below="$directory/" 'index($2, below) == 1 { print $2 }' /proc/mounts | xargs -r umount
    rm -rf "$directory"
}
trap clean EXIT

cd "$directory"
sed -n '/^```sh$/,/^```$/p' "$page" | sed '/^```/d' >commands.sh
[ -s commands.sh ] || { echo "no commands in $page" >&2; exit 1; }
bash -eux -o pipefail commands.sh
echo "$page: $(grep -c . commands.sh) lines followed to the end"
