/* SPDX-License-Identifier: Apache-2.0 */
/* order_services.h - the orders about rules: of services here, and of the ways to others (docs/protocols/sald.md). */
#ifndef NS_SALD_ORDER_SERVICES_H
#define NS_SALD_ORDER_SERVICES_H

#include "order.h"

bool ns_order_register(struct ns_order *order);
bool ns_order_unregister(struct ns_order *order);
bool ns_order_forward(struct ns_order *order);
bool ns_order_unforward(struct ns_order *order);
bool ns_order_drop(struct ns_order *order);
bool ns_order_undrop(struct ns_order *order);
bool ns_order_drain(struct ns_order *order);
bool ns_order_resume(struct ns_order *order);

#endif
