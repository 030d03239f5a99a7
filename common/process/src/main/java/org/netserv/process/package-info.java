// SPDX-License-Identifier: Apache-2.0
/**
 * The parts that each Java daemon of a node has: its log, its signals, limits by name and by
 * source, and the manager of overload.
 */
package org.netserv.process;
