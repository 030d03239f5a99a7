# SPDX-License-Identifier: Apache-2.0
#
# hardening.mk - included by every Makefile of C: flags that make a bug harder to use. tests/hardening_profile.sh looks
# for their effect in the programs. Sanitizers have checks of their own in place of _FORTIFY_SOURCE: UNFORTIFIED goes
# behind HARDENED.

# Level 3 knows the sizes that only run time tells; an older compiler or C library warns of it, and has 2.
FORTIFY := $(shell echo '\#include <features.h>' | $(CC) -O2 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -xc -E - >/dev/null 2>&1 \
             && echo 3 || echo 2)
# Indirect jumps land only where a jump may: CET on x86-64, BTI on arm64.
BRANCHES := $(if $(filter x86_64-%,$(shell $(CC) -dumpmachine)),-fcf-protection=full,$(if \
              $(filter aarch64-%,$(shell $(CC) -dumpmachine)),-mbranch-protection=standard))

HARDENED    = -fPIE -fstack-protector-strong -fstack-clash-protection $(BRANCHES) -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$(FORTIFY)
UNFORTIFIED = -U_FORTIFY_SOURCE
HARDENED_LD = -pie -Wl,-z,relro,-z,now -Wl,-z,noexecstack
