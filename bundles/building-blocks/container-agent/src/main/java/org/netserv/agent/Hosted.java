// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import org.osgi.framework.Bundle;
import org.osgi.framework.wiring.BundleWiring;

/** A module that has been started. */
record Hosted(String name, String version, String sha256, Bundle bundle) {
  /** The loader of its classes; null if it is not resolved. */
  ClassLoader loader() {
    BundleWiring wiring = bundle.adapt(BundleWiring.class);
    return wiring == null ? null : wiring.getClassLoader();
  }
}
