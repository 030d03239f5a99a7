// SPDX-License-Identifier: Apache-2.0
/** Checks whether the modules on the edges answer users. */
package org.netserv.origin.health;
