// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * The codec knows exactly the numbers that RFC 5971 section 9 registers, written down here from its
 * tables. A new number in the codec fails here, and its message needs a specification.
 */
class NumbersTest {
  /** Section 9, "Object Types". */
  private static final Set<Integer> OBJECTS = Set.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);

  /** Section 9, "GIST Message Type". */
  private static final Set<Integer> MESSAGES = Set.of(0, 1, 2, 3, 4, 5);

  /** Section 9, "Message Routing Methods". */
  private static final Set<Integer> METHODS = Set.of(0, 1);

  private static final int OBJECT_TYPES = 1 << 12;
  private static final int MESSAGE_TYPES = 1 << 7;

  /** Appendix A.4.4: code, number of subcodes, class. */
  private static final int[][] ERRORS = {
    {1, 6, 2}, // Common Header Parse Error
    {2, 1, 4}, // Hop Limit Exceeded
    {3, 1, 2}, // Incorrect Encapsulation
    {4, 1, 2}, // Incorrectly Delivered Message
    {5, 1, 2}, // No Routing State
    {6, 1, 4}, // Unknown NSLPID
    {7, 1, 4}, // Endpoint Found
    {8, 1, 4}, // Message Too Large
    {9, 6, 2}, // Object Type Error
    {10, 6, 2}, // Object Value Error
    {11, 1, 4}, // Invalid IP-Layer TTL
    {12, 3, 4}, // MRI Validation Failure
  };

  @Test
  void theObjectsAreThoseOfTheRfc() {
    Set<Integer> known = new TreeSet<>();
    for (int type = 0; type < OBJECT_TYPES; type++) {
      byte[] hello = Edited.of("hello").insert(0, Edited.object(0, type, "00000000")).bytes();
      if (Edited.refused(hello).error() != GistError.UNRECOGNISED_OBJECT) {
        known.add(type);
      }
    }
    assertEquals(
        new TreeSet<>(OBJECTS),
        known,
        "a new object needs a specification of its format and its A and B flags");
  }

  @Test
  void theMessagesAreThoseOfTheRfc() {
    Set<Integer> known = new TreeSet<>();
    for (int type = 0; type < MESSAGE_TYPES; type++) {
      byte[] noObjects = {1, 1, 0, 0, 0, 0, (byte) type, 0};
      if (Edited.refused(noObjects).error() != GistError.UNKNOWN_TYPE) {
        known.add(type);
      }
    }
    assertEquals(new TreeSet<>(MESSAGES), known);
  }

  @Test
  void theRoutingMethodsAreThoseOfTheRfc() throws Exception {
    InetAddress address = InetAddress.getByName("192.0.2.1");
    byte[][] formats = {
      PathCoupledMri.between(address, address).value(),
      new LooseEndMri(address, address, false).value()
    };
    Set<Integer> known = new TreeSet<>();
    for (int method = 0; method <= 0xff; method++) {
      for (byte[] format : formats) {
        format[0] = (byte) method;
        if (!unknown(format)) {
          known.add(method);
        }
      }
    }
    assertEquals(
        new TreeSet<>(METHODS),
        known,
        "a new method needs a specification of all that RFC 5971 section 3.3 lists");
  }

  /**
   * Returns whether the method is unknown. An MRI of a known method in the format of the other
   * method is refused for its length.
   */
  private static boolean unknown(byte[] mri) {
    try {
      return Mri.decode(mri) instanceof UnknownMri;
    } catch (GistFormatException e) {
      return false;
    }
  }

  @Test
  void theErrorsAreThoseOfTheRfc() {
    Map<String, Integer> expected = new TreeMap<>();
    for (int[] error : ERRORS) {
      for (int subcode = 0; subcode < error[1]; subcode++) {
        expected.put(error[0] + "/" + subcode, error[2]);
      }
    }
    Map<String, Integer> ours = new TreeMap<>();
    for (GistError error : GistError.values()) {
      ours.put(error.code() + "/" + error.subcode(), error.errorClass());
    }
    assertEquals(
        expected,
        ours,
        "a new error needs a specification of its name, class, numbers and additional fields");
  }
}
