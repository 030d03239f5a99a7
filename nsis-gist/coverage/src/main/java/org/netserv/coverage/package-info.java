// SPDX-License-Identifier: Apache-2.0
/** Nodes and the addresses that they cover: one deployment of a module for each edge node. */
package org.netserv.coverage;
