// SPDX-License-Identifier: Apache-2.0
package org.netserv.netmonitor.ipfix;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Packs records into messages, each for a datagram of its own (RFC 7011, 3.1). Integers are
 * big-endian.
 *
 * <pre>
 *   0         2        4             8          12       16
 *   | version | length | export time | sequence | domain | set | set | ...
 *   | 10      |        | seconds     |          |        `- id 2, length 2, records
 * </pre>
 *
 * The sequence counts the records of data that all messages before have carried. The first message
 * of an export has all templates: over UDP a collector may have missed them.
 */
final class Messages {
  /** Bytes of a message at most. */
  static final int MOST = 1400;

  private static final int VERSION = 10;
  private static final int SET_HEAD = 4;

  private final int domain;
  private final ByteBuffer out = ByteBuffer.allocate(MOST);
  private final List<byte[]> messages = new ArrayList<>();
  private long sequence; // modulo 2^32 on the wire
  private int records; // in the message that is being packed
  private int set; // offset of the set that is being packed, 0 = none
  private int seconds;

  Messages(int domain) {
    this.domain = domain;
  }

  /** Begins an export. */
  void begin(long millis) {
    seconds = (int) Math.floorDiv(millis, 1000L);
    messages.clear();
    head();
    for (Template template : Template.values()) {
      template.describe(out);
    }
  }

  private void head() {
    out.clear();
    out.putShort((short) VERSION).putShort((short) 0).putInt(seconds);
    out.putInt((int) sequence).putInt(domain);
    records = 0;
    set = 0;
  }

  /** Adds a record. The writer writes exactly the bytes of the template. */
  void add(Template template, Consumer<ByteBuffer> writer) {
    if (set != 0 && (out.getShort(set) & 0xffff) != template.id) {
      endSet();
    }
    if (out.remaining() < (set == 0 ? SET_HEAD : 0) + template.bytes()) {
      endMessage();
      head();
    }
    if (set == 0) {
      set = out.position();
      out.putShort((short) template.id).putShort((short) 0);
    }
    writer.accept(out);
    records++;
  }

  private void endSet() {
    if (set != 0) {
      out.putShort(set + 2, (short) (out.position() - set));
      set = 0;
    }
  }

  private void endMessage() {
    endSet();
    byte[] message = new byte[out.position()];
    out.putShort(2, (short) message.length);
    out.get(0, message);
    messages.add(message);
    sequence += records;
  }

  /** Ends the export, and returns its messages. */
  List<byte[]> end() {
    endMessage();
    return List.copyOf(messages);
  }
}
