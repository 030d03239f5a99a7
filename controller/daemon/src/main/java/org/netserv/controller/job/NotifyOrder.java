// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.job;

/**
 * The XML-RPC call {@code netserv.notify(module, version, node-id, status, reason)} to be made at
 * an end state.
 */
public record NotifyOrder(
    String user,
    String url,
    String module,
    String version,
    String nodeId,
    int status,
    String reason) {}
