# SPDX-License-Identifier: Apache-2.0
# keys.awk - makes request.c's table of keys from orders.keys. Fails at a line that it does not understand.
function verb(order) {
    gsub(/-/, "_", order)
    return toupper(order)
}

function fail(why) {
    print FILENAME ":" FNR ": " why > "/dev/stderr"
    failed = 1
    exit 1
}

/^(#|$)/ { next }
$1 == "list" && NF == 1 { next } # an order without keys
NF < 3 { fail("not ORDER KEY KIND") }
{
    count = split($1, orders, ",")
    verbs = ""
    for (i = 1; i <= count; i++) verbs = verbs (i > 1 ? " | " : "") "VERB(" verb(orders[i]) ")"
    optional = $NF == "optional"
    least = most = offset = "0"
    if ($3 == "NUMBER") {
        if (NF != 5 + optional || $4 !~ /^[0-9]+$/ || $5 !~ /^[0-9]+$/) fail("not NUMBER LEAST MOST")
        least = $4 "u"
        most = $5 "u"
        offset = $2
        gsub(/-/, "_", offset)
        offset = "FIELD(" offset ")"
    } else if (NF != 3 + optional) fail("too many words")
    printf "    {%s, %s, \"%s\", %s, %s, %s, %s},\n", verbs, $3, $2, offset, least, most, optional ? "true" : "false"
}
END { exit failed }
