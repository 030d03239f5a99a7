/* SPDX-License-Identifier: Apache-2.0 */
/* wanted.h - the rules as they should be now, of containers, filters, signaling and the fast path. */
#ifndef NS_WANTED_H
#define NS_WANTED_H

#include "firewall.h"

extern const struct ns_firewall_source ns_wanted_rules;

#endif
