/* SPDX-License-Identifier: Apache-2.0 */
/* json.h - the views of sald's control socket, one line of JSON each. */
#ifndef NS_SALD_JSON_H
#define NS_SALD_JSON_H

#include "sald.h"
#include <stdio.h>

#define NS_SAL_JSON_MOST 128u /* flows, rules or names of a view; the rest is counted */

void ns_sald_json_status(FILE *out, struct ns_sald *sald);
void ns_sald_json_flows(FILE *out, struct ns_sald *sald);
void ns_sald_json_services(FILE *out, struct ns_sald *sald);
void ns_sald_json_associations(FILE *out, struct ns_sald *sald);
void ns_sald_json_offers(FILE *out, struct ns_sald *sald);
void ns_sald_json_names(FILE *out, struct ns_sald *sald);

#endif
