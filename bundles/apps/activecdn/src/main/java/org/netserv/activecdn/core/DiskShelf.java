// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.netserv.activecdn.disk.DiskLog;
import org.netserv.activecdn.disk.LogDirectory;
import org.netserv.activecdn.disk.Place;
import org.netserv.packet.Tally;

/**
 * The disk below a memory store, whose responses outlive the process.
 *
 * <p>A response is written when it is stored, and again when it is asked for after its segment of
 * the log has gone. So the log keeps what people read.
 */
public final class DiskShelf implements Shelf, DiskLog.Owners<Entry>, AutoCloseable {
  /** Milliseconds of a freshness lifetime that is worth a record. */
  private static final long LONG = 60_000;

  private final MemoryStore store;
  private final Tally<Why> tally;
  private final DiskLog<Entry> log;

  private DiskShelf(
      MemoryStore store,
      Tally<Why> tally,
      LogDirectory<Entry> found,
      DiskLog.Bounds bounds,
      DiskLog.Threads threads) {
    this.store = store;
    this.tally = tally;
    log = new DiskLog<>(found, bounds, threads, this);
  }

  /**
   * Puts a shelf below an empty store, with what an earlier process left on the disk.
   *
   * @throws IOException if the directory or a file of it cannot be opened
   */
  public static DiskShelf below(
      MemoryStore store,
      LogDirectory<Entry> directory,
      DiskLog.Bounds bounds,
      DiskLog.Threads threads,
      EdgeSettings settings,
      Tally<Why> tally)
      throws IOException {
    EntryCodec codec = new EntryCodec(settings.cache(), settings.limits());
    LogDirectory<Entry> found = directory.open(bounds.bytes(), new Replay(codec));
    DiskShelf shelf = new DiskShelf(store, tally, found, bounds, threads);
    store.shelve(shelf);
    for (Place<Entry> place : found.places()) {
      place.owner().place = place;
      store.restore(place.owner());
      tally.count(Why.RESTORED);
    }
    return shelf;
  }

  /** Makes entries of what is on the disk. */
  private static final class Replay implements LogDirectory.Replay<Entry> {
    private final EntryCodec codec;

    Replay(EntryCodec codec) {
      this.codec = codec;
    }

    @Override
    public Entry stored(byte[] about, long length) {
      Entry entry = codec.read(about);
      return entry != null && Math.max(0, entry.length()) == length ? entry : null;
    }

    @Override
    public boolean updated(Entry entry, byte[] about) {
      Entry newer = codec.read(about);
      if (newer == null
          || !newer.key.equals(entry.key)
          || newer.length() != entry.length()
          || newer.index != entry.index) {
        return false;
      }
      entry.head(newer.head());
      return true;
    }

    @Override
    public void doubted(Entry entry) {
      entry.head(entry.head().invalidated());
    }
  }

  @Override
  public void write(Entry entry) {
    long length = entry.content.length();
    if (entry.place != null || length > log.most()) {
      return;
    }
    entry.place = log.append(entry, EntryCodec::write, entry.content.blocks(), length);
    if (entry.place == null) {
      tally.count(Why.DISK_BUSY);
    }
  }

  /**
   * Writes the new head of an entry, unless the one on the disk does as well: it is older, and is
   * validated sooner.
   */
  @Override
  public void update(Entry entry) {
    boolean needed = entry.head().isInvalidated();
    if (entry.place != null && (needed || entry.head().lifetime() >= LONG)) {
      log.update(entry.place, EntryCodec.write(entry), needed);
    }
  }

  @Override
  public void forget(Entry entry) {
    Place<Entry> place = entry.place;
    entry.place = null;
    if (place != null) {
      log.remove(place);
    }
  }

  @Override
  public boolean has(Entry entry) {
    return entry.place != null && entry.place.isWritten();
  }

  @Override
  public void read(Entry entry, Consumer<List<byte[]>> then) {
    log.read(entry.place, Content.BLOCK, then);
  }

  @Override
  public void flush(Runnable then) {
    log.flush(then);
  }

  @Override
  public long bytes() {
    return log.bytes();
  }

  @Override
  public void lost(Entry entry) {
    entry.place = null;
    store.lost(entry);
  }

  @Override
  public void failed() {
    tally.count(Why.DISK_FAILED);
  }

  /** Lets the disk's thread write all that waits, and close the files. */
  @Override
  public void close() {
    log.close();
  }
}
