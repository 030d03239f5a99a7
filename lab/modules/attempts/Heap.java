// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.util.ArrayList;
import java.util.List;

/** Fills the Java heap: {@code MIB}. */
public final class Heap extends Attempt {
  @Override
  protected String attempt(String mib) {
    List<byte[]> all = new ArrayList<>();
    for (int i = 0; i < Integer.parseInt(mib); i++) {
      all.add(new byte[(1 << 20) - 16]);
    }
    return all.size() + " MiB";
  }
}
