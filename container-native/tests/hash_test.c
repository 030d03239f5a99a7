/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the hash with the vectors that the authors of FNV publish, with and without a final zero byte. */
#include "ns_hash.h"
#include "ns_test.h"

NS_TEST(published_vectors) {
    static const struct {
        const char *text;
        uint64_t hash;
    } vectors[] = {
        {"", 0xcbf29ce484222325},      {"a", 0xaf63dc4c8601ec8c},      {"b", 0xaf63df4c8601f1a5},
        {"fo", 0x08985907b541d342},    {"foo", 0xdcb27518fed9d577},    {"foob", 0xdd120e790c2512af},
        {"fooba", 0xcac165afa2fef40a}, {"foobar", 0x85944171f73967e8},
    };

    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        NS_EQUAL(vectors[i].hash, ns_hash_text(NS_HASH_FIRST, vectors[i].text));
}

NS_TEST(a_final_zero_is_hashed_where_it_is_asked_for) {
    NS_EQUAL(0xaf63bd4c8601b7df, ns_hash(NS_HASH_FIRST, "", 1));
    NS_EQUAL(0x34531ca7168b8f38, ns_hash(NS_HASH_FIRST, "foobar", 7));
}

NS_TEST(pieces_hash_like_the_whole) {
    const char text[] = "foobar";

    for (size_t i = 0; i <= 6; i++)
        NS_EQUAL(0x85944171f73967e8, ns_hash(ns_hash(NS_HASH_FIRST, text, i), text + i, 6 - i));
}

NS_TEST(a_high_byte_is_not_a_negative_one) {
    NS_EQUAL(ns_hash(NS_HASH_FIRST, "\x80", 1), (NS_HASH_FIRST ^ 0x80) * 0x100000001b3u);
}

int main(void) {
    NS_RUN(published_vectors);
    NS_RUN(a_final_zero_is_hashed_where_it_is_asked_for);
    NS_RUN(pieces_hash_like_the_whole);
    NS_RUN(a_high_byte_is_not_a_negative_one);
    return ns_test_end();
}
