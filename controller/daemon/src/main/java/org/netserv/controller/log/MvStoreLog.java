// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.log;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log in one H2 MVStore file. Its map {@code log} has a JSON object for each record number. One
 * append is one commit and one fsync, so a kill leaves all of an append or nothing of it.
 *
 * <p>MVStore writes new chunks beside the live ones and opens at the newest chunk with a valid
 * checksum. It reuses the space of dead chunks only 45 s after their death (its retention time), so
 * a torn write never costs an older commit. A store therefore never shrinks by itself. After {@code
 * compactAfter} records, or when the file has grown by {@link #GROWTH}, an image of the state is
 * written to a new file. The new file takes the place of the old one in one rename, so the live
 * state bounds the space on disk.
 */
public final class MvStoreLog implements NcmLog {
  private static final Logger LOG = LoggerFactory.getLogger(MvStoreLog.class);

  /** Bytes by which the file may outgrow its last image before it is compacted. */
  static final long GROWTH = 16 << 20;

  /** Skips unknown fields, which a newer build of the same major version has written. */
  private static final ObjectMapper JSON =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  private final Path file;
  private final int compactAfter;
  private MVStore store;
  private MVMap<Long, byte[]> records;
  private final DesiredState state = new DesiredState();
  private final List<Consumer<LogRecord>> watchers = new ArrayList<>();
  private long next;
  private long compacted;

  /** Number of records at which the next compaction is due. */
  private long due;

  /** The new file has its name, but a power cut might still bring back the old one. */
  private boolean renamed;

  /**
   * Opens or makes the file and folds its records.
   *
   * @param compactAfter number of records, at least 2, after which an image replaces them
   * @throws LogException when the file is held by another process, damaged beyond its last good
   *     commit, or not readable
   */
  public MvStoreLog(Path file, int compactAfter) throws LogException {
    this.file = file;
    this.compactAfter = compactAfter;
    this.due = compactAfter;
    this.store = open(file);
    try {
      this.records = store.openMap("log");
      for (Long number : records.keyList()) {
        state.apply(decode(number, records.get(number)));
        next = number + 1;
      }
    } catch (MVStoreException e) {
      store.closeImmediately();
      throw new LogException(file + ": " + e.getMessage(), e);
    } catch (LogException e) {
      store.closeImmediately();
      throw e;
    }
  }

  private static MVStore open(Path file) throws LogException {
    try {
      return new MVStore.Builder()
          .fileName(file.toString())
          .autoCommitDisabled()
          .cacheSize(1)
          .open();
    } catch (MVStoreException e) {
      throw new LogException(file + ": " + e.getMessage(), e);
    }
  }

  private LogRecord decode(long number, byte[] json) throws LogException {
    try {
      return JSON.readValue(json, LogRecord.class);
    } catch (IOException e) {
      throw new LogException(file + ": record " + number + ": " + e.getMessage(), e);
    }
  }

  @Override
  public void append(List<LogRecord> added) throws LogException {
    long first = next;
    try {
      reopen();
      syncName();
      for (LogRecord record : added) {
        records.put(next++, JSON.writeValueAsBytes(record));
      }
      store.commit();
      store.sync();
    } catch (MVStoreException | IOException e) {
      next = first;
      rollBack();
      throw new LogException(file + ": " + e.getMessage(), e);
    }
    for (LogRecord record : added) {
      state.apply(record);
      watchers.forEach(w -> w.accept(record));
    }
    if (!added.isEmpty() && (records.size() >= due || grown() > GROWTH)) {
      compact(added.get(added.size() - 1).time());
    }
  }

  /**
   * Opens the store again, which closes itself after a failed write. Records of that write may be
   * left in the file. Their messages have been refused already, so the records go before anything
   * is added.
   */
  private void reopen() throws LogException {
    if (!store.isClosed()) {
      return;
    }
    store = open(file);
    records = store.openMap("log");
    for (Long number : records.keyList()) {
      if (number >= next) {
        records.remove(number);
      }
    }
  }

  private void rollBack() {
    try {
      store.rollback();
    } catch (MVStoreException e) {
      LOG.warn("{}: closed after a failed write, opened again by the next one", file);
    }
  }

  private long grown() {
    try {
      return Files.size(file) - compacted;
    } catch (IOException e) {
      return 0; // The next append finds out what is wrong, and says so.
    }
  }

  /**
   * Writes an image of the state to a new file and gives it the old one's name. A failure before
   * the rename leaves the old file as it is.
   */
  private void compact(long time) {
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    MVStore image = null;
    try {
      Files.deleteIfExists(fresh);
      image = open(fresh);
      MVMap<Long, byte[]> only = image.openMap("log");
      only.put(next, JSON.writeValueAsBytes(new LogRecord.Image(time, state.image())));
      image.commit();
      image.sync();
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
      store.closeImmediately();
      store = image;
      records = only;
      next++;
      renamed = true;
      due = compactAfter;
      compacted = Files.size(file);
      syncName();
    } catch (MVStoreException | IOException | LogException e) {
      LOG.warn("{}: compaction failed, the log goes on growing: {}", file, e.getMessage());
      if (image != null && image != store) {
        image.closeImmediately();
      }
      // The next try comes later, not with each append.
      due = records.size() + Math.max(1L, compactAfter / 10);
      compacted += grown();
    }
  }

  private void syncName() throws IOException {
    if (renamed) {
      try (FileChannel directory =
          FileChannel.open(file.toAbsolutePath().getParent(), StandardOpenOption.READ)) {
        directory.force(true);
      }
      renamed = false;
    }
  }

  /** Number of records in the file now. */
  int size() {
    return records.size();
  }

  @Override
  public void forget(long now) {
    state.forget(now);
  }

  @Override
  public DesiredState snapshot() {
    return state;
  }

  @Override
  public void watch(Consumer<LogRecord> watcher) {
    watchers.add(watcher);
  }

  @Override
  public void close() {
    // Everything is committed: no final compaction, so that an orderly stop takes no longer than a
    // kill.
    store.closeImmediately();
  }
}
