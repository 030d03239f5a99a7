// SPDX-License-Identifier: Apache-2.0
/** A complete GIST node, put together of its machines, for a program to start. */
package org.netserv.gist.node;
