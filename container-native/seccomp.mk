# SPDX-License-Identifier: Apache-2.0
# The tables of system calls in common/ns_seccomp.c, made from policies/seccomp for every Makefile that includes this. A
# profile with an error in it fails the build.
SECCOMP_HERE := $(dir $(lastword $(MAKEFILE_LIST)))
SECCOMP = $(patsubst %,$(OUT)/made/seccomp_%.inc,container job process packet bpfd sald)

$(OUT)/made/seccomp_container.inc: $(SECCOMP_HERE)../policies/seccomp/container.deny
$(OUT)/made/seccomp_job.inc: $(SECCOMP_HERE)../policies/seccomp/container.deny
$(OUT)/made/seccomp_job.inc: BUT = -v but=execve
$(OUT)/made/seccomp_process.inc: $(addprefix $(SECCOMP_HERE)../policies/seccomp/,container.deny process.deny)
$(OUT)/made/seccomp_process.inc: BUT = -v but=execve
$(OUT)/made/seccomp_packet.inc: $(SECCOMP_HERE)../policies/seccomp/packet.allow
$(OUT)/made/seccomp_bpfd.inc: $(SECCOMP_HERE)../policies/seccomp/bpfd.allow
$(OUT)/made/seccomp_sald.inc: $(SECCOMP_HERE)../policies/seccomp/sald.allow
$(SECCOMP): $(OUT)/made/seccomp_%.inc: $(SECCOMP_HERE)common/seccomp.awk
	@mkdir -p $(@D)
	awk -v table=ns_seccomp_$* $(BUT) -f $(SECCOMP_HERE)common/seccomp.awk $(filter-out %.awk,$^) >$@.new
	mv $@.new $@
