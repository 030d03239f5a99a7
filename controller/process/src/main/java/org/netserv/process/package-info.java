// SPDX-License-Identifier: Apache-2.0
/** What each Java daemon of a node has: its log, its signals, limits of rates by name. */
package org.netserv.process;
