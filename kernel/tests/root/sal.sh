#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The programs of Serval in the kernel, by BPF_PROG_TEST_RUN.
timeout -k 5 120 "$NS_HELPERS/sal" "$NS_PROGRAMS/sal_flow.bpf.o"
