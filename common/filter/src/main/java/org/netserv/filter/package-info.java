// SPDX-License-Identifier: Apache-2.0
/**
 * Filters: the packets that go to a module, as the controller grants them and tells the spawner.
 */
package org.netserv.filter;
