#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# view.sh FILE - a user looks at an image and a video: a line for each object, with its kind, the seconds to the first
# byte and to the last, its bytes and its URL in the end. @SERVER@ and @SEGMENTS@ are filled in by the demo.
set -eu
each='%{time_starttransfer} %{time_total} %{size_download} %{url_effective}\n'
kinds() { sed "s/^/$1 /"; }
one() { curl -fsSL -o /dev/null -w "$each" "$1"; }

{
    one "http://@SERVER@/image.jpg" | kinds image
    list=$(one "http://@SERVER@/video/list.m3u8")
    echo "$list" | kinds playlist
    base=${list##* }
    curl -fsSL -o /dev/null -w "$each" "${base%/*}/[0-@SEGMENTS@].ts" | kinds segment
} >"$1"
