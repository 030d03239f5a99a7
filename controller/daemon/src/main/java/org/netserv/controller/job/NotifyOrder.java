// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.job;

/**
 * An order to call {@code netserv.notify(module, version, node-id, status, reason)} by XML-RPC at
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
