// SPDX-License-Identifier: Apache-2.0
/**
 * Expressions over packets in the syntax of pcap-filter(7), compiled to classic BPF for a firewall
 * rule: text from the network becomes at most 64 instructions, without any native code on the way.
 */
package org.netserv.filter.pcap;
