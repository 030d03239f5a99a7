// SPDX-License-Identifier: Apache-2.0
/** A topology for a testbed of real machines: the request for a slice, and its install script. */
package org.netserv.lab.testbed.export;
