// SPDX-License-Identifier: Apache-2.0
/**
 * The process that a SIP provider runs beside its Kamailio. It deploys modules toward user agents,
 * once for each edge node: {@link org.netserv.provider.Provider}.
 */
package org.netserv.provider;
