// SPDX-License-Identifier: Apache-2.0

/** The limits of publishers: which of them have been met, how often, and who is told. */
package org.netserv.controller.limit;
