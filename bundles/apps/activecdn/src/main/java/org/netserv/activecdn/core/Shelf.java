// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.util.List;
import java.util.function.Consumer;

/** The place below the memory, which keeps contents that the memory has no room for. */
interface Shelf {
  /** Keeps nothing. */
  Shelf NONE =
      new Shelf() {
        @Override
        public void write(Entry entry) {}

        @Override
        public void update(Entry entry) {}

        @Override
        public void forget(Entry entry) {}

        @Override
        public boolean has(Entry entry) {
          return false;
        }

        @Override
        public void read(Entry entry, Consumer<List<byte[]>> then) {
          then.accept(null);
        }

        @Override
        public void flush(Runnable then) {
          then.run();
        }

        @Override
        public long bytes() {
          return 0;
        }
      };

  /** Begins to write an entry whose content is whole, unless the shelf has it or is busy. */
  void write(Entry entry);

  /** Writes the new head of an entry. */
  void update(Entry entry);

  /** Removes an entry for good. */
  void forget(Entry entry);

  /** Tells whether an entry's content can be read back. */
  boolean has(Entry entry);

  /**
   * Reads a content back.
   *
   * @param then takes its blocks, or null if they are not what was written
   */
  void read(Entry entry, Consumer<List<byte[]>> then);

  /** Hears when all that was said before is written for good. */
  void flush(Runnable then);

  /** Bytes on the disk. */
  long bytes();
}
