// SPDX-License-Identifier: Apache-2.0

/**
 * The limits of publishers: counts of the limits that have been met, and the listeners that are
 * told.
 */
package org.netserv.controller.limit;
