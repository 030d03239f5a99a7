// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Checks the files that name the parties a node trusts. Such a file deserves only as much trust as
 * its possible writers. Root may own it, and so may the owner of its directory, because that owner
 * could replace it. A group may write if the owner permits it, because the administrator chooses
 * the members of the group. A file or directory that everybody may write is refused.
 */
public final class TrustedFile {
  private static final int ROOT = 0;
  private static final int WRITABLE_BY_ALL = 2;

  private TrustedFile() {}

  /**
   * Refuses a file if its owner is neither root nor the directory's owner, or if everybody may
   * write to the file or its directory. Links are followed.
   */
  public static void require(Path file) throws PolicyException {
    Path directory = file.toAbsolutePath().getParent();
    Owned outside = owned(directory);
    Owned inside = owned(file);
    if (outside.writableByAll()) {
      throw new PolicyException(directory, "everybody may write to it: chmod o-w");
    }
    String objection = objection(inside, outside);
    if (objection != null) {
      throw new PolicyException(file, objection);
    }
  }

  /** Returns the reason not to trust the file; null = the file is trusted. */
  static String objection(Owned file, Owned directory) {
    if (file.writableByAll()) {
      return "everybody may write to it: chmod o-w";
    }
    if (file.uid() != ROOT && file.uid() != directory.uid()) {
      return "belongs to user " + file.uid() + ", neither to root nor to its directory's owner";
    }
    return null;
  }

  /** Owner and permissions of a file. */
  record Owned(int uid, int mode) {
    boolean writableByAll() {
      return (mode & WRITABLE_BY_ALL) != 0;
    }
  }

  private static Owned owned(Path path) throws PolicyException {
    try {
      Map<String, Object> found = Files.readAttributes(path, "unix:uid,mode");
      return new Owned((Integer) found.get("uid"), (Integer) found.get("mode"));
    } catch (IOException e) {
      throw new PolicyException(path, "cannot be read: " + e.getMessage());
    }
  }
}
