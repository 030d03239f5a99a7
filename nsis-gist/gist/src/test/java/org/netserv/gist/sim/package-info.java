// SPDX-License-Identifier: Apache-2.0
/** GIST nodes in a simulated network, in virtual time. */
package org.netserv.gist.sim;
