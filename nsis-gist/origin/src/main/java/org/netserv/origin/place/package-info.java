// SPDX-License-Identifier: Apache-2.0
/** Places of addresses, from a city database in MaxMind's format. */
package org.netserv.origin.place;
