/* SPDX-License-Identifier: Apache-2.0 */
#include "dns.h"

#include "ns_bytes.h"

#define HEADER 12u
#define TYPE_A 1u
#define TYPE_AAAA 28u
#define CLASS_IN 1u
#define LABEL_MOST 63u

#define RESPONSE 0x8000u
#define OPCODE 0x7800u
#define AUTHORITATIVE 0x0400u
#define RECURSION_DESIRED 0x0100u
#define FORMAT_ERROR 1u
#define SERVER_FAILURE 2u
#define NAME_ERROR 3u
#define NOT_IMPLEMENTED 4u
#define REFUSED 5u

/* Reads the name behind the header. Returns the offset behind it, or 0 if it is no whole name of labels. */
static size_t read_name(const uint8_t *question, size_t length, char name[NS_SAL_NAME_MAX + 1]) {
    size_t at = HEADER, used = 0;

    for (;;) {
        size_t label = at < length ? question[at++] : LABEL_MOST + 1;

        if (label == 0)
            break;
        if (label > LABEL_MOST || label > length - at || used + label + 1 > NS_SAL_NAME_MAX)
            return 0; /* a pointer has no place in a question */
        if (used != 0)
            name[used++] = '.';
        for (size_t i = 0; i < label; i++) {
            uint8_t c = question[at++];

            if (c <= ' ' || c == '.' || c >= 0x7f)
                return 0;
            name[used++] = (char)c;
        }
    }
    name[used] = '\0';
    return at;
}

static size_t refuse(uint8_t *answer, const uint8_t *question, unsigned flags, unsigned code) {
    memset(answer, 0, HEADER);
    memcpy(answer, question, 2);
    ns_put16(answer + 2, RESPONSE | (flags & (OPCODE | RECURSION_DESIRED)) | code);
    return HEADER;
}

/* Appends a record that points to the name of the question. */
static size_t put_address(uint8_t *at, unsigned type, unsigned place) {
    unsigned size = type == TYPE_A ? 4 : 16;
    uint32_t address[4];

    ns_sal_surrogate_address(place, type == TYPE_A ? 4 : 6, address);
    ns_put16(at, 0xc000u | HEADER);
    ns_put16(at + 2, type);
    ns_put16(at + 4, CLASS_IN);
    ns_put32(at + 6, NS_SAL_DNS_SECONDS);
    ns_put16(at + 10, size);
    memcpy(at + 12, address, size);
    return 12 + size;
}

size_t ns_sal_dns_answer(struct ns_sal_names *names, const uint8_t *question, size_t length,
                         uint8_t answer[NS_SAL_DNS_MAX], uint64_t now) {
    char name[NS_SAL_NAME_MAX + 1];
    unsigned flags, type, class;
    const uint8_t *id;
    size_t end;
    int place = -1;

    if (length < HEADER || length > NS_SAL_DNS_MAX || (ns_get16(question + 2) & RESPONSE) != 0)
        return 0;
    flags = ns_get16(question + 2);
    if ((flags & OPCODE) != 0)
        return refuse(answer, question, flags, NOT_IMPLEMENTED);
    end = ns_get16(question + 4) == 1 ? read_name(question, length, name) : 0;
    if (end == 0 || length - end < 4)
        return refuse(answer, question, flags, FORMAT_ERROR);
    type = ns_get16(question + end);
    class = ns_get16(question + end + 2);
    id = ns_sal_names_find(names, name);
    if (id == NULL && !ns_sal_names_knows_suffix(names, name))
        return refuse(answer, question, flags, REFUSED); /* a resolver asks its next server then */
    if (id != NULL && class == CLASS_IN && (type == TYPE_A || type == TYPE_AAAA)) {
        place = ns_sal_surrogate_of(names, id, now);
        if (place < 0)
            return refuse(answer, question, flags, SERVER_FAILURE);
    }
    memcpy(answer, question, end + 4);
    memset(answer + 6, 0, 6);
    ns_put16(answer + 2, RESPONSE | AUTHORITATIVE | (flags & RECURSION_DESIRED) | (id == NULL ? NAME_ERROR : 0));
    end += 4;
    if (place < 0)
        return end;
    ns_put16(answer + 6, 1);
    return end + put_address(answer + end, type, (unsigned)place);
}
