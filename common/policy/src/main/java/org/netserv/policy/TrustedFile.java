// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Files that say whom a node trusts: as good as whoever may write them. Root's are, and those of
 * the owner of their directory, who could put others in their place. A group may write where the
 * owner lets it: who is in it is the administrator's choice; everybody is not.
 */
public final class TrustedFile {
  private static final int ROOT = 0;
  private static final int WRITABLE_BY_ALL = 2;

  private TrustedFile() {}

  /** Refuses a file that somebody may have written whom nobody chose. Links are followed. */
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

  /** Why the file is not trusted; null = it is. */
  static String objection(Owned file, Owned directory) {
    if (file.writableByAll()) {
      return "everybody may write to it: chmod o-w";
    }
    if (file.uid() != ROOT && file.uid() != directory.uid()) {
      return "belongs to user " + file.uid() + ", neither to root nor to its directory's owner";
    }
    return null;
  }

  /** Whose, and who may do what. */
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
