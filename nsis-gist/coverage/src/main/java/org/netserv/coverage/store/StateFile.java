// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage.store;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;
import org.netserv.coverage.CoverageStore;
import org.netserv.coverage.count.Counters;
import org.netserv.coverage.count.PathCounter;
import org.netserv.values.Addresses;
import org.netserv.values.BadValueException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tables of text in one H2 MVStore file, among them the nodes and addresses of coverages. MVStore
 * writes new chunks beside the live ones and opens at the newest chunk with a valid checksum.
 * Therefore a kill or a torn write leaves the state of an earlier {@link #commit}. All of it is
 * soft state. Users that are missing come back with their next message, and a node that is missing
 * is asked again.
 *
 * <p>Changes wait in memory until a commit. A full disk therefore loses nothing, as long as it has
 * room again before {@link #MOST_PENDING} changes wait. A file that cannot be opened is put aside
 * as {@code NAME.damaged}, and the process begins empty. Belongs to the coverage's thread.
 */
public final class StateFile implements AutoCloseable {
  /** Bytes by which the file may outgrow its last compaction. */
  static final long GROWTH = 16 << 20;

  /** Changes that wait for a disk at most; all are given up when there are more. */
  static final int MOST_PENDING = 500_000;

  private static final Logger LOG = LoggerFactory.getLogger(StateFile.class);
  private static final int COMPACT_MILLIS = 500;

  /** A key of a table. */
  private record Cell(String table, String key) {}

  private final Path file;
  private final Counters counters;

  /** Changes since the last commit; a value of null takes the key away. */
  private final Map<Cell, String> pending = new HashMap<>();

  private MVStore store;
  private long compacted;
  private boolean failing;

  /**
   * Opens or makes the file.
   *
   * @throws IOException when another process holds the file, or it cannot be made
   */
  public StateFile(Path file, Counters counters) throws IOException {
    this.file = file;
    this.counters = counters;
    Files.createDirectories(file.toAbsolutePath().getParent());
    try {
      open();
    } catch (MVStoreException e) {
      if (e.getErrorCode() == DataUtils.ERROR_FILE_LOCKED) {
        throw new IOException(file + ": another process runs with this state", e);
      }
      startOver(e);
    }
  }

  private void startOver(MVStoreException damage) throws IOException {
    Path aside = file.resolveSibling(file.getFileName() + ".damaged");
    LOG.warn("{} is damaged and becomes {}: {}", file, aside, damage.getMessage());
    try {
      Files.move(file, aside, StandardCopyOption.REPLACE_EXISTING);
      open();
    } catch (MVStoreException e) {
      throw new IOException(file + ": " + e.getMessage(), e);
    }
  }

  private void open() {
    MVStore opened =
        new MVStore.Builder().fileName(file.toString()).autoCommitDisabled().cacheSize(1).open();
    try {
      for (String name : opened.getMapNames()) {
        opened.<String, String>openMap(name).forEach((key, value) -> {});
      }
    } catch (MVStoreException e) {
      opened.closeImmediately();
      throw e;
    }
    store = opened;
    compacted = size();
  }

  /** Returns a copy of a table as it was at the last commit. */
  public Map<String, String> table(String name) {
    Map<String, String> copy = new LinkedHashMap<>();
    store.<String, String>openMap(name).forEach(copy::put);
    return copy;
  }

  /** Returns the nodes and addresses of a part. */
  public CoverageStore coverage(String part) {
    return new Module(part + ".nodes", part + ".addresses");
  }

  /** Changes a key of a table at the next commit. A value of null takes the key away. */
  public void change(String table, String key, String value) {
    pending.put(new Cell(table, key), value);
    if (pending.size() > MOST_PENDING) {
      pending.clear();
      counters.add(PathCounter.STORE_FAILED);
    }
  }

  /** Writes the changes since the last commit. A failure is counted, and tried again. */
  public void commit() {
    if (pending.isEmpty()) {
      return;
    }
    try {
      if (store.isClosed()) {
        open();
      }
      pending.forEach(this::write);
      store.commit();
      store.sync();
      pending.clear();
      failing = false;
      if (size() - compacted > GROWTH) {
        store.compactFile(COMPACT_MILLIS);
        compacted = size();
      }
    } catch (MVStoreException e) {
      counters.add(PathCounter.STORE_FAILED);
      store.closeImmediately();
      if (!failing) {
        LOG.warn("{}: cannot be written: {}", file, e.getMessage());
        failing = true;
      }
    }
  }

  private void write(Cell cell, String value) {
    MVMap<String, String> map = store.openMap(cell.table());
    if (value == null) {
      map.remove(cell.key());
    } else {
      map.put(cell.key(), value);
    }
  }

  private long size() {
    try {
      return Files.size(file);
    } catch (IOException e) {
      return compacted;
    }
  }

  /** Writes what waits, and gives the file back. */
  @Override
  public void close() {
    commit();
    try {
      store.close(COMPACT_MILLIS);
    } catch (MVStoreException e) {
      LOG.warn("{}: {}", file, e.getMessage());
    }
  }

  /** The tables of one part. */
  private final class Module implements CoverageStore {
    private final String nodes;
    private final String addresses;

    Module(String nodes, String addresses) {
      this.nodes = nodes;
      this.addresses = addresses;
    }

    @Override
    public Map<String, Saved> nodes() {
      Map<String, Saved> all = new LinkedHashMap<>();
      table(nodes).forEach((id, text) -> read(all, id, text));
      return all;
    }

    private void read(Map<String, Saved> to, String id, String text) {
      String[] words = text.split(" ", -1);
      try {
        to.put(id, saved(words));
      } catch (BadValueException | NumberFormatException e) {
        LOG.warn("{}: node {} is left out: {}", file, id, e.getMessage());
      }
    }

    private Saved saved(String[] words) throws BadValueException {
      if (words.length != 3) {
        throw new BadValueException("not a time and two addresses");
      }
      long until = Long.parseLong(words[0]);
      return new Saved(Addresses.parse(words[1]), until, Addresses.parse(words[2]));
    }

    @Override
    public Map<InetAddress, String> addresses() {
      Map<InetAddress, String> all = new LinkedHashMap<>();
      for (Map.Entry<String, String> entry : table(addresses).entrySet()) {
        try {
          all.put(Addresses.parse(entry.getKey()), entry.getValue());
        } catch (BadValueException e) {
          LOG.warn("{}: an address is left out: {}", file, e.getMessage());
        }
      }
      return all;
    }

    @Override
    public void node(String nodeId, Saved node) {
      String addresses = Addresses.print(node.at()) + " " + Addresses.print(node.along());
      change(nodes, nodeId, node.until() + " " + addresses);
    }

    @Override
    public void forgetNode(String nodeId) {
      change(nodes, nodeId, null);
    }

    @Override
    public void address(InetAddress address, String nodeId) {
      change(addresses, Addresses.print(address), nodeId);
    }

    @Override
    public void forgetAddress(InetAddress address) {
      change(addresses, Addresses.print(address), null);
    }
  }
}
