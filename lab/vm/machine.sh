# SPDX-License-Identifier: Apache-2.0
# machine.sh - sourced by run.sh: the machine. Uses $cache, $run, $seconds and say.
#
# It has one processor, whose time is the number of its instructions, a nanosecond each, and jumps over idle times.
# So time-outs inside mean the same on any host, and figures repeat. The disks are NVDIMMs, private copies of the
# images: time would jump over the wait for any other disk.
#
# ttyS0 is the kernel's, into boot.log; ttyS1 the command's output; ttyS2 its exit status.

cpu="Westmere,+rdrand" # what Java's own code for AES wants, and no more: TCG is slow with AVX
boot="console=ttyS0 quiet panic=-1 mitigations=off tsc=reliable systemd.unit=lab-vm.target"

# Runs the machine to its end. It dies with this shell, however that ends.
run_machine() {
    # shellcheck disable=SC2086 # options are words
    setpriv --pdeathsig KILL timeout --kill-after=5 "$seconds" \
        setpriv --pdeathsig KILL qemu-system-x86_64 \
        -accel tcg,thread=single -icount shift=0,sleep=off -rtc clock=vm \
        -machine pc,nvdimm=on -cpu "$cpu" -smp 1 -m 4G,slots=2,maxmem=32G \
        -nodefaults -no-user-config -no-reboot -display none -nic none \
        -kernel "$cache/vmlinux" -initrd "$cache/initrd" -append "$boot" \
        -object "memory-backend-file,id=system,mem-path=$cache/disk.img,size=6G,share=off,reserve=off" \
        -object "memory-backend-file,id=checkout,mem-path=$run/checkout.img,size=3G,share=off,reserve=off" \
        -device nvdimm,memdev=system -device nvdimm,memdev=checkout \
        -serial "file:$run/boot.log" -chardev stdio,id=out,signal=off -serial chardev:out -serial "file:$run/status" \
        </dev/null 2>"$run/qemu.log" &
    machine=$!
    ended=0
    wait "$machine" || ended=$?
    machine=
}

# The command's exit status, or 124 with the reason.
exit_status() {
    status=$(tr -d '\r\n' <"$run/status" 2>/dev/null || true)
    case $status in
        '' | *[!0-9]*)
            if [ "$ended" -eq 124 ] || [ "$ended" -eq 137 ]; then
                say "the machine was ended after $seconds s (--seconds); the end of what it said:"
            else
                say "the machine ended without the command's status (qemu: $ended); the end of what it said:"
            fi
            tail -n 15 "$run/qemu.log" "$run/boot.log" >&2
            return 124
            ;;
    esac
    return "$status"
}
