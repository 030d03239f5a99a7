// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.net.InetAddress;
import java.util.Arrays;

/**
 * An MRI of a method that we do not know: kept as it came.
 *
 * @param value whole words, at least one; the first byte is the method
 */
@SuppressWarnings("ArrayRecordComponent") // nobody changes the array
public record UnknownMri(int method, byte[] value) implements Mri {
  public UnknownMri {
    if (value.length == 0 || value.length % 4 != 0 || (value[0] & 0xff) != method) {
      throw new IllegalArgumentException("MRI of method " + method);
    }
  }

  @Override
  public boolean upstream() {
    return false;
  }

  @Override
  public UnknownMri flipped() {
    return this;
  }

  @Override
  public int ipVersion() {
    return 0;
  }

  @Override
  public InetAddress source() {
    return null;
  }

  @Override
  public InetAddress destination() {
    return null;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof UnknownMri that
        && method == that.method
        && Arrays.equals(value, that.value);
  }

  @Override
  public int hashCode() {
    return 31 * method + Arrays.hashCode(value);
  }
}
