// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage.settings;

import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A module as a SETUP names it.
 *
 * @param ttl seconds
 * @param filterPort null = none
 * @param filterProto null = none
 * @param sealed files with the values of the properties that the node alone can read
 */
public record ModuleSettings(
    Path bundle,
    String url,
    int ttl,
    String filterPort,
    String filterProto,
    Map<String, String> properties,
    Map<String, Path> sealed) {
  public ModuleSettings {
    properties = Collections.unmodifiableMap(new LinkedHashMap<>(properties));
    sealed = Collections.unmodifiableMap(new LinkedHashMap<>(sealed));
  }

  /** Returns the same with its files below a directory, unless they have absolute paths. */
  public ModuleSettings in(Path directory) {
    Map<String, Path> below = new LinkedHashMap<>();
    sealed.forEach((property, file) -> below.put(property, directory.resolve(file)));
    return new ModuleSettings(
        directory.resolve(bundle), url, ttl, filterPort, filterProto, properties, below);
  }
}
