// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Takes direct buffers and writes to them: {@code MIB}. */
public final class DirectMemory extends Attempt {
  @Override
  protected String attempt(String mib) {
    List<ByteBuffer> all = new ArrayList<>();
    for (int i = 0; i < Integer.parseInt(mib); i++) {
      ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20);
      for (int at = 0; at < buffer.capacity(); at += 4096) {
        buffer.put(at, (byte) 1);
      }
      all.add(buffer);
    }
    return all.size() + " MiB";
  }
}
