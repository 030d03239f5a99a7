// SPDX-License-Identifier: Apache-2.0
/** Counters of a coverage, and of the process around it. */
package org.netserv.coverage.count;
