#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The programs that answer by template, in the network of programs.sh.
. "$(dirname "$0")/programs.sh"
