// SPDX-License-Identifier: Apache-2.0
/** A GIST node, put together of its machines: what a program starts. */
package org.netserv.gist.node;
