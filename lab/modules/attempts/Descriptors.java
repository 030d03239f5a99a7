// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;

/** Opens files and does not close them: {@code COUNT}. */
public final class Descriptors extends Attempt {
  @Override
  protected String attempt(String argument) throws IOException {
    List<Closeable> all = new ArrayList<>();
    try {
      for (int i = 0; i < Integer.parseInt(argument); i++) {
        all.add(DatagramChannel.open());
      }
      return argument + " descriptors";
    } finally {
      for (Closeable one : all) {
        one.close();
      }
    }
  }
}
