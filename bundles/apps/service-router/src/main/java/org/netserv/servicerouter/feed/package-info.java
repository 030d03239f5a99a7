// SPDX-License-Identifier: Apache-2.0
/**
 * The feeders of a router's table, and the registrations of a router itself.
 *
 * <pre>
 *   Parents    registers at other routers the prefixes that this router announces
 * </pre>
 */
package org.netserv.servicerouter.feed;
