# SPDX-License-Identifier: Apache-2.0
# clang.mk - the clangs of this machine that make programs for the kernel: CLANGS, oldest first, and CLANG, the one in
# use.
CLANGS := $(foreach name,clang-14 clang-15 clang-16 clang-17 clang-18 clang-19 clang,$(shell command -v $(name)))
CLANG  ?= $(firstword $(CLANGS) clang-14)
