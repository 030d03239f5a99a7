// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin.place;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.coverage.count.Counters;
import org.netserv.origin.count.OriginCounter;
import org.netserv.values.Addresses;
import org.netserv.values.BadValueException;

/** The file may be missing, damaged or replaced at any time. */
class CityFileTest {
  private static final Place BERLIN = new Place(52.52, 13.405);

  @TempDir Path directory;
  private final Counters counters = new Counters(OriginCounter.values());

  private static InetAddress ip(String text) throws BadValueException {
    return Addresses.parse(text);
  }

  @Test
  void withoutAFileAllPlacesAreUnknown() throws BadValueException {
    CityFile places = new CityFile(null, counters);
    assertFalse(places.look());
    assertEquals("none", places.state());
    assertNull(places.find(ip("192.0.2.1")));
  }

  @Test
  void aFileThatComesLaterIsTakenUpAndADamagedOneIsNot() throws IOException, BadValueException {
    Path file = directory.resolve("city.mmdb");
    CityFile places = new CityFile(file, counters);
    assertFalse(places.look());
    assertEquals("missing", places.state());
    replace(file, CityWriterTest.database());
    assertTrue(places.look());
    assertEquals("loaded: NetServ-City", places.state());
    assertEquals(BERLIN, places.find(ip("192.0.2.1")));
    assertFalse(places.look(), "the same file is read once");
    replace(file, new byte[] {1, 2, 3});
    assertFalse(places.look());
    assertTrue(places.state().startsWith("damaged: "), places.state());
    assertEquals(BERLIN, places.find(ip("192.0.2.1")), "the places before stay");
    replace(file, CityWriter.write(CityTable.read(List.of("192.0.2.0/24,1,2,x")), 0));
    assertTrue(places.look());
    assertEquals(new Place(1, 2), places.find(ip("192.0.2.1")));
    assertEquals(2, counters.get(OriginCounter.PLACES_LOADED));
    assertEquals(1, counters.get(OriginCounter.PLACES_DAMAGED));
  }

  private void replace(Path file, byte[] content) throws IOException {
    Files.deleteIfExists(file);
    Files.write(file, content);
  }

  @Test
  void aDatabaseOfAnotherKindIsRefusedByName() throws IOException, BadValueException {
    byte[] other = CityWriterTest.database();
    String text = new String(other, java.nio.charset.StandardCharsets.ISO_8859_1);
    other[text.indexOf("NetServ-City") + 8] = 'N';
    CityFile places = new CityFile(Files.write(directory.resolve("asn.mmdb"), other), counters);
    assertFalse(places.look());
    assertEquals("damaged: not a city database: NetServ-Nity", places.state());
  }

  @Test
  void distancesAreThoseOnTheEarth() {
    Place hamburg = new Place(53.551, 9.993);
    Place sydney = new Place(-33.868, 151.209);
    assertEquals(255, BERLIN.kilometres(hamburg), 1);
    assertEquals(255, hamburg.kilometres(BERLIN), 1);
    assertEquals(16_096, BERLIN.kilometres(sydney), 30);
    assertEquals(0, BERLIN.kilometres(BERLIN));
    assertEquals(20_015, new Place(0, 0).kilometres(new Place(0, 180)), 1);
  }
}
