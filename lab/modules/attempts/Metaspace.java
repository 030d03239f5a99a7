// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/** Defines classes: {@code COUNT}. */
public final class Metaspace extends Attempt {
  /** A loader that defines one class. Each class gets a loader of its own. */
  private static final class Loader extends ClassLoader {
    Class<?> define(byte[] code) {
      return defineClass(null, code, 0, code.length);
    }
  }

  @Override
  protected String attempt(String count) throws IOException {
    byte[] code;
    try (InputStream in = Metaspace.class.getResourceAsStream("Metaspace$Loader.class")) {
      code = in.readAllBytes();
    }
    List<Class<?>> all = new ArrayList<>();
    for (int i = 0; i < Integer.parseInt(count); i++) {
      all.add(new Loader().define(code));
    }
    return all.size() + " classes";
  }
}
