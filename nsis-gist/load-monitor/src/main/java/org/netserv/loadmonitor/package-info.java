// SPDX-License-Identifier: Apache-2.0
/**
 * The receiving entity of overload control (RFC 6357): a process beside a SIP server that measures
 * its load, has the module Overload Control deployed toward the users, and tells the edges how much
 * may pass.
 *
 * <pre>
 *   MonitorProcess   the process            MonitorConfig  its file
 *   LoadMonitor      one step               MonitorMachine its states
 *   ProcfsProbe      looks at the server    Regulator      how much it can take
 *   DatagramRegulator, RateControl          by UDP
 *   StreamRegulator, WindowControl          by TCP
 *   Edge, Shares     the edges              FeedbackSocket datagrams to them and back
 *   PathDeployer     SETUP and REMOVE
 * </pre>
 */
package org.netserv.loadmonitor;
