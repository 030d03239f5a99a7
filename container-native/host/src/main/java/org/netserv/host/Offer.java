// SPDX-License-Identifier: Apache-2.0
package org.netserv.host;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.osgi.framework.Constants;
import org.osgi.framework.connect.ConnectContent;

/**
 * A bundle that provides only the capability of the node's fast path. The system bundle could
 * provide the capability instead. But when the system bundle's capabilities differ from the
 * prepared state, the framework resolves everything anew.
 */
final class Offer implements ConnectContent {
  static final String LOCATION = "node:fastpath";

  private final String features;

  /**
   * @param features comma separated
   */
  Offer(String features) {
    this.features = features;
  }

  @Override
  public Optional<Map<String, String>> getHeaders() {
    return Optional.of(
        Map.of(
            Constants.BUNDLE_MANIFESTVERSION,
            "2",
            Constants.BUNDLE_SYMBOLICNAME,
            HostMain.FASTPATH,
            Constants.PROVIDE_CAPABILITY,
            HostMain.FASTPATH + ";features:List<String>=\"" + features + "\""));
  }

  @Override
  public Iterable<String> getEntries() {
    return List.of();
  }

  @Override
  public Optional<ConnectEntry> getEntry(String path) {
    return Optional.empty();
  }

  @Override
  public Optional<ClassLoader> getClassLoader() {
    return Optional.empty();
  }

  @Override
  public void open() {}

  @Override
  public void close() {}
}
