// SPDX-License-Identifier: Apache-2.0
/** Decides where a user is served. */
package org.netserv.origin.route;
