// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Packets with random faults, from a seed: changed, lost, doubled and inserted bytes, with a right
 * and with a wrong checksum. All of them are counted, and none ends a process.
 */
final class MutatedPackets {
  private static final String FROM = ServalAttack.STRANGER + ":40081";
  private static final int BATCH = ServalAttack.AT_ONCE;
  private static final int MOST_CHANGES = 6;
  private static final int KINDS_OF_CHANGE = 4;
  private static final int LONGEST = 1400;

  private final ServalAttack attack;
  private final Random random;

  MutatedPackets(ServalAttack attack, long seed) {
    this.attack = attack;
    random = new Random(seed);
  }

  /**
   * Sends so many to each victim. A batch of which some are not counted goes again, one packet at a
   * time, because the socket of a victim without a processor may have been full.
   */
  void play(List<Attacked> victims, int count) throws IOException {
    for (Attacked victim : victims) {
      List<String> missing = new ArrayList<>();
      for (int sent = 0; sent < count && missing.isEmpty(); sent += BATCH) {
        List<byte[]> packets = batch(Math.min(BATCH, count - sent));
        if (!areCounted(victim, packets)) {
          missing.addAll(notCounted(victim, packets));
        }
      }
      String row = victim.name() + ", not counted of " + count + " packets with random faults";
      attack.rows().row(row, List.of(), missing);
    }
  }

  private boolean areCounted(Attacked victim, List<byte[]> packets) throws IOException {
    Map<String, Long> before = victim.counters();
    attack.stranger().send(FROM, victim.at(), packets);
    return ServalAttack.await(() -> all(victim, before), packets.size()) >= packets.size();
  }

  /** Returns the packets in hexadecimal that are not counted alone. */
  private List<String> notCounted(Attacked victim, List<byte[]> packets) throws IOException {
    List<String> missing = new ArrayList<>();
    for (byte[] packet : packets) {
      if (!areCounted(victim, List.of(packet))) {
        missing.add(HexFormat.of().formatHex(packet));
      }
    }
    return missing;
  }

  /** Returns the fates of packets since then. Each packet has one at least. */
  private static long all(Attacked victim, Map<String, Long> before) throws IOException {
    Map<String, Long> now = victim.counters();
    return now.keySet().stream()
        .filter(name -> name.matches("verdicts/.*|(PACKET|ROUTER|FORWARD)_.*"))
        .mapToLong(name -> ServalAttack.difference(now, before, name))
        .sum();
  }

  private List<byte[]> batch(int count) {
    List<PacketKind> kinds = PacketKind.all();
    List<byte[]> packets = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      byte[] packet = kinds.get(random.nextInt(kinds.size())).whole();
      for (int changes = 1 + random.nextInt(MOST_CHANGES); changes > 0; changes--) {
        packet = changed(packet);
      }
      packets.add(random.nextBoolean() ? ForgedPackets.summed(packet) : packet);
    }
    return packets;
  }

  private byte[] changed(byte[] packet) {
    int at = random.nextInt(packet.length + 1);
    int other = random.nextInt(packet.length + 1);
    byte[] head = Arrays.copyOf(packet, at);
    return switch (random.nextInt(KINDS_OF_CHANGE)) {
      case 0 -> head;
      case 1 -> joined(head, packet, Math.max(at, other));
      case 2 -> joined(head, packet, Math.min(at, other));
      default -> {
        byte[] same = packet.clone();
        if (at < same.length) {
          same[at] = (byte) random.nextInt();
        }
        yield same;
      }
    };
  }

  /** Returns bytes with those of a packet from an index on behind them. */
  private static byte[] joined(byte[] head, byte[] packet, int from) {
    byte[] all = Arrays.copyOf(head, head.length + packet.length - from);
    System.arraycopy(packet, from, all, head.length, packet.length - from);
    return all.length > LONGEST ? head : all;
  }
}
