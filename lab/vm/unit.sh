# SPDX-License-Identifier: Apache-2.0
# unit.sh - sourced by run.sh: the units of the guest. No service of the packages is started, as on a node after set-up.

write_units() { # write_units ROOT
    mkdir -p "$1/netserv" "$1/etc/systemd/system"
    echo vm >"$1/etc/hostname"
    printf '127.0.0.1 localhost vm\n::1 localhost\n' >"$1/etc/hosts"
    echo 'LABEL=checkout /netserv ext4 noinit_itable,noatime 0 0' >"$1/etc/fstab"
    cat >"$1/etc/systemd/system/lab-vm.target" <<END
[Unit]
Description=The command of netserv lab vm
Requires=basic.target lab-vm.service
AllowIsolate=yes
END
    cat >"$1/etc/systemd/system/lab-vm.service" <<END
[Unit]
Description=The command of netserv lab vm
After=basic.target
RequiresMountsFor=/netserv
FailureAction=poweroff-immediate
SuccessAction=poweroff-immediate

[Service]
Type=oneshot
ExecStart=/bin/sh /netserv/lab/vm/job.sh
WorkingDirectory=/netserv
Delegate=yes
TimeoutStartSec=infinity
END
}
