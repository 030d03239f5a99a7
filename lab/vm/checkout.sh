# SPDX-License-Identifier: Apache-2.0
# checkout.sh - sourced by run.sh: this checkout, as it is built, on a disk of its own. Uses $here, $cache,
# $run and $command.

make_checkout() {
    mkdir "$run/tree"
    tar -C "$here" --exclude=./.git --exclude=./target/vm --exclude=./target/jdk25 --exclude=./target/test \
        --exclude='./target/lab-*' --exclude=surefire-reports -cf - . | tar -C "$run/tree" -xf -
    if has_own_programs; then
        rm -rf "$run/tree/target/dist/bin" "$run/tree/target/dist/kernel" "$run/tree/target/native/root" \
            "$run/tree/target/native/kernel"
        cp -a "$cache/target/dist" "$cache/target/native" "$run/tree/target/"
    fi
    mkdir -p "$run/tree/.lab-vm"
    printf '%s\n' "$command" >"$run/tree/.lab-vm/command"
    mke2fs -q -t ext4 -O ^has_journal -L checkout -d "$run/tree" "$run/checkout.img" 3G >"$run/disk.log"
    rm -rf "$run/tree"
}

# Removes what runs left that were killed: nobody holds their lock.
sweep_runs() {
    for left in "$here"/target/vm/run.*; do
        if [ -e "$left/lock" ] && ! flock -n "$left/lock" true; then continue; fi
        rm -rf "$left"
    done
}
