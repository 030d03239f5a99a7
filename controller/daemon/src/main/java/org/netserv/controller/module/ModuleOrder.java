// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.netserv.controller.log.ModuleKey;
import org.netserv.filter.FlowFilter;

/**
 * One accepted SETUP as the life of a module needs it.
 *
 * @param sha256 hex digest the publisher signed; empty in a legacy message
 * @param filters what policy granted
 * @param since when the module was first claimed (wall clock): decides among filters of equal
 *     prefix length
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

  /** Whether a refresh by this one leaves the module's settings as they are. */
  boolean sameSettings(ModuleOrder by) {
    return properties.equals(by.properties) && filters.equals(by.filters);
  }

  /** The same order with what a refresh may change. */
  public ModuleOrder refreshed(ModuleOrder by) {
    return new ModuleOrder(
        key, version, sha256, url, by.properties, by.filters, since, by.notification);
  }
}
