// SPDX-License-Identifier: Apache-2.0
package org.netserv.host;

import static java.util.Map.entry;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Holds the constants to the vectors that the C side is held to. */
class RingTest {
  private static final Map<String, Integer> OURS =
      Map.ofEntries(
          entry("d.magic", Ring.D_MAGIC),
          entry("s.magic", Ring.S_MAGIC),
          entry("major", Ring.MAJOR),
          entry("minor", Ring.MINOR),
          entry("slots.default", Ring.SLOTS_DEFAULT),
          entry("slot.size", Ring.SLOT_SIZE),
          entry("headroom", Ring.HEADROOM),
          entry("tailroom", Ring.TAILROOM),
          entry("packet.max", Ring.PACKET_MAX),
          entry("batch", Ring.BATCH),
          entry("d.header.size", Ring.D_DESC),
          entry("d.magic.offset", 0),
          entry("d.major.offset", 4),
          entry("d.minor.offset", 6),
          entry("d.slots.offset", Ring.D_SLOTS),
          entry("d.slot.size.offset", 12),
          entry("d.records.offset", Ring.D_RECORDS),
          entry("d.record.flows.offset", Ring.D_RECORD_FLOWS),
          entry("d.record.counts.offset", Ring.D_RECORD_COUNTS),
          entry("record.flows", Ring.RECORD_FLOWS),
          entry("record.counts", Ring.RECORD_COUNTS),
          entry("record.size", Ring.RECORD_SIZE),
          entry("record.version.offset", Ring.RECORD_VERSION),
          entry("record.state.offset", Ring.RECORD_STATE),
          entry("record.seq.offset", Ring.RECORD_SEQ),
          entry("record.family.offset", Ring.RECORD_FAMILY),
          entry("record.protocol.offset", Ring.RECORD_PROTOCOL),
          entry("record.ttl.offset", Ring.RECORD_TTL),
          entry("record.source.offset", Ring.RECORD_SOURCE),
          entry("record.destination.offset", Ring.RECORD_DESTINATION),
          entry("record.source.port.offset", Ring.RECORD_SOURCE_PORT),
          entry("record.destination.port.offset", Ring.RECORD_DESTINATION_PORT),
          entry("record.packets.offset", Ring.RECORD_PACKETS),
          entry("record.bytes.offset", Ring.RECORD_BYTES),
          entry("record.last.usec.offset", Ring.RECORD_LAST_USEC),
          entry("record.free", Ring.FREE),
          entry("record.offloaded", Ring.OFFLOADED),
          entry("record.ended.idle", Ring.ENDED_IDLE),
          entry("record.ended.time", Ring.ENDED_TIME),
          entry("record.ended.revoked", Ring.ENDED_REVOKED),
          entry("record.counted", Ring.COUNTED),
          entry("d.produced.offset", Ring.D_PRODUCED),
          entry("d.pktio.sleeps.offset", Ring.D_PKTIO_SLEEPS),
          entry("d.taken.offset", Ring.D_TAKEN),
          entry("d.desc.offset", Ring.D_DESC),
          entry("desc.size", Ring.DESC_SIZE),
          entry("desc.seq.offset", Ring.DESC_SEQ),
          entry("desc.slot.offset", Ring.DESC_SLOT),
          entry("desc.offset.offset", Ring.DESC_OFFSET),
          entry("desc.length.offset", Ring.DESC_LENGTH),
          entry("desc.mark.offset", Ring.DESC_MARK),
          entry("desc.ifindex.offset", Ring.DESC_IFINDEX),
          entry("desc.mtu.offset", Ring.DESC_MTU),
          entry("desc.family.offset", Ring.DESC_FAMILY),
          entry("desc.flags.offset", Ring.DESC_FLAGS),
          entry("desc.usec.offset", Ring.DESC_USEC),
          entry("flag.copy", Ring.F_COPY),
          entry("s.header.size", Ring.S_VERDICT),
          entry("s.magic.offset", 0),
          entry("s.major.offset", 4),
          entry("s.minor.offset", 6),
          entry("s.consumed.offset", Ring.S_CONSUMED),
          entry("s.answered.offset", Ring.S_ANSWERED),
          entry("s.container.sleeps.offset", Ring.S_CONTAINER_SLEEPS),
          entry("s.verdict.offset", Ring.S_VERDICT),
          entry("verdict.size", Ring.VERDICT_SIZE),
          entry("verdict.seq.offset", Ring.VERDICT_SEQ),
          entry("verdict.code.offset", Ring.VERDICT_CODE),
          entry("verdict.offset.offset", Ring.VERDICT_OFFSET),
          entry("verdict.length.offset", Ring.VERDICT_LENGTH),
          entry("verdict.pass", Ring.PASS),
          entry("verdict.drop", Ring.DROP),
          entry("verdict.changed", Ring.CHANGED),
          entry("verdict.stolen", Ring.STOLEN),
          entry("verdict.mask", Ring.VERDICT_MASK),
          entry("verdict.offload", Ring.OFFLOAD),
          entry("verdict.seconds.shift", Ring.SECONDS_SHIFT),
          entry("d.records.64", Ring.dRecords(64)),
          entry("d.records.1024", Ring.dRecords(1024)),
          entry("d.records.16384", Ring.dRecords(16384)),
          entry("d.bytes.64", Ring.dBytes(64)),
          entry("d.bytes.1024", Ring.dBytes(1024)),
          entry("d.bytes.16384", Ring.dBytes(16384)),
          entry("s.slots.offset.64", Ring.sSlots(64)),
          entry("s.slots.offset.1024", Ring.sSlots(1024)),
          entry("s.slots.offset.16384", Ring.sSlots(16384)),
          entry("s.bytes.64", Ring.sBytes(64)),
          entry("s.bytes.1024", Ring.sBytes(1024)),
          entry("s.bytes.16384", Ring.sBytes(16384)));

  @Test
  void sameNumbersAsTheCSide() throws Exception {
    Map<String, Integer> theirs = new TreeMap<>();
    for (String line : Files.readAllLines(Path.of("../tests/vectors/ring.txt"))) {
      int equals = line.indexOf('=');
      if (!line.startsWith("#") && equals > 0) {
        theirs.put(line.substring(0, equals), Integer.parseInt(line.substring(equals + 1)));
      }
    }
    assertEquals(theirs, new TreeMap<>(OURS));
  }
}
