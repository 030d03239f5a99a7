// SPDX-License-Identifier: Apache-2.0
/** Exports counts as flows by IPFIX (RFC 7011), for the collectors that operators have. */
package org.netserv.netmonitor.ipfix;
