// SPDX-License-Identifier: Apache-2.0
package org.netserv.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DatagramBatchTest {
  private static final long MAPPED = 0x0000_ffff_0000_0000L;

  private final DatagramBatch batch = new DatagramBatch(4, 100);

  @ParameterizedTest
  @CsvSource({"0, 100", "1025, 100", "-1, 100", "4, 0", "4, 65536", "4, -1"})
  void aShapeOutOfRangeIsRefused(int capacity, int size) {
    assertThrows(IllegalArgumentException.class, () -> new DatagramBatch(capacity, size));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 5, -1})
  void roomsOutOfRangeAreRefused(int rooms) {
    assertThrows(IllegalArgumentException.class, () -> new DatagramBatch(4, rooms, 100));
  }

  @Test
  void aBatchMayHaveFewerRoomsThanEntries() {
    int most = DatagramBatch.CAPACITY_MOST;
    DatagramBatch large = new DatagramBatch(most, 2, DatagramBatch.SIZE_MOST);
    assertEquals(large.bytes().capacity(), large.room(1) + DatagramBatch.SIZE_MOST);
    assertThrows(IndexOutOfBoundsException.class, () -> large.room(2));
    large.part(most - 1, large.room(1), 10);
    assertEquals(large.room(1), large.start(most - 1));
  }

  @Test
  void roomsLieBehindTheEntriesInARow() {
    assertEquals(4 * DatagramBatch.ENTRY, batch.room(0));
    assertEquals(batch.room(0) + 100, batch.room(1));
    assertEquals(batch.bytes().capacity(), batch.room(3) + 100);
  }

  @ParameterizedTest
  @CsvSource({"-1", "4", "2147483647"})
  void anIndexThatIsNoEntryIsRefused(int entry) {
    Class<IndexOutOfBoundsException> out = IndexOutOfBoundsException.class;
    assertThrows(out, () -> batch.room(entry));
    assertThrows(out, () -> batch.start(entry));
    assertThrows(out, () -> batch.length(entry));
    assertThrows(out, () -> batch.localHigh(entry));
    assertThrows(out, () -> batch.localLow(entry));
    assertThrows(out, () -> batch.key(entry));
    assertThrows(out, () -> batch.tos(entry));
    assertThrows(out, () -> batch.ttl(entry));
    assertThrows(out, () -> batch.icmpType(entry));
    assertThrows(out, () -> batch.icmpCode(entry));
    assertThrows(out, () -> batch.info(entry));
    assertThrows(out, () -> batch.isIcmp(entry));
    assertThrows(out, () -> batch.from(entry, 0, 0));
    assertThrows(out, () -> batch.setTos(entry, 0));
    assertThrows(out, () -> batch.setTtl(entry, 1));
    assertThrows(out, () -> batch.setWhole(entry));
    assertThrows(out, () -> batch.isTruncated(entry));
    assertThrows(out, () -> batch.addressHigh(entry));
    assertThrows(out, () -> batch.addressLow(entry));
    assertThrows(out, () -> batch.port(entry));
    assertThrows(out, () -> batch.error(entry));
    assertThrows(out, () -> batch.to(entry, 0, 0, 0));
    assertThrows(out, () -> batch.part(entry, batch.room(0), 1));
  }

  @Test
  void aDestinationStaysWithItsEntry() {
    batch.to(1, 0x2001_0db8_0000_0000L, -1, 65_535);
    batch.to(2, 0, MAPPED | 0xc000_0201L, 0);
    assertEquals(0x2001_0db8_0000_0000L, batch.addressHigh(1));
    assertEquals(-1, batch.addressLow(1));
    assertEquals(65_535, batch.port(1));
    assertEquals(0, batch.addressHigh(2));
    assertEquals(MAPPED | 0xc000_0201L, batch.addressLow(2));
    assertEquals(0, batch.port(2));
    assertEquals(0, batch.port(3));
  }

  @ParameterizedTest
  @CsvSource({"-1", "65536"})
  void aPortOutOfRangeIsRefused(int port) {
    assertThrows(IllegalArgumentException.class, () -> batch.to(0, 0, 0, port));
  }

  @Test
  void aPartMayLieInAnotherRoom() {
    batch.part(0, batch.room(3) + 10, 90);
    assertEquals(batch.room(3) + 10, batch.start(0));
    assertEquals(90, batch.length(0));
  }

  @Test
  void aPartOutsideTheRoomsIsRefused() {
    Class<IndexOutOfBoundsException> out = IndexOutOfBoundsException.class;
    int end = batch.bytes().capacity();
    assertThrows(out, () -> batch.part(0, batch.room(0) - 1, 1));
    assertThrows(out, () -> batch.part(0, 0, 10));
    assertThrows(out, () -> batch.part(0, end, 1));
    assertThrows(out, () -> batch.part(0, end - 10, 11));
    assertThrows(out, () -> batch.part(0, batch.room(0), -1));
    assertThrows(out, () -> batch.part(0, Integer.MIN_VALUE, 1));
    assertThrows(out, () -> batch.part(0, Integer.MAX_VALUE, Integer.MAX_VALUE));
    batch.part(0, end, 0);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 256})
  void tosAndTtlOutOfRangeAreRefused(int value) {
    assertThrows(IllegalArgumentException.class, () -> batch.setTos(0, value));
    assertThrows(IllegalArgumentException.class, () -> batch.setTtl(0, value));
  }

  @Test
  void aNewDestinationForgetsTheSourceAndTheError() {
    batch.error(2, 13);
    batch.from(2, 5, 6);
    batch.setTos(2, 0xb8);
    batch.setTtl(2, 17);
    batch.setWhole(2);
    assertEquals(5, batch.localHigh(2));
    assertEquals(6, batch.localLow(2));
    assertEquals(0xb8, batch.tos(2));
    assertEquals(17, batch.ttl(2));
    assertEquals(13, batch.error(2));
    batch.to(2, 0, MAPPED | 1, 9);
    assertEquals(0, batch.error(2));
    assertEquals(0, batch.localHigh(2));
    assertEquals(0, batch.localLow(2));
    assertEquals(0, batch.bytes().getShort(2 * DatagramBatch.ENTRY + 58)); // the flags
    assertFalse(batch.isTruncated(2));
  }
}
