// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.util.Arrays;
import java.util.List;

/**
 * Stack-Configuration-Data (appendix A.3.5).
 *
 * @param holdMillis MA-Hold-Time, 1 to 2^32-1
 */
@SuppressWarnings("ArrayRecordComponent") // nobody changes the array
public record StackConfiguration(long holdMillis, List<Option> options) implements GistObject {
  public static final int TYPE = 4;

  public StackConfiguration {
    options = List.copyOf(options);
  }

  /**
   * Configuration of one protocol.
   *
   * @param protocol MA-Protocol-ID
   * @param profile number of the profile it is for, from 1; 0 = all
   * @param unusable D-flag
   * @param data of a Response's TCP: the port, 2 bytes; else mostly empty
   */
  @SuppressWarnings("ArrayRecordComponent") // nobody changes the array
  public record Option(int protocol, int profile, boolean unusable, byte[] data) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Option that
          && protocol == that.protocol
          && profile == that.profile
          && unusable == that.unusable
          && Arrays.equals(data, that.data);
    }

    @Override
    public int hashCode() {
      return 31 * protocol + Arrays.hashCode(data);
    }
  }

  @Override
  public int type() {
    return TYPE;
  }
}
