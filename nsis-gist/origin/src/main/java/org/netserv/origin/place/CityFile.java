// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin.place;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.netserv.coverage.count.Counters;
import org.netserv.origin.count.OriginCounter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The city database of a file, which may be replaced at any time. Without a sound file all places
 * are unknown. A file that is damaged leaves the database before it in use. {@link #look} is called
 * on one thread, {@link #find} on any.
 */
public final class CityFile implements Places {
  private static final Logger LOG = LoggerFactory.getLogger(CityFile.class);

  /** The signs by which a replaced file is noticed. */
  private record Mark(Object key, long modified, long size) {
    static final Mark NONE = new Mark("", 0, 0);

    static Mark of(Path file) throws IOException {
      BasicFileAttributes is = Files.readAttributes(file, BasicFileAttributes.class);
      return new Mark(String.valueOf(is.fileKey()), is.lastModifiedTime().toMillis(), is.size());
    }
  }

  private final Path file;
  private final Counters counters;
  private volatile CityDatabase database;
  private volatile String state;
  private Mark seen = Mark.NONE;

  /**
   * A file, which is not read yet.
   *
   * @param file null = there is none
   */
  public CityFile(Path file, Counters counters) {
    this.file = file;
    this.counters = counters;
    this.state = file == null ? "none" : "missing";
  }

  /** Reads the file if it is another one than before. Returns whether places have changed. */
  public boolean look() {
    if (file == null) {
      return false;
    }
    try {
      Mark mark = Mark.of(file);
      if (mark.equals(seen)) {
        return false;
      }
      seen = mark;
      database = CityDatabase.read(file);
      counters.add(OriginCounter.PLACES_LOADED);
      state = "loaded: " + database.type();
      LOG.info("{}: {}", file, state);
      return true;
    } catch (NoSuchFileException e) {
      changed("missing", database == null ? "no places are known" : "the places before stay");
      seen = Mark.NONE;
    } catch (IOException e) {
      counters.add(OriginCounter.PLACES_DAMAGED);
      changed(
          "damaged: " + e.getMessage(),
          database == null ? "no places are known" : "the places before stay");
    }
    return false;
  }

  private void changed(String now, String effect) {
    if (!now.equals(state)) {
      LOG.warn("{} is {}; {}", file, now, effect);
    }
    state = now;
  }

  /** Returns the state of the file in words: none, missing, loaded or damaged. */
  public String state() {
    return state;
  }

  @Override
  public Place find(InetAddress address) {
    CityDatabase present = database;
    if (present == null) {
      return null;
    }
    try {
      return present.find(address);
    } catch (IOException e) {
      counters.add(OriginCounter.PLACES_FAILED);
      return null;
    }
  }
}
