// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin.place;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.maxmind.db.Reader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.values.Addresses;
import org.netserv.values.BadValueException;
import org.netserv.values.Prefix;

/** MaxMind's own reader finds in a database what was written into it. */
class CityWriterTest {
  private static final List<String> TABLE =
      List.of(
          "# places of the documentation's prefixes",
          "192.0.2.0/24,52.52,13.405,Berlin",
          "198.51.100.0/24,53.551,9.993,Hamburg",
          "198.51.100.128/25,48.137,11.575,München, east",
          "",
          "2001:db8::/32,-33.868,151.209,Sydney",
          "2001:db8:1::1/128,-37.81,144.963,Melbourne");

  @TempDir Path directory;

  static byte[] database() throws BadValueException {
    return CityWriter.write(CityTable.read(TABLE), 1_795_802_699L);
  }

  private static InetAddress ip(String text) throws BadValueException {
    return Addresses.parse(text);
  }

  @Test
  void theReaderFindsTheEntryOfTheLongestPrefix() throws Exception {
    Reader reader = new Reader(new ByteArrayInputStream(database()));
    assertEquals("NetServ-City", reader.getMetadata().databaseType());
    assertEquals(1_795_802_699L, reader.getMetadata().buildEpoch().longValue());
    assertEquals("Berlin", name(reader, "192.0.2.7"));
    assertEquals("Hamburg", name(reader, "198.51.100.127"));
    assertEquals("München, east", name(reader, "198.51.100.128"));
    assertEquals("Sydney", name(reader, "2001:db8:1::2"));
    assertEquals("Melbourne", name(reader, "2001:db8:1::1"));
    assertNull(reader.get(ip("192.0.3.1"), Map.class));
    assertNull(reader.get(ip("2001:db9::1"), Map.class));
  }

  private static Object name(Reader reader, String address) throws Exception {
    Map<?, ?> entry = reader.get(ip(address), Map.class);
    Map<?, ?> city = (Map<?, ?>) entry.get("city");
    return ((Map<?, ?>) city.get("names")).get("en");
  }

  @Test
  void randomPrefixesAreFoundAsAListWouldFindThem() throws Exception {
    Random random = new Random(4);
    List<CityWriter.Entry> entries = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      int length = 1 + random.nextInt(32);
      int bits = random.nextInt() & (-1 << (32 - length));
      byte[] address = {(byte) (bits >> 24), (byte) (bits >> 16), (byte) (bits >> 8), (byte) bits};
      Prefix prefix = new Prefix(Addresses.of(address), length);
      if (entries.stream().noneMatch(entry -> entry.prefix().equals(prefix))) {
        entries.add(new CityWriter.Entry(prefix, new Place(i % 90, i % 180), "city " + i));
      }
    }
    Reader reader = new Reader(new ByteArrayInputStream(CityWriter.write(entries, 0)));
    for (int i = 0; i < 2000; i++) {
      byte[] bytes = new byte[4];
      random.nextBytes(bytes);
      InetAddress address = Addresses.of(bytes);
      CityWriter.Entry longest = null;
      for (CityWriter.Entry entry : entries) {
        boolean longer = longest == null || entry.prefix().length() > longest.prefix().length();
        longest = entry.prefix().contains(address) && longer ? entry : longest;
      }
      String found =
          reader.get(address, Map.class) == null ? null : String.valueOf(name(reader, text(bytes)));
      assertEquals(longest == null ? null : longest.name(), found);
    }
  }

  private static String text(byte[] bytes) {
    return Addresses.print(Addresses.of(bytes));
  }

  /** A file that ends anywhere is refused with a reason, or tells places that exist. */
  @Test
  void aTornOrDamagedFileIsRefusedOrTellsSoundPlaces() throws Exception {
    byte[] whole = database();
    for (int length = 0; length < whole.length; length++) {
      Path file = Files.write(directory.resolve("torn"), Arrays.copyOf(whole, length));
      IOException refusal = assertThrows(IOException.class, () -> CityDatabase.read(file));
      assertTrue(refusal.getMessage() != null, "a reason at " + length);
    }
    Random random = new Random(5);
    for (int round = 0; round < 3000; round++) {
      byte[] bad = whole.clone();
      for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
        bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
      }
      Path file = Files.write(directory.resolve("damaged"), bad);
      try {
        Place place = CityDatabase.read(file).find(ip("198.51.100.200"));
        assertTrue(place == null || place.sound());
      } catch (IOException e) {
        assertTrue(e.getMessage() != null);
      }
    }
  }

  @Test
  void aTableThatIsWrongIsRefusedWithItsLine() {
    for (String line :
        List.of(
            "192.0.2.0/24,1,2",
            "192.0.2.1/24,1,2,x",
            "192.0.2.0/24,91,2,x",
            "192.0.2.0/24,NaN,2,x",
            "name,1,2,x")) {
      BadValueException refusal =
          assertThrows(BadValueException.class, () -> CityTable.read(List.of("# first", line)));
      assertTrue(refusal.getMessage().startsWith("line 2: "), refusal.getMessage());
    }
  }
}
