#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The program that routes serviceIDs, in the network of programs.sh, with the vectors of the module service-router.
NS_VECTORS=$(cd "$(dirname "$0")/../vectors" && pwd)
export NS_VECTORS
. "$(dirname "$0")/programs.sh"
