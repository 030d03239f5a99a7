// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin.place;

import com.maxmind.db.DatabaseRecord;
import com.maxmind.db.InvalidNetworkException;
import com.maxmind.db.Reader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import org.netserv.values.Addresses;

/**
 * A city database in memory, such as GeoLite2-City. It is read as a whole, because a file that is
 * cut while it is mapped would end the process. Safe for several threads.
 */
final class CityDatabase {
  /** Bytes of the largest file. */
  static final long MOST_BYTES = 256L << 20;

  /** Entries, and addresses, that are looked up to see whether the file is sound. */
  private static final int TRIALS = 256;

  private final Reader reader;
  private final String type;

  private CityDatabase(Reader reader, String type) {
    this.reader = reader;
    this.type = type;
  }

  /**
   * Reads a file and tries it out.
   *
   * @throws IOException when the file cannot be read, or is no city database
   */
  static CityDatabase read(Path file) throws IOException {
    if (Files.size(file) > MOST_BYTES) {
      throw new IOException("longer than " + MOST_BYTES + " bytes");
    }
    try {
      Reader reader = new Reader(new ByteArrayInputStream(Files.readAllBytes(file)));
      String type = String.valueOf(reader.getMetadata().databaseType());
      if (!type.contains("City")) {
        throw new IOException("not a city database: " + type);
      }
      CityDatabase database = new CityDatabase(reader, type);
      database.tryOut();
      return database;
    } catch (InvalidNetworkException | RuntimeException | StackOverflowError e) {
      throw new IOException(String.valueOf(e.getMessage()), e);
    }
  }

  /** Reads the first entries, and looks addresses up all over the tree. */
  private void tryOut() throws IOException, InvalidNetworkException {
    Iterator<DatabaseRecord<City>> entries = reader.networks(City.class);
    for (int i = 0; i < TRIALS; i++) {
      find(Addresses.of(new byte[] {(byte) i, (byte) (i * 7), (byte) (i * 13), 1}));
      if (entries.hasNext()) {
        entries.next();
      }
    }
  }

  /** Returns the type that the file states, for people. */
  String type() {
    return type;
  }

  /**
   * Returns the place of an address; null = not known.
   *
   * @throws IOException when the database is damaged there
   */
  Place find(InetAddress address) throws IOException {
    try {
      City city = reader.get(address, City.class);
      return city == null ? null : city.place();
    } catch (RuntimeException | StackOverflowError e) {
      throw new IOException(String.valueOf(e.getMessage()), e);
    }
  }
}
