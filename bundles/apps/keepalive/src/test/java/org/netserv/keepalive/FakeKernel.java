// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.netserv.packet.Answer;
import org.netserv.packet.AnswerTemplate;
import org.netserv.packet.Answers;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;
import org.netserv.packet.Relay;

/**
 * Answers by templates as docs/protocols/bpfd.md describes it, byte by byte: bpfd and its programs
 * for tests. The clock is the test's.
 */
final class FakeKernel implements Answers {
  final Map<AnswerTemplate.Pair, Entry> entries = new HashMap<>();
  long micros = 1_000_000;
  int free = 4096;
  boolean refuses;
  int puts;
  int arms;

  /** One answer. */
  final class Entry implements Answer {
    private final AnswerTemplate template;
    private Relay.State state = Relay.State.ASKED;
    private long packets;
    private long last;
    private int budget;
    private long used;
    private long until;
    private boolean withdrawn;

    Entry(AnswerTemplate template) {
      this.template = template;
    }

    void ask(int most, int seconds) {
      if (withdrawn) {
        return;
      }
      Entry other = entries.get(template.pair());
      if (other == this) {
        arms++;
      } else if (other != null || refuses) {
        state = Relay.State.REFUSED;
        return;
      } else {
        puts++;
        packets = 0;
        entries.put(template.pair(), this);
      }
      state = Relay.State.ACTIVE;
      budget = most;
      used = 0;
      until = micros + seconds * 1_000_000L;
    }

    /** Ends the answer as bpfd does after a change of filters. */
    void end() {
      state = Relay.State.ENDED;
      entries.remove(template.pair());
    }

    private boolean holds() {
      if (micros >= until) {
        end();
      }
      return state == Relay.State.ACTIVE && (budget == 0 || used < budget);
    }

    @Override
    public AnswerTemplate template() {
      return template;
    }

    @Override
    public Relay.State state() {
      return state;
    }

    @Override
    public String refusal() {
      return state == Relay.State.REFUSED ? "taken" : "";
    }

    @Override
    public long packets() {
      return withdrawn ? 0 : packets;
    }

    @Override
    public long bytes() {
      return 0;
    }

    @Override
    public long lastMicros() {
      return withdrawn ? 0 : last;
    }

    @Override
    public long longWayPackets() {
      return 0;
    }

    @Override
    public void withdraw() {
      if (!withdrawn) {
        withdrawn = true;
        free++;
        state = Relay.State.ENDED;
        entries.remove(template.pair(), this);
      }
    }
  }

  @Override
  public boolean available() {
    return true;
  }

  @Override
  public String unavailable() {
    return "";
  }

  @Override
  public int free() {
    return free;
  }

  @Override
  public Answer make(AnswerTemplate template) {
    if (free == 0) {
      return null;
    }
    free--;
    return new Entry(template);
  }

  @Override
  public long nowMicros() {
    return micros;
  }

  /** Takes a module's wish, as the dispatcher does. */
  void heed(Decision decision) {
    if (decision.nextAnswer() != null) {
      ((Entry) decision.nextAnswer()).ask(decision.nextBudget(), decision.nextSeconds());
    }
  }

  /** Returns the reply to a packet, empty = it is swallowed, null = it goes the long way. */
  byte[] reply(Packet packet) {
    Entry entry = entries.get(AnswerTemplate.Pair.of(packet));
    byte[] message = Messages.payload(packet);
    if (entry == null || !entry.holds() || !isLike(entry.template, message)) {
      return null;
    }
    entry.used++;
    entry.packets++;
    entry.last = micros;
    return made(entry.template, message);
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  private static boolean isLike(AnswerTemplate template, byte[] message) {
    byte[] wanted = bytes(template.message());
    if (message.length != wanted.length) {
      return false;
    }
    for (AnswerTemplate.Field field : template.fields()) {
      for (int at = field.from(); at < field.from() + field.length(); at++) {
        boolean free =
            switch (field.kind()) {
              case SAME -> false;
              case TEXT -> isText(wanted[at]) && isText(message[at]);
              case DIGITS -> isDigit(wanted[at]) && isDigit(message[at]);
            };
        wanted[at] = free ? message[at] : wanted[at];
      }
    }
    return Arrays.equals(wanted, message);
  }

  private static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }

  private static boolean isText(byte b) {
    return isDigit(b) || ((b | 0x20) >= 'a' && (b | 0x20) <= 'z') || "-._".indexOf(b) >= 0;
  }

  private static byte[] made(AnswerTemplate template, byte[] message) {
    byte[] reply = bytes(template.reply());
    long hash = 0xcbf29ce484222325L;
    for (AnswerTemplate.Field field : template.fields()) {
      System.arraycopy(message, field.from(), reply, field.to(), field.length());
      if (field.hashed()) {
        hash = hash(hash, Arrays.copyOfRange(message, field.from(), field.from() + field.length()));
      }
    }
    if (template.tag() != AnswerTemplate.NO_TAG) {
      byte[] digits = Messages.bytes("%016x".formatted(hash));
      System.arraycopy(digits, 0, reply, template.tag(), digits.length);
    }
    return reply;
  }

  private static long hash(long before, byte[] field) {
    long hash = before + field.length;
    for (int i = 0; i < field.length; i += Long.BYTES) {
      long word = 0;
      for (int j = i; j < i + Long.BYTES; j++) {
        word = word << Byte.SIZE | (j < field.length ? field[j] & 0xff : 0);
      }
      hash = (hash ^ word) * 0x9e3779b97f4a7c15L;
      hash ^= hash >>> Integer.SIZE;
    }
    return hash;
  }
}
