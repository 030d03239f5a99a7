// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.zip;

import static org.netserv.artifact.refusal.VerifyException.Reason.STRUCTURE;
import static org.netserv.artifact.refusal.VerifyException.Reason.ZIP64;

import java.util.Set;
import org.netserv.artifact.refusal.VerifyException;

/** Admits only extra fields that no reader takes for sizes, names or data. */
final class ExtraFields {
  private static final int ZIP64_SIZES = 0x0001;
  // Java's jar mark, NTFS and Unix times, Unix owners.
  private static final Set<Integer> HARMLESS =
      Set.of(0xcafe, 0x000a, 0x5455, 0x5855, 0x7855, 0x7875);

  private ExtraFields() {}

  static void check(LittleEndian bytes, int at, int length, String name) throws VerifyException {
    int end = at + length;
    int field = at;
    while (field < end) {
      if (end - field < 4 || end - field - 4 < bytes.int16(field + 2)) {
        throw new VerifyException(STRUCTURE, name + ": an extra field runs over its end");
      }
      int id = bytes.int16(field);
      if (id == ZIP64_SIZES) {
        throw new VerifyException(ZIP64, name + ": zip64 sizes");
      }
      if (!HARMLESS.contains(id)) {
        throw new VerifyException(STRUCTURE, name + ": extra field 0x" + Integer.toHexString(id));
      }
      field += 4 + bytes.int16(field + 2);
    }
  }
}
