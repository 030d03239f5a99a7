// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Headers with each extension too often, out of order, too short, too long and cut, with unknown
 * ones, and with wrong lengths and checksums. Each packet has one fault.
 */
final class WrongExtensions {
  private static final String FROM = ServalAttack.STRANGER + ":40031";
  private static final int CONTROL = 1;
  private static final int FIRST_FREE = 8;
  private static final int TYPES = 16;
  private static final int MOST = 255;
  private static final int MOST_WORDS = 255;
  private static final int EXTENSIONS = 10;
  private static final int HEADER = 12;
  private static final int WORDS_AT = 8;
  private static final int CHECKSUM_AT = 10;

  /**
   * A type of extension, docs/protocols/serval.md.
   *
   * @param lengths that it may have
   * @param times that it may be there
   */
  private record Type(int number, String name, List<Integer> lengths, int times) {
    static Type of(int number, String name, int times, int least, int most, int step) {
      List<Integer> lengths =
          IntStream.iterate(least, at -> at <= most, at -> at + step).boxed().toList();
      return new Type(number, name, lengths, times);
    }

    byte[] sound() {
      return extension(number, lengths.get(0));
    }
  }

  private static final List<Type> KNOWN =
      List.of(
          Type.of(CONTROL, "CONTROL", 1, 20, 20, 1),
          Type.of(2, "SERVICE", 2, 36, 36, 1),
          Type.of(3, "ADDRESS", 1, 16, 92, 4),
          Type.of(4, "SOURCE", 1, 12, 84, 4),
          Type.of(5, "CAPABILITY", 1, 8, 252, 4),
          Type.of(6, "HOPS", 1, 24, 244, 20),
          Type.of(7, "TICKETS", 1, 4, 92, 8));

  private final ServalAttack attack;

  WrongExtensions(ServalAttack attack) {
    this.attack = attack;
  }

  /**
   * Sends all to each victim.
   *
   * @param unknown the counter of a packet with sound, but free extensions at each victim
   */
  void play(List<Attacked> victims, List<String> unknown) throws IOException {
    for (int i = 0; i < victims.size(); i++) {
      Attacked victim = victims.get(i);
      send("too often or out of order", victim, order(victim));
      send("of wrong lengths", victim, lengths(victim));
      send("wrong headers", victim, headers(victim));
      CountedPackets free = free(victim, unknown.get(i));
      send("extensions of later versions", victim, free);
      attack.silent(victim.name() + ", answers to wrong headers", FROM);
    }
  }

  private void send(String what, Attacked victim, CountedPackets packets) throws IOException {
    attack.refused(what, victim, packets, FROM);
  }

  private static CountedPackets order(Attacked victim) {
    CountedPackets packets = new CountedPackets(victim);
    for (Type type : KNOWN) {
      List<byte[]> many = Collections.nCopies(type.times() + 1, type.sound());
      packets.broken(packet(many.toArray(byte[][]::new)), type.name() + "_REPEATED");
      if (type.number() != CONTROL) {
        byte[] behind = packet(type.sound(), KNOWN.get(0).sound());
        packets.broken(behind, "CONTROL_PLACE");
      }
    }
    for (int number = FIRST_FREE; number < TYPES; number++) {
      byte[] free = extension(number, 2);
      List<byte[]> many = Collections.nCopies(EXTENSIONS + 1, free);
      packets.broken(packet(many.toArray(byte[][]::new)), "EXTENSION_COUNT");
      packets.broken(packet(free, KNOWN.get(0).sound()), "CONTROL_PLACE");
    }
    return packets;
  }

  private static CountedPackets lengths(Attacked victim) {
    CountedPackets packets = new CountedPackets(victim);
    for (int number = 1; number < TYPES; number++) {
      for (int length = 0; length <= MOST; length++) {
        if (!mayHave(number, length)) {
          packets.broken(packet(extension(number, length)), "EXTENSION_LENGTH");
        }
        if (length > 4) { // the header has no more words than are here
          byte[] cut = Arrays.copyOf(extension(number, length), 4);
          packets.broken(packet(cut), "EXTENSION_CUT");
        }
      }
      byte[] padded = new byte[4];
      padded[3] = (byte) (number << 4);
      packets.broken(packet(padded), "EXTENSION_CUT"); // a type without a length
    }
    return packets;
  }

  private static boolean mayHave(int number, int length) {
    return number < FIRST_FREE ? KNOWN.get(number - 1).lengths().contains(length) : length >= 2;
  }

  private static CountedPackets headers(Attacked victim) {
    CountedPackets packets = new CountedPackets(victim);
    PacketKind kind = PacketKind.of(PacketKind.Transport.OWN_MAIL);
    for (int bit = 0; bit < 16; bit++) {
      byte[] wrong = kind.whole();
      wrong[CHECKSUM_AT + bit / 8] ^= (byte) (1 << bit % 8);
      packets.broken(wrong, "CHECKSUM");
    }
    for (int at = HEADER; at < kind.header(); at++) {
      byte[] wrong = kind.whole();
      wrong[at] ^= 0x55;
      packets.broken(wrong, "CHECKSUM");
    }
    for (int words = 0; words <= MOST_WORDS; words++) {
      byte[] wrong = kind.whole();
      wrong[WORDS_AT] = (byte) words;
      if (words < HEADER / 4) {
        packets.broken(wrong, "HEADER_LENGTH");
      } else if (words * 4 > wrong.length) {
        packets.broken(wrong, "HEADER_CUT");
      }
    }
    return packets;
  }

  /** Returns packets that are sound and say nothing. */
  private static CountedPackets free(Attacked victim, String counter) {
    CountedPackets packets = new CountedPackets(victim);
    for (int number = FIRST_FREE; number < TYPES; number++) {
      for (int length = 2; length <= MOST; length += 11) {
        packets.add(packet(extension(number, length), extension(number, 2)), counter);
      }
    }
    return packets;
  }

  private static byte[] packet(byte[]... extensions) {
    return ForgedPackets.packet(extensions);
  }

  /** Returns an extension that says that it has this length, and has at least its head. */
  private static byte[] extension(int number, int length) {
    byte[] extension = new byte[Math.max(length, 2)];
    extension[0] = (byte) (number << 4);
    extension[1] = (byte) length;
    return extension;
  }
}
