// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.LongSupplier;
import org.netserv.mediarelay.core.Allocation;
import org.netserv.mediarelay.core.AllocationBytes;
import org.netserv.mediarelay.core.Keeper;
import org.netserv.mediarelay.core.KeptAllocation;
import org.netserv.mediarelay.core.Why;
import org.netserv.packet.Tally;

/**
 * The allocations of UDP clients in a file of the publisher's data directory, for the next process
 * if this one is killed.
 *
 * <pre>
 *      0  32 bytes: SHA-256 of the module's properties
 *     32  0, or 1 while a process makes the allocations again
 *   1024  {@link AllocationBytes} of one allocation, or zeros; and so on each 1024 bytes
 * </pre>
 *
 * <p>Each change is one write of one allocation, in the system's memory when it returns. So it
 * outlives the process, and not the machine. A write that was cut off leaves a wrong checksum, and
 * its allocation is not made again. The file is as long as the allocations of one time need. An
 * orderly end leaves it empty.
 *
 * <p><b>Threads.</b> Whoever holds the relay's lock.
 */
public final class AllocationFile implements Keeper, Closeable {
  /** Bytes of the digest of the properties. */
  static final int DIGEST = 32;

  private static final int HEADER = DIGEST + 1;
  private static final int READ_AT_ONCE = 64; // slots
  private static final byte WHOLE = 0;
  private static final byte RESTORING = 1;

  private final FileChannel file;
  private final LongSupplier millis;
  private final Tally<Why> tally;
  private final int most;
  private final ByteBuffer bytes = ByteBuffer.allocateDirect(AllocationBytes.MOST);
  private final BitSet taken = new BitSet();
  private boolean closed;

  private AllocationFile(FileChannel file, int most, LongSupplier millis, Tally<Why> tally) {
    this.file = file;
    this.most = most;
    this.millis = millis;
    this.tally = tally;
  }

  /**
   * Opens the file, or makes it.
   *
   * @param most allocations at once
   * @param millis milliseconds since 1970
   */
  public static AllocationFile open(Path path, int most, LongSupplier millis, Tally<Why> tally)
      throws IOException {
    FileChannel file =
        FileChannel.open(
            path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    return new AllocationFile(file, most, millis, tally);
  }

  /** Returns the present time, in milliseconds since 1970. */
  long millis() {
    return millis.getAsLong();
  }

  /**
   * An allocation that an earlier process has left.
   *
   * @param slot in which it stands
   */
  record Left(int slot, KeptAllocation allocation) {}

  /**
   * Returns the allocations that an earlier process has left under the same properties. Until
   * {@link #done} the file says that they are being made again. A process that finds that begins
   * with none, because they may have ended the one before.
   *
   * @param digest of the properties, 32 bytes
   */
  List<Left> begin(byte[] digest) throws IOException {
    List<Left> left = isWholeOf(digest) ? left() : List.of();
    if (left.isEmpty()) {
      file.truncate(0);
    }
    write(0, ByteBuffer.wrap(Arrays.copyOf(digest, HEADER)).put(DIGEST, RESTORING));
    return left;
  }

  /** The allocations that were left stand in their slots again, or are forgotten. */
  void done() {
    try {
      write(DIGEST, ByteBuffer.wrap(new byte[] {WHOLE}));
    } catch (IOException e) {
      tally.count(Why.NOT_KEPT);
    }
  }

  /** Returns an allocation to its slot. */
  void again(Allocation of, int slot) {
    taken.set(slot);
    of.slot(slot);
  }

  /** Forgets an allocation that was not made again. */
  void forget(int slot) {
    erase(slot);
  }

  private boolean isWholeOf(byte[] digest) throws IOException {
    ByteBuffer there = ByteBuffer.allocate(HEADER);
    return read(there, 0) == HEADER
        && there.flip().equals(ByteBuffer.wrap(Arrays.copyOf(digest, HEADER)).put(DIGEST, WHOLE));
  }

  private List<Left> left() throws IOException {
    List<Left> left = new ArrayList<>();
    ByteBuffer slots = ByteBuffer.allocate(READ_AT_ONCE * AllocationBytes.MOST);
    for (int first = 0; first < most && read(slots.clear(), at(first)) > 0; first += READ_AT_ONCE) {
      int end = slots.position();
      for (int i = first; i < most && (i - first) * AllocationBytes.MOST < end; i++) {
        int start = (i - first) * AllocationBytes.MOST;
        slots.limit(Math.min(end, start + AllocationBytes.MOST)).position(start);
        KeptAllocation kept = AllocationBytes.get(slots);
        if (kept != null) {
          left.add(new Left(i, kept));
        }
      }
    }
    return left;
  }

  /** Reads as much as there is. Returns the number of bytes. */
  private int read(ByteBuffer to, long at) throws IOException {
    while (to.hasRemaining() && file.read(to, at + to.position()) >= 0) {
      // goes on behind what has come
    }
    return to.position();
  }

  private static long at(int slot) {
    return (1L + slot) * AllocationBytes.MOST;
  }

  @Override
  public void changed(Allocation of, long now) {
    if (closed) {
      return;
    }
    if (!AllocationBytes.put(bytes, of, now, millis())) {
      ended(of); // it has moved to another kind of leg
      return;
    }
    int slot = of.slot();
    if (slot == Allocation.NO_SLOT) {
      slot = taken.nextClearBit(0);
      if (slot >= most) {
        tally.count(Why.NOT_KEPT);
        return;
      }
      taken.set(slot);
      of.slot(slot);
    }
    write(slot);
  }

  @Override
  public void ended(Allocation of) {
    int slot = of.slot();
    if (closed || slot == Allocation.NO_SLOT) {
      return;
    }
    of.slot(Allocation.NO_SLOT);
    taken.clear(slot);
    erase(slot);
  }

  private void erase(int slot) {
    bytes.clear().putLong(0, 0).limit(Long.BYTES);
    write(slot);
  }

  private void write(int slot) {
    try {
      write(at(slot), bytes);
    } catch (IOException e) {
      tally.count(Why.NOT_KEPT); // the disk is full, or its quota
    }
  }

  private void write(long at, ByteBuffer what) throws IOException {
    for (long to = at; what.hasRemaining(); ) {
      to += file.write(what, to);
    }
  }

  /** Empties the file. What ends from now on is not looked at. */
  @Override
  public void close() throws IOException {
    closed = true;
    try (file) {
      file.truncate(0);
    }
  }
}
