// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import java.lang.reflect.Constructor;
import java.util.Collection;
import org.osgi.framework.Bundle;
import org.osgi.framework.wiring.BundleWiring;

/** Loads the classes of a resolved bundle before it is started. */
final class ClassLoading {
  /** Classes that are loaded. The rest of a larger bundle is loaded when it is used. */
  private static final int MOST = 400;

  private static final String SUFFIX = ".class";

  private ClassLoading() {}

  /**
   * Loads and links the classes of a bundle, and initializes none, so that no code of it runs. A
   * class that cannot be linked stays for the start, which says why.
   */
  static void all(Bundle bundle) {
    Collection<String> names =
        bundle
            .adapt(BundleWiring.class)
            .listResources(
                "/",
                "*" + SUFFIX,
                BundleWiring.LISTRESOURCES_LOCAL | BundleWiring.LISTRESOURCES_RECURSE);
    names.stream().limit(MOST).forEach(name -> load(bundle, name));
  }

  private static void load(Bundle bundle, String resource) {
    String name = resource.substring(0, resource.length() - SUFFIX.length()).replace('/', '.');
    try {
      // HotSpot links a class whose constructors are asked for, and so verifies it.
      Constructor<?>[] unused = bundle.loadClass(name).getDeclaredConstructors();
    } catch (ClassNotFoundException | LinkageError e) {
      // An optional import may be missing. Whatever needs the class hears of it.
    }
  }
}
