// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.netserv.controller.job.NotifyOrder;
import org.netserv.controller.log.ModuleKey;
import org.netserv.filter.FlowFilter;

/**
 * One accepted SETUP as the life of a module needs it.
 *
 * @param sha256 hex digest that the publisher signed; empty in a legacy message
 * @param filters the filters that policy granted
 * @param since wall clock of the module's first claim; decides among filters of equal prefix length
 * @param notification URL to be told of the end state
 */
public record ModuleOrder(
    ModuleKey key,
    String version,
    Optional<String> sha256,
    String url,
    Map<String, String> properties,
    List<FlowFilter> filters,
    long since,
    Optional<String> notification) {

  /** Returns true if a refresh by {@code by} leaves the module's settings as they are. */
  boolean sameSettings(ModuleOrder by) {
    return properties.equals(by.properties) && filters.equals(by.filters);
  }

  /** Returns the same order with the properties, filters and notification of a refresh. */
  public ModuleOrder refreshed(ModuleOrder by) {
    return new ModuleOrder(
        key, version, sha256, url, by.properties, by.filters, since, by.notification);
  }

  /** Returns the order to tell the notification URL of an end state; empty if there is no URL. */
  Optional<NotifyOrder> notice(String nodeId, int status, String reason) {
    return notification.map(
        to -> new NotifyOrder(key.user(), to, key.module(), version, nodeId, status, reason));
  }
}
