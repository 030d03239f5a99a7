// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.netserv.mediarelay.core.KeptAllocation.Bound;
import org.netserv.mediarelay.core.KeptAllocation.Permitted;
import org.netserv.mediarelay.core.KeptAllocation.Relayed;

/**
 * A {@link KeptAllocation} as at most {@link #MOST} bytes, big-endian.
 *
 * <pre>
 *    0   4  CRC-32C of all bytes behind it
 *    4   2  length of all bytes
 *    6   1  version, 1
 *    7   1  flags: 1 and 2 = the relayed address of IPv4, of IPv6 sends with the DF bit; 4 = made
 *           by a token
 *    8   8  transaction of the Allocate request
 *   16  20  client's address and port, port of the relay
 *   36   4  relayed ports of IPv4 and IPv6, 0 = none
 *   40  16  their ends
 *   56   2  bytes of the user's name
 *   58   2  number of permissions, number of channels
 *   60      the user's name in UTF-8
 *      24  each permission: address and end
 *      28  each channel: address and end, port, number
 * </pre>
 */
public final class AllocationBytes {
  /** Bytes of the longest one. */
  public static final int MOST = 1024;

  /** Permissions of an allocation that are kept. */
  static final int PERMISSIONS_MOST = 12;

  /** Channels of an allocation that are kept. */
  static final int CHANNELS_MOST = 12;

  /** Bytes of the longest user's name of an allocation that is kept. */
  static final int USER_MOST = 256;

  private static final int VERSION = 1;
  private static final int LENGTH_AT = 4;
  private static final int HEADER = 60;
  private static final int PERMISSION = 24;
  private static final int CHANNEL = 28;
  private static final int WHOLE_4 = 1;
  private static final int WHOLE_6 = 2;
  private static final int OF_TOKEN = 4;

  private AllocationBytes() {}

  /**
   * Writes an allocation from the buffer's beginning, and sets the limit behind it.
   *
   * @param now the time of the allocation's own clock
   * @param millis the same time since 1970
   * @return false if it cannot be kept: its client does not come by UDP, or its user's name is too
   *     long
   */
  public static boolean put(ByteBuffer to, Allocation of, long now, long millis) {
    Client client = of.client();
    byte[] user = of.account().user().getBytes(StandardCharsets.UTF_8);
    if (client.transport() != Transport.UDP || of.isTcp() || user.length > USER_MOST) {
      return false;
    }
    int permissions = Math.min(PERMISSIONS_MOST, of.permissions().count());
    int channels = Math.min(CHANNELS_MOST, of.channels().count());
    int length = HEADER + user.length + PERMISSION * permissions + CHANNEL * channels;
    to.clear().limit(length).position(LENGTH_AT);
    to.putShort((short) length).put((byte) VERSION).put((byte) flags(of));
    to.putLong(of.transaction()).putLong(client.high()).putLong(client.low());
    to.putShort((short) client.port()).putShort((short) client.serverPort());
    to.putShort((short) of.port(4)).putShort((short) of.port(6));
    to.putLong(end(of.until(4), now, millis)).putLong(end(of.until(6), now, millis));
    to.putShort((short) user.length).put((byte) permissions).put((byte) channels);
    to.put(user);
    for (int i = 0; i < permissions; i++) {
      of.permissions().put(to, i, until -> end(until, now, millis));
    }
    of.eachChannel(channel -> put(to, channel, end(channel.until(), now, millis)));
    to.putInt(0, sum(to, length)).position(0);
    return true;
  }

  private static int flags(Allocation of) {
    return (of.isWhole(4) ? WHOLE_4 : 0)
        | (of.isWhole(6) ? WHOLE_6 : 0)
        | (of.isOfToken() ? OF_TOKEN : 0);
  }

  private static void put(ByteBuffer to, Channel channel, long end) {
    if (to.remaining() >= CHANNEL) {
      to.putLong(channel.high()).putLong(channel.low()).putLong(end);
      to.putShort((short) channel.port()).putShort((short) channel.number());
    }
  }

  private static long end(long until, long now, long millis) {
    return millis + (until - now) / 1_000_000L;
  }

  private static int sum(ByteBuffer bytes, int length) {
    CRC32C sum = new CRC32C();
    sum.update(bytes.duplicate().limit(length).position(LENGTH_AT));
    return (int) sum.getValue();
  }

  /** Reads an allocation from the buffer's position to its limit. Returns null if there is none. */
  public static KeptAllocation get(ByteBuffer from) {
    ByteBuffer bytes = from.slice();
    if (bytes.remaining() < HEADER) {
      return null;
    }
    int length = bytes.getShort(LENGTH_AT) & 0xffff;
    if (length < HEADER || length > Math.min(MOST, bytes.capacity())) {
      return null;
    }
    int user = bytes.getShort(HEADER - 4) & 0xffff;
    int permissions = bytes.get(HEADER - 2) & 0xff;
    int channels = bytes.get(HEADER - 1) & 0xff;
    boolean whole =
        bytes.getInt(0) == sum(bytes, length)
            && bytes.get(LENGTH_AT + 2) == VERSION
            && HEADER + user + PERMISSION * permissions + CHANNEL * channels == length;
    return whole ? get(bytes.limit(length), user, permissions, channels) : null;
  }

  private static KeptAllocation get(ByteBuffer bytes, int user, int permissions, int channels) {
    int flags = bytes.position(LENGTH_AT + 3).get();
    long transaction = bytes.getLong();
    long high = bytes.getLong();
    long low = bytes.getLong();
    int port = bytes.getShort() & 0xffff;
    int serverPort = bytes.getShort() & 0xffff;
    int port4 = bytes.getShort() & 0xffff;
    int port6 = bytes.getShort() & 0xffff;
    Relayed four = relayed(port4, bytes.getLong(), (flags & WHOLE_4) != 0);
    Relayed six = relayed(port6, bytes.getLong(), (flags & WHOLE_6) != 0);
    byte[] name = new byte[user];
    bytes.position(HEADER).get(name);
    List<Permitted> permitted = new ArrayList<>();
    for (int i = 0; i < permissions; i++) {
      permitted.add(new Permitted(bytes.getLong(), bytes.getLong(), bytes.getLong()));
    }
    List<Bound> bound = new ArrayList<>();
    for (int i = 0; i < channels; i++) {
      bound.add(channel(bytes));
    }
    String text = new String(name, StandardCharsets.UTF_8);
    boolean ofToken = (flags & OF_TOKEN) != 0;
    return new KeptAllocation(
        transaction, high, low, port, serverPort, four, six, text, ofToken, permitted, bound);
  }

  private static Relayed relayed(int port, long end, boolean whole) {
    return port == 0 ? null : new Relayed(port, end, whole);
  }

  private static Bound channel(ByteBuffer bytes) {
    long high = bytes.getLong();
    long low = bytes.getLong();
    long end = bytes.getLong();
    int port = bytes.getShort() & 0xffff;
    return new Bound(bytes.getShort() & 0xffff, high, low, port, end);
  }
}
