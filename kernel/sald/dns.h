/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dns.h - answers questions about names of services with surrogate addresses (RFC 1035). Pure: a question in, an answer
 * out. It knows the names of its list alone, so a host asks it for one suffix.
 */
#ifndef NS_SALD_DNS_H
#define NS_SALD_DNS_H

#include "names.h"

#define NS_SAL_DNS_MAX 512u   /* bytes of a question or an answer */
#define NS_SAL_DNS_SECONDS 5u /* lifetime of an answer */

/*
 * Answers a question: A and AAAA with the surrogate of the name, others with no record, an unknown name with NXDOMAIN.
 * Writes at most NS_SAL_DNS_MAX bytes. Returns the answer's length, or 0 if the question gets none.
 */
size_t ns_sal_dns_answer(struct ns_sal_names *names, const uint8_t *question, size_t length,
                         uint8_t answer[NS_SAL_DNS_MAX], uint64_t now);

#endif
