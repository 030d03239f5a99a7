// SPDX-License-Identifier: Apache-2.0
/** The user agents that Kamailio told of. */
package org.netserv.provider.agents;
