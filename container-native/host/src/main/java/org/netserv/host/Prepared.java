// SPDX-License-Identifier: Apache-2.0
package org.netserv.host;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import org.eclipse.osgi.storagemanager.StorageManager;

/**
 * The state that the framework writes about its bundles and their wires when it stops. The
 * rehearsal saves the state of a framework that has just the building blocks. A framework that
 * starts with this state does not install and resolve the blocks again. The state stands behind the
 * class data, in a file that a container can only read:
 *
 * <pre>
 *   class data | the framework's state | length of the state, u64 | MAGIC
 * </pre>
 *
 * <p>The framework compares the state with the Java and the kernel that it finds, and resolves anew
 * if it must.
 */
final class Prepared {
  private static final long MAGIC = 0x4e53_4652_414d_4531L; // NSFRAME1
  private static final int TAIL = 2 * Long.BYTES;
  private static final int MOST = 1 << 20;
  private static final String AREA = "org.eclipse.osgi";
  private static final String STATE = "framework.info";
  private static final String MANAGER = ".manager";

  private Prepared() {}

  /**
   * Saves the last state in the framework's storage to a file, with the tail. Called after the
   * framework's end.
   */
  static void save(Path storage, Path to) throws IOException {
    StorageManager manager = new StorageManager(storage.resolve(AREA).toFile(), "none", true);
    manager.open(true);
    File state = manager.lookup(STATE, false);
    manager.close();
    if (state == null) {
      throw new IOException("the framework has written no " + STATE);
    }
    Files.copy(state.toPath(), to, StandardCopyOption.REPLACE_EXISTING);
    ByteBuffer tail = ByteBuffer.allocate(TAIL).putLong(Files.size(to)).putLong(MAGIC);
    Files.write(to, tail.array(), StandardOpenOption.APPEND);
  }

  /**
   * Gives a framework that has not been made yet the state behind the class data, as its
   * StorageManager would have left it. The StorageManager itself would date its table, with the
   * names of all time zones.
   *
   * @param storage is emptied, because files of a module from an earlier life are not the
   *     framework's
   * @param archive empty for none
   * @return false if there is no state; then nothing was done
   */
  static boolean place(Path storage, String archive) throws IOException {
    byte[] state = archive.isEmpty() ? null : read(Path.of(archive));
    if (state == null) {
      return false;
    }
    clear(storage);
    Path area = storage.resolve(AREA);
    Files.createDirectories(area.resolve(MANAGER));
    Files.write(area.resolve(STATE + ".1"), state);
    Files.writeString(area.resolve(MANAGER).resolve(".fileTable.1"), STATE + "=1\n");
    return true;
  }

  private static byte[] read(Path archive) throws IOException {
    try (FileChannel file = FileChannel.open(archive)) {
      long end = file.size() - TAIL;
      if (end < 0) {
        return null;
      }
      ByteBuffer tail = read(file, end, TAIL);
      long length = tail.getLong();
      if (tail.getLong() != MAGIC || length <= 0 || length > Math.min(end, MOST)) {
        return null;
      }
      return read(file, end - length, (int) length).array();
    }
  }

  private static ByteBuffer read(FileChannel file, long at, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    while (bytes.hasRemaining()) {
      if (file.read(bytes, at + bytes.position()) < 0) {
        throw new IOException("the archive has become shorter");
      }
    }
    return bytes.flip();
  }

  /** Removes a directory with all that is in it; follows no link. */
  static void clear(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, IOException failed)
              throws IOException {
            Files.delete(visited);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
