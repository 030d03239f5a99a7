// SPDX-License-Identifier: Apache-2.0
/** Counters of the director. */
package org.netserv.origin.count;
