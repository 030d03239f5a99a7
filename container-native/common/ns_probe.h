/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns_probe.h - which layers of isolation this machine gives.
 * Each is tried for real, in a child that ends with the try.
 */
#ifndef NS_PROBE_H
#define NS_PROBE_H

#include "ns_layer.h"

/*
 * 0 = containers can have it; else an errno that says why not. Of
 * `cgroup`, `rules` and `java` it knows nothing: 0. Root only.
 */
int ns_probe_layer(enum ns_layer layer);

#endif
