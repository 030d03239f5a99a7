# SPDX-License-Identifier: Apache-2.0
# tree.sh - sourced by the launcher: the checkout itself. Uses $here and die.

# Refuses a checkout under a name that the shell, make or a class path takes apart.
check_tree() {
    case $here in
        *[[:space:]\'\"\$\#\:\;\*\?\[\\\%\&\|\<\>\(\)]*)
            die "the checkout is in '$here'; make and class paths take such a name apart: move it to a path without blanks, quotes or any of \$ # : ; * ? [ \\ % & | < > ( )"
            ;;
    esac
}

# Refuses to build where nothing can be written, before anything is.
check_writable() {
    writable_or_new "$here/target" || die "cannot write to $here/target as $(id -un): $(why_not_writable)"
}

writable_or_new() { # writable_or_new DIRECTORY
    if [ -e "$1" ]; then [ -d "$1" ] && [ -w "$1" ]; else [ -w "${1%/*}" ]; fi
}

why_not_writable() {
    if [ "$(id -u)" -eq 0 ]; then
        echo "the file system is read-only; copy the checkout to one that is not"
    else
        echo "the checkout was built by another user; build it as that user, or remove target/ as that user"
    fi
}

# Refuses to test where other users cannot enter: tests run parts of the node as users without privileges.
check_reachable() {
    directory=$here
    while [ -n "$directory" ]; do
        case $(stat -c %A "$directory") in
            *[xt]) ;;
            *) die "tests run parts of the node as other users, who may not enter $directory; move the checkout, for example to /srv" ;;
        esac
        directory=${directory%/*}
    done
}
