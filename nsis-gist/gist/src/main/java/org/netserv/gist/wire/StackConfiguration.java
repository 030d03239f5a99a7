// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Stack-Configuration-Data (appendix A.3.5).
 *
 * <pre>
 *   +---------------+-----------------------------------------------+
 *   |    options    |                   reserved                    |
 *   +---------------+-----------------------------------------------+
 *   |                    messaging association hold time, ms        |
 *   +---------------+---------------+---------------+-+-------------+
 *   |   protocol    |    profile    |    length     |D|  reserved   |
 *   +---------------+---------------+---------------+-+-------------+
 *   //                        data, padded                         //
 *   +---------------------------------------------------------------+
 * </pre>
 *
 * @param holdMillis MA-Hold-Time, 1 to 2^32-1
 * @param options 0 to 255
 */
@SuppressWarnings("ArrayRecordComponent") // nobody changes the array
public record StackConfiguration(long holdMillis, List<Option> options) implements GistObject {
  public static final int TYPE = 4;
  private static final int UNUSABLE = 0x80;

  public StackConfiguration {
    options = List.copyOf(options);
    if (holdMillis < 1 || holdMillis > 0xffffffffL || options.size() > 0xff) {
      throw new IllegalArgumentException("hold time " + holdMillis + " or options out of range");
    }
  }

  static StackConfiguration decode(ObjectReader in) throws GistFormatException {
    int count = in.u8();
    in.skipPadding();
    int holdAt = in.offset();
    long hold = in.u32();
    if (hold == 0) {
      throw in.bad(GistError.VALUE_NOT_SUPPORTED, holdAt, "hold time of zero");
    }
    List<Option> options = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      options.add(option(in));
    }
    return new StackConfiguration(hold, options);
  }

  private static Option option(ObjectReader in) throws GistFormatException {
    int protocol = in.u8();
    int profile = in.u8();
    int length = in.u8();
    boolean unusable = (in.u8() & UNUSABLE) != 0;
    byte[] data = in.take(length);
    in.skipPadding();
    return new Option(protocol, profile, unusable, data);
  }

  void encode(WireWriter out) {
    out.put8(options.size()).pad().put32(holdMillis);
    for (Option option : options) {
      out.put8(option.protocol).put8(option.profile).put8(option.data.length);
      out.put8(option.unusable ? UNUSABLE : 0).put(option.data).pad();
    }
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
    public Option {
      if ((protocol | profile | data.length) >> 8 != 0) {
        throw new IllegalArgumentException("option of protocol " + protocol + " out of range");
      }
    }

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
