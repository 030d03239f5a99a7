# SPDX-License-Identifier: Apache-2.0
# libbpf.mk - LIBBPF is not empty if libbpf is here and new enough, which is 0.4: it has tc.
LIBBPF := $(shell grep -ls bpf_tc_attach /usr/include/bpf/libbpf.h)
