// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.netserv.controller.job.BundleStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The bundles of the modules, as long as a module or the log needs them. */
final class StoredBundles {
  private static final Logger LOG = LoggerFactory.getLogger(StoredBundles.class);

  private final BundleStore store;
  private final ModuleTable modules;
  private final ModuleRecords records;

  StoredBundles(BundleStore store, ModuleTable modules, ModuleRecords records) {
    this.store = store;
    this.modules = modules;
    this.records = records;
  }

  boolean contains(String sha256) {
    return store.contains(sha256);
  }

  Path path(String sha256) {
    return store.path(sha256);
  }

  void unpin(String sha256) {
    store.unpin(sha256);
  }

  /** Removes bundles that no life and no log entry needs. */
  void sweep() {
    Set<String> used = new HashSet<>();
    modules.lives().forEach(life -> used.add(String.valueOf(life.sha256)));
    records
        .all()
        .forEach(
            module -> {
              used.add(String.valueOf(module.current().sha256()));
              module.previous().ifPresent(v -> used.add(String.valueOf(v.sha256())));
            });
    records.bundles().forEach(bundle -> used.add(bundle.sha256()));
    try {
      store.sweep(used);
    } catch (IOException e) {
      LOG.warn("bundles: {}", e.getMessage());
    }
  }
}
