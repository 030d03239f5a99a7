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
trap '"$NETSERV/netserv" lab down "$name" >/dev/null 2>&1 || true; rm -rf "$directory"' EXIT

cd "$directory"
sed -n '/^```sh$/,/^```$/p' "$page" | sed '/^```/d' >commands.sh
[ -s commands.sh ] || { echo "no commands in $page" >&2; exit 1; }
bash -eux -o pipefail commands.sh
echo "$page: $(grep -c . commands.sh) lines followed to the end"
