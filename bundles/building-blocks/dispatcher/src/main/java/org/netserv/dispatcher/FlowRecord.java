// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.netserv.host.Ring;
import org.netserv.packet.Flow;

/** One record, copied out of region D while pktio may be writing there. */
final class FlowRecord implements Flow {
  private static final VarHandle INT =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int ATTEMPTS = 4;
  private static final long MAPPED = 0x0000_ffff_0000_0000L;

  private final ByteBuffer region;
  private int place;
  private int state;
  private int family;
  private int protocol;
  private int ttl;
  private long sourceHigh;
  private long sourceLow;
  private long destinationHigh;
  private long destinationLow;
  private int sourcePort;
  private int destinationPort;
  private long packets;
  private long bytes;
  private long lastMicros;

  FlowRecord(ByteBuffer region) {
    this.region = region;
  }

  /**
   * False if there is none at this offset, or it keeps changing.
   *
   * @param number of the record
   */
  boolean read(int at, int number) {
    place = number;
    for (int i = 0; i < ATTEMPTS; i++) {
      int version = (int) INT.getAcquire(region, at + Ring.RECORD_VERSION);
      if ((version & 1) != 0) {
        continue;
      }
      copy(at);
      VarHandle.loadLoadFence();
      if ((int) INT.getOpaque(region, at + Ring.RECORD_VERSION) == version) {
        return state > Ring.FREE && state <= Ring.COUNTED;
      }
    }
    return false;
  }

  private void copy(int at) {
    state = region.getInt(at + Ring.RECORD_STATE);
    if (state == Ring.FREE) {
      return;
    }
    family = region.get(at + Ring.RECORD_FAMILY);
    protocol = region.get(at + Ring.RECORD_PROTOCOL) & 0xff;
    ttl = region.get(at + Ring.RECORD_TTL) & 0xff;
    sourceHigh = high(at + Ring.RECORD_SOURCE);
    sourceLow = low(at + Ring.RECORD_SOURCE);
    destinationHigh = high(at + Ring.RECORD_DESTINATION);
    destinationLow = low(at + Ring.RECORD_DESTINATION);
    sourcePort = region.getShort(at + Ring.RECORD_SOURCE_PORT) & 0xffff;
    destinationPort = region.getShort(at + Ring.RECORD_DESTINATION_PORT) & 0xffff;
    packets = region.getLong(at + Ring.RECORD_PACKETS);
    bytes = region.getLong(at + Ring.RECORD_BYTES);
    lastMicros = region.getLong(at + Ring.RECORD_LAST_USEC);
  }

  private long high(int at) {
    return family == 4 ? 0 : Long.reverseBytes(region.getLong(at));
  }

  private long low(int at) {
    return family == 4
        ? MAPPED | (Integer.reverseBytes(region.getInt(at)) & 0xffffffffL)
        : Long.reverseBytes(region.getLong(at + 8));
  }

  @Override
  public State state() {
    return switch (state) {
      case Ring.OFFLOADED -> State.OFFLOADED;
      case Ring.ENDED_IDLE -> State.ENDED_IDLE;
      case Ring.ENDED_TIME -> State.ENDED_TIME;
      case Ring.ENDED_REVOKED -> State.ENDED_REVOKED;
      default -> State.COUNTED;
    };
  }

  @Override
  public int place() {
    return place;
  }

  @Override
  public int family() {
    return family;
  }

  @Override
  public int protocol() {
    return protocol;
  }

  @Override
  public long sourceHigh() {
    return sourceHigh;
  }

  @Override
  public long sourceLow() {
    return sourceLow;
  }

  @Override
  public long destinationHigh() {
    return destinationHigh;
  }

  @Override
  public long destinationLow() {
    return destinationLow;
  }

  @Override
  public int sourcePort() {
    return sourcePort;
  }

  @Override
  public int destinationPort() {
    return destinationPort;
  }

  @Override
  public int ttl() {
    return ttl;
  }

  @Override
  public long packets() {
    return packets;
  }

  @Override
  public long bytes() {
    return bytes;
  }

  @Override
  public long lastMicros() {
    return lastMicros;
  }
}
