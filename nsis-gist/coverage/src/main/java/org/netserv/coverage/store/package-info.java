// SPDX-License-Identifier: Apache-2.0
/** The state that outlives the process. */
package org.netserv.coverage.store;
