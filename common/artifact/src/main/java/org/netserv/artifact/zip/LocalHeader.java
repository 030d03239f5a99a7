// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.zip;

import static org.netserv.artifact.refusal.VerifyException.Reason.STRUCTURE;
import static org.netserv.artifact.refusal.VerifyException.Reason.TWO_VIEWS;

import org.netserv.artifact.refusal.VerifyException;

/**
 * The header before an entry's data.
 *
 * <pre>
 *    0 signature 0x04034b50   4 needs   6 flags   8 method   10 time, date
 *   14 crc-32   18 compressed size   22 size   26 name, 28 extra lengths   30 name, extra
 * </pre>
 */
final class LocalHeader {
  private static final int FIXED = 30;

  private LocalHeader() {}

  /**
   * Checks that the header at the central one's offset says the same; returns where the data
   * begins.
   */
  static int check(LittleEndian bytes, CentralHeader central, int directory)
      throws VerifyException {
    int at = central.offset();
    if (directory - at < FIXED || bytes.int32(at) != 0x04034b50) {
      throw new VerifyException(TWO_VIEWS, central.name() + ": no local header at offset " + at);
    }
    int nameLength = bytes.int16(at + 26);
    int extraLength = bytes.int16(at + 28);
    int data = at + FIXED + nameLength + extraLength;
    if (data > directory || central.compressed() > directory - data) {
      throw new VerifyException(STRUCTURE, central.name() + ": runs over the central directory");
    }
    if (nameLength != bytes.int16(central.at() + 28)
        || !bytes.equal(at + FIXED, central.at() + CentralHeader.FIXED, nameLength)) {
      throw new VerifyException(TWO_VIEWS, central.name() + ": its local header has another name");
    }
    ExtraFields.check(bytes, at + FIXED + nameLength, extraLength, central.name());
    if (bytes.int16(at + 4) != bytes.int16(central.at() + 6)
        || bytes.int16(at + 6) != central.flags()
        || bytes.int16(at + 8) != central.method()
        || bytes.int32(at + 10) != central.time()) {
      throw new VerifyException(
          TWO_VIEWS, central.name() + ": its local header differs from the central one");
    }
    checkSizes(bytes, at, central);
    return data;
  }

  /** With a data descriptor the three are zero here, or already right. */
  private static void checkSizes(LittleEndian bytes, int at, CentralHeader central)
      throws VerifyException {
    boolean equal =
        bytes.uint32(at + 14) == central.crc()
            && bytes.uint32(at + 18) == central.compressed()
            && bytes.uint32(at + 22) == central.size();
    boolean zero =
        bytes.int32(at + 14) == 0 && bytes.int32(at + 18) == 0 && bytes.int32(at + 22) == 0;
    if (!equal && !(zero && central.descriptor())) {
      throw new VerifyException(TWO_VIEWS, central.name() + ": its local header has other sizes");
    }
    if (central.descriptor() && central.method() == CentralHeader.STORED) {
      // A front reader cannot know where stored data ends.
      throw new VerifyException(
          TWO_VIEWS, central.name() + ": stored, with its size behind the data");
    }
  }
}
