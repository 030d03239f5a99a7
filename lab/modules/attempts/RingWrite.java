// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.nio.ByteBuffer;

/**
 * Writes to one of the two regions of its ring: {@code descriptors}, the node's, or {@code slots}.
 */
public final class RingWrite extends Attempt {
  private static final int PLACE = 264;

  @Override
  protected String attempt(String region) throws Exception {
    ClassLoader loader = ClassLoader.getSystemClassLoader();
    Class<?> port = Class.forName("org.netserv.host.PacketPort", true, loader);
    ((ByteBuffer) port.getMethod(region).invoke(null)).putInt(PLACE, 0);
    return "written";
  }
}
