// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.log;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log in one H2 MVStore file: map {@code log}, record number to JSON. One append is one commit
 * and one fsync, so a kill leaves all of an append or nothing of it. After {@code compactAfter}
 * records all of them are replaced, in one commit, by an image of the state.
 *
 * <p>MVStore writes new chunks beside the live ones and opens at the newest chunk whose checksum
 * holds; space of dead chunks is reused only 45 s after their death (its retention time), so a torn
 * write never costs an older commit.
 */
public final class MvStoreLog implements NcmLog {
  private static final Logger LOG = LoggerFactory.getLogger(MvStoreLog.class);

  /** Unknown fields are those of a newer build of the same major: skipped. */
  private static final ObjectMapper JSON =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  private final Path file;
  private final int compactAfter;
  private MVStore store;
  private MVMap<Long, byte[]> records;
  private final DesiredState state = new DesiredState();
  private final List<Consumer<LogRecord>> watchers = new ArrayList<>();
  private long next;

  /**
   * Opens or makes the file and folds what is in it.
   *
   * @param compactAfter number of records, at least 2, after which an image replaces them
   * @throws LogException when the file is held by another process, damaged beyond its last good
   *     commit, or not readable
   */
  public MvStoreLog(Path file, int compactAfter) throws LogException {
    this.file = file;
    this.compactAfter = compactAfter;
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
      for (LogRecord record : added) {
        records.put(next++, JSON.writeValueAsBytes(record));
      }
      store.commit();
      store.sync();
    } catch (MVStoreException | JsonProcessingException e) {
      next = first;
      rollBack();
      throw new LogException(file + ": " + e.getMessage(), e);
    }
    for (LogRecord record : added) {
      state.apply(record);
      watchers.forEach(w -> w.accept(record));
    }
    if (records.size() >= compactAfter && !added.isEmpty()) {
      compact(added.get(added.size() - 1).time());
    }
  }

  /**
   * After a write that failed the store closes itself. What that write may have left behind is
   * refused already, so it goes before anything is added.
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

  private void compact(long time) {
    try {
      byte[] image = JSON.writeValueAsBytes(new LogRecord.Image(time, state.image()));
      records.clear();
      records.put(next++, image);
      store.commit();
      store.sync();
    } catch (MVStoreException | JsonProcessingException e) {
      rollBack();
      LOG.warn("{}: compaction failed, the log goes on growing: {}", file, e.getMessage());
    }
  }

  /** Number of records in the file now. */
  int size() {
    return records.size();
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
