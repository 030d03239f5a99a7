/* SPDX-License-Identifier: Apache-2.0 */
#include "cookies.h"

#include "ns_bytes.h"

#define PROBES 8u /* places that a flowID may have among those that are spent */

/* --- SipHash --- */

static uint64_t turn(uint64_t word, unsigned bits) {
    return word << bits | word >> (64 - bits);
}

static void rounds(uint64_t v[4], unsigned count) {
    while (count-- > 0) {
        v[0] += v[1];
        v[1] = turn(v[1], 13) ^ v[0];
        v[0] = turn(v[0], 32);
        v[2] += v[3];
        v[3] = turn(v[3], 16) ^ v[2];
        v[0] += v[3];
        v[3] = turn(v[3], 21) ^ v[0];
        v[2] += v[1];
        v[1] = turn(v[1], 17) ^ v[2];
        v[2] = turn(v[2], 32);
    }
}

static uint64_t word_of(const uint8_t *bytes, size_t length) {
    uint64_t word = 0;

    for (size_t i = 0; i < length; i++)
        word |= (uint64_t)bytes[i] << 8 * i;
    return word;
}

static void mix(uint64_t v[4], uint64_t word) {
    v[3] ^= word;
    rounds(v, 2);
    v[0] ^= word;
}

uint64_t ns_sal_siphash(const uint64_t key[2], const uint8_t *bytes, size_t length) {
    uint64_t v[4] = {key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du, key[0] ^ 0x6c7967656e657261u,
                     key[1] ^ 0x7465646279746573u};
    size_t at = 0;

    for (; length - at >= 8; at += 8)
        mix(v, word_of(bytes + at, 8));
    mix(v, word_of(bytes + at, length - at) | (uint64_t)length << 56);
    v[2] ^= 0xff;
    rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* --- numbers --- */

enum part { IDENTITY, NONCE, PLACE };

#define INPUT (1 + 1 + 8 + 16 + 4 + 4 + 8 + NS_SAL_ID)

static uint64_t hash(const struct ns_sal_cookies *cookies, uint8_t input[INPUT], enum part part) {
    input[0] = (uint8_t)part;
    return ns_sal_siphash(cookies->key, input, INPUT);
}

static void numbers(const struct ns_sal_cookies *cookies, struct ns_sal_cookie *cookie,
                    const struct ns_sal_opening *opening, uint32_t verno, unsigned choice, uint64_t minute) {
    uint8_t input[INPUT];
    uint64_t drawn;

    input[1] = (uint8_t)choice;
    ns_put64(input + 2, minute);
    memcpy(input + 10, opening->address.ip, 16);
    ns_put32(input + 26, opening->flow);
    ns_put32(input + 30, verno);
    ns_put64(input + 34, opening->nonce);
    memcpy(input + 42, opening->service, NS_SAL_ID);
    drawn = hash(cookies, input, IDENTITY);
    cookie->numbers =
        (struct ns_sal_identity){(uint32_t)(drawn >> 32), (uint32_t)drawn, hash(cookies, input, NONCE), 0};
    drawn = hash(cookies, input, PLACE);
    cookie->name = (uint32_t)(drawn >> 32);
    cookie->draw = (uint32_t)drawn;
}

void ns_sal_cookies_issue(const struct ns_sal_cookies *cookies, struct ns_sal_cookie *cookie,
                          const struct ns_sal_opening *syn, unsigned choice, uint64_t now) {
    numbers(cookies, cookie, syn, syn->verno, choice, now / NS_SAL_COOKIE_MS);
}

bool ns_sal_cookies_proven(const struct ns_sal_cookies *cookies, struct ns_sal_cookie *cookie,
                           const struct ns_sal_opening *opening, const struct ns_sal_message *ack, uint64_t now) {
    for (unsigned i = 0; i < 2 * NS_SAL_COOKIE_CHOICES; i++) {
        numbers(cookies, cookie, opening, ack->verno - 1, i / 2, now / NS_SAL_COOKIE_MS - i % 2);
        if (cookie->numbers.id == ack->destination && cookie->numbers.verno + 1 == ack->ackno)
            return true;
    }
    return false;
}

/* --- what is spent --- */

static unsigned place_of(uint32_t id, unsigned probe) {
    return (id + probe) % NS_SAL_SPENT; /* flowIDs are hashes themselves */
}

static uint32_t seconds(uint64_t now) {
    return (uint32_t)(now / 1000);
}

bool ns_sal_cookies_is_spent(const struct ns_sal_cookies *cookies, uint32_t id, uint64_t now) {
    for (unsigned i = 0; i < PROBES; i++) {
        const struct ns_sal_spent *spent = &cookies->spent[place_of(id, i)];

        if (spent->id == id && spent->until > seconds(now))
            return true;
    }
    return false;
}

bool ns_sal_cookies_spend(struct ns_sal_cookies *cookies, uint32_t id, uint64_t now) {
    for (unsigned i = 0; i < PROBES; i++) {
        struct ns_sal_spent *spent = &cookies->spent[place_of(id, i)];

        if (spent->id != 0 && spent->until > seconds(now))
            continue;
        *spent = (struct ns_sal_spent){id, seconds(now + 2 * NS_SAL_COOKIE_MS) + 1};
        return true;
    }
    return false;
}
