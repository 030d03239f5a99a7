// SPDX-License-Identifier: Apache-2.0
/**
 * NetMonitor: counts packets and bytes by source, destination and TTL and pushes the counts to a
 * collector. {@code FlowTable} is shared by the packet thread and {@code ReportSender}; with {@code
 * KernelCounts} the kernel is in the packet thread's place.
 */
package org.netserv.netmonitor;
