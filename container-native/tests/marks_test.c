/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the marks that a node accepts: T is the operator's choice, S stands above it, O and K are fixed. */
#include "ns_marks.h"
#include "ns_test.h"

#include <string.h>

static bool wrong(uint32_t turned, uint32_t copy, const char *part) {
    const char *why = ns_marks_wrong(turned, copy);

    return why != NULL && strstr(why, part) != NULL;
}

/* Beside the bits of O and K, for T = 0x00080000 S would be the bit of K. */
NS_TEST(each_bit_is_taken_but_four) {
    for (unsigned bit = 0; bit < 32; bit++) {
        uint32_t mark = 1u << bit;
        bool refused = bit == 19 || bit == 20 || bit == 21 || bit == 31;

        NS_EQUAL(refused, ns_marks_wrong(mark, mark << 1) != NULL);
    }
    NS_CHECK(wrong(0x00200000, 0x00400000, "turned packets is 0x00200000"));
    NS_CHECK(wrong(0x00100000, 0x00200000, "samples is 0x00200000"));
    NS_CHECK(wrong(0x00100000, 0x00400000, "turned packets is 0x00100000"));
    NS_CHECK(wrong(0x00080000, 0x00100000, "samples is 0x00100000"));
    NS_CHECK(wrong(0x80000000, 0, "no higher bit"));
}

NS_TEST(a_mark_is_one_bit_and_another_than_the_other) {
    NS_CHECK(wrong(0, 1, "turned packets is not one bit"));
    NS_CHECK(wrong(0x00c00000, 0x01800000, "turned packets is not one bit"));
    NS_CHECK(wrong(UINT32_MAX, 1, "turned packets is not one bit"));
    NS_CHECK(wrong(1, 6, "samples is not one bit"));
    NS_CHECK(wrong(8, 8, "the same mark"));
    NS_CHECK(ns_marks_wrong(0x80000000, 1) == NULL);
}

NS_TEST(a_number_is_read_whole) {
    static const char *const bad[] = {"",
                                      "0",
                                      "-1",
                                      "+1",
                                      "1x",
                                      "0x",
                                      "one",
                                      "4294967296",
                                      "0x100000000",
                                      "1 ",
                                      " 1",
                                      "1e3",
                                      "0x1000000000000000000000"};
    uint32_t mark = 7;

    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        NS_EQUAL(-1, ns_mark_read("mark", bad[i], &mark));
        NS_EQUAL(7, mark);
    }
    NS_EQUAL(0, ns_mark_read("mark", "0x40000000", &mark));
    NS_EQUAL(0x40000000, mark);
    NS_EQUAL(0, ns_mark_read("mark", "4294967295", &mark));
    NS_EQUAL(UINT32_MAX, mark);
}

int main(void) {
    NS_RUN(each_bit_is_taken_but_four);
    NS_RUN(a_mark_is_one_bit_and_another_than_the_other);
    NS_RUN(a_number_is_read_whole);
    return ns_test_end();
}
