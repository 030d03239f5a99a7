// SPDX-License-Identifier: Apache-2.0
/**
 * For a publisher's servers: SETUP, REMOVE, PROBE and TRIGGER along the path to a user, with
 * nothing of NetServ installed on this host. {@link org.netserv.publisher.PublisherClient} is where
 * to begin.
 */
package org.netserv.publisher;
