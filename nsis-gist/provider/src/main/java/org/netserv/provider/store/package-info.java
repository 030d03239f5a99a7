// SPDX-License-Identifier: Apache-2.0
/** The provider's memory across restarts. */
package org.netserv.provider.store;
