// SPDX-License-Identifier: Apache-2.0
package org.netserv.media;

import java.nio.ByteBuffer;

/**
 * Functions of {@code container-native/host/program.c}. A container's host registers them before
 * any bundle runs; anywhere else they are missing.
 */
final class Natives implements Door {
  @Override
  public boolean present() {
    try {
      return ready();
    } catch (UnsatisfiedLinkError e) {
      return false;
    }
  }

  @Override
  public void go(int[] numbers, Exchange exchange, ByteBuffer picture, int[] results, byte[] tail) {
    run(
        numbers,
        exchange,
        exchange.input(),
        exchange.output(),
        picture,
        picture.limit(),
        results,
        tail);
  }

  private static native boolean ready();

  /** Runs the program. The first {@code length} bytes of {@code picture} are the picture. */
  private static native void run(
      int[] numbers,
      Exchange exchange,
      ByteBuffer in,
      ByteBuffer out,
      ByteBuffer picture,
      int length,
      int[] results,
      byte[] tail);
}
