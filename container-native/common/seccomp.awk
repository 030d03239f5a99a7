# SPDX-License-Identifier: Apache-2.0
#
# policies/seccomp/*.deny, *.allow -> a struct ns_seccomp_profile of the name `table`, less the rules for the call
# `but`. The syntax is described in container.deny. Names of calls and constants are left to the C compiler, which
# knows them or fails.
#
#     awk -v table=NAME [-v but=CALL] -f seccomp.awk FILE

function fail(text) {
    printf "%s:%d: %s: %s\n", FILENAME, FNR, text, $0 > "/dev/stderr"
    failed = 1
    exit 1
}

function is_name(text) { return text ~ /^[A-Za-z_][A-Za-z0-9_]*$/ }
function is_value(text) { return is_name(text) || text ~ /^(0|[1-9][0-9]*|0[0-7]+|0x[0-9a-f]+)$/ }

# Every part of `list` between separators must be a value.
function check_list(list, separator,    parts, count, i) {
    count = split(list, parts, separator)
    if (count == 0 || count > 8)
        fail("one to eight values")
    for (i = 1; i <= count; i++)
        if (!is_value(parts[i]))
            fail("not a value: " parts[i])
    return count
}

# "arg1&0xf" "not" "A,B" -> "{1, NS_SECCOMP_NOT, 0xf, 2, {A, B}}"
function condition(subject, test, list,    parts, mask, count) {
    if (split(subject, parts, "&") > 2 || parts[1] !~ /^arg[0-5]$/)
        fail("not an argument: " subject)
    mask = subject ~ /&/ ? parts[2] : "0xffffffff"
    if (!is_value(mask))
        fail("not a mask: " subject)
    if (test == "has" || test == "lacks") {
        if (subject ~ /&/)
            fail("a mask and bits")
        check_list(list, "|")
        return sprintf("{%s, NS_SECCOMP_%s, %s, 1, {0}}", substr(parts[1], 4), test == "has" ? "NOT" : "IN", list)
    }
    if (test != "in" && test != "not")
        fail("not a test: " test)
    count = check_list(list, ",")
    return sprintf("{%s, NS_SECCOMP_%s, %s, %d, {%s}}", substr(parts[1], 4), toupper(test), mask, count, list)
}

BEGIN { allow = ARGV[1] ~ /\.allow$/ }

{ sub(/#.*/, "") }
NF == 0 { next }

$1 == "above" {
    if (allow || NF != 4 || $3 != "=" || $4 != "ENOSYS" || !is_name($2) || newest != "")
        fail("above CALL = ENOSYS, once, in a list of what is denied")
    newest = $2
    next
}

{
    error = allow ? "0" : "EPERM"
    arch = conditions = ""
    count = 0
    if (!is_name($1))
        fail("not a call")
    at = 2
    if ($at == "on") {
        arch = $(at + 1)
        if (arch != "x86_64" && arch != "aarch64")
            fail("not an architecture: " arch)
        at += 2
    }
    if ($at == "if") {
        do {
            if (++count > 2)
                fail("more than two conditions")
            conditions = conditions (count > 1 ? ", " : "") condition($(at + 1), $(at + 2), $(at + 3))
            at += 4
        } while ($at == "and")
    }
    if ($at == "=") {
        error = $(at + 1)
        if (allow || error !~ /^E[A-Z0-9]+$/)
            fail("not an error: " error)
        at += 2
    }
    if (at != NF + 1)
        fail("what is this: " $at)
    if (seen[$0]++)
        fail("twice")
    if ($1 == but)
        next
    line = sprintf("    {SYS_%s, %s, %d, {%s}},", $1, error, count, count > 0 ? conditions : "{0}")
    lines[++used] = arch == "" ? line : "#ifdef __" arch "__\n" line "\n#endif"
}

END {
    if (failed)
        exit 1
    if ((newest == "") != allow || used == 0) {
        print FILENAME ": no rules, or no \"above\"" > "/dev/stderr"
        exit 1
    }
    print "/* made from " FILENAME " by seccomp.awk */"
    print "static const struct ns_seccomp_rule " table "_rules[] = {"
    for (i = 1; i <= used; i++)
        print lines[i]
    print "};"
    printf "const struct ns_seccomp_profile %s = {\n    %s_rules, sizeof %s_rules / sizeof %s_rules[0], %s, %s};\n", table, table, table, table, \
        allow ? "0" : "SYS_" newest, allow ? "EPERM" : "0"
}
