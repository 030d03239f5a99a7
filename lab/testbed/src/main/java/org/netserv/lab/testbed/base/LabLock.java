// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.base;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Keeps a second run of the same testbed from deleting the first run's. It is a lock on {@code
 * /run/netserv-lab/LAB.lock}, which ends with its holder's process in any case.
 */
public final class LabLock implements Closeable {
  private final FileChannel file;

  private LabLock(FileChannel file) {
    this.file = file;
  }

  /** Takes the lock. Refuses if another run has it. */
  public static LabLock take(String lab) throws IOException {
    Path state = LabHome.state(lab);
    Files.createDirectories(state.getParent());
    Path name = state.resolveSibling(lab + ".lock");
    FileChannel file = FileChannel.open(name, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (!locked(file)) {
      file.close();
      throw new LabException(
          "lab " + lab + " is in use by " + Files.readString(name).strip() + "; wait for its end");
    }
    String holder = "process " + ProcessHandle.current().pid() + " of " + LabHome.home() + "\n";
    file.truncate(0);
    file.write(ByteBuffer.wrap(holder.getBytes(StandardCharsets.UTF_8)));
    return new LabLock(file);
  }

  private static boolean locked(FileChannel file) throws IOException {
    try {
      return file.tryLock() != null;
    } catch (OverlappingFileLockException e) {
      return false;
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
