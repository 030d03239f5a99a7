// SPDX-License-Identifier: Apache-2.0
/** Prefixes with users, and how long ago they came. */
package org.netserv.origin.users;
