// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Tests the rules for objects: presence, number, order, and the treatment of unknown objects (code
 * 9).
 */
class ObjectRulesTest {
  private static final int NEW_TYPE = 2000;

  /** Mandatory objects by message, from section 5.1, in the order of the wire. */
  private static final Map<MessageType, List<Integer>> MANDATORY =
      Map.of(
          MessageType.QUERY, List.of(0, 1, 2, 5),
          MessageType.RESPONSE, List.of(0, 1, 2, 5),
          MessageType.CONFIRM, List.of(0, 1, 2),
          MessageType.DATA, List.of(0, 1, 8),
          MessageType.ERROR, List.of(9),
          MessageType.MA_HELLO, List.of(10));

  /** Objects that have no place in the message at all. */
  private static final Map<MessageType, Set<Integer>> FORBIDDEN =
      Map.of(
          MessageType.QUERY, Set.of(6, 9, 10),
          MessageType.RESPONSE, Set.of(9, 10),
          MessageType.CONFIRM, Set.of(5, 7, 9, 10),
          MessageType.DATA, Set.of(3, 4, 5, 6, 9, 10),
          MessageType.ERROR, Set.of(0, 1, 3, 4, 5, 6, 8, 10),
          MessageType.MA_HELLO, Set.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));

  @Test
  void mandatoryObjects() throws MalformedMessageException {
    for (String name : Vectors.MESSAGES) {
      for (int type : MANDATORY.get(type(name))) {
        is(GistError.MISSING_OBJECT, type, Edited.of(name).remove(type), name);
      }
    }
  }

  @Test
  void objectsThatHaveNoPlace() throws MalformedMessageException {
    for (String name : Vectors.MESSAGES) {
      for (int type : FORBIDDEN.get(type(name))) {
        Edited edited = Edited.of(name);
        for (int at = 0; at <= edited.objects.size(); at++) {
          byte[] object = Edited.object(0, type, "00000000");
          is(GistError.INVALID_OBJECT_TYPE, type, Edited.of(name).insert(at, object), name);
        }
      }
    }
  }

  @Test
  void everyObjectOnce() {
    for (String name : Vectors.MESSAGES) {
      int count = Edited.of(name).objects.size();
      for (int i = 0; i < count; i++) {
        Edited edited = Edited.of(name);
        byte[] object = edited.objects.get(i);
        int type = Edited.type(object);
        is(GistError.DUPLICATE_OBJECT, type, edited.insert(i + 1, object), name);
        is(GistError.DUPLICATE_OBJECT, type, Edited.of(name).insert(count, object), name);
      }
    }
  }

  @Test
  void everySwapIsOutOfOrder() {
    int swaps = 0;
    for (String name : Vectors.MESSAGES) {
      int count = Edited.of(name).objects.size();
      for (int i = 0; i < count; i++) {
        for (int j = i + 1; j < count; j++) {
          Edited edited = Edited.of(name);
          byte[] first = edited.objects.get(i);
          edited.objects.set(i, edited.objects.get(j));
          edited.objects.set(j, first);
          assertEquals(GistError.INVALID_OBJECT_TYPE, edited.refused().error(), name);
          swaps++;
        }
      }
    }
    assertEquals(115, swaps);
  }

  @Test
  void stackObjectsComeTogether() {
    is(GistError.MISSING_OBJECT, 4, Edited.of("query-stack").remove(4), "query");
    is(GistError.MISSING_OBJECT, 3, Edited.of("query-stack").remove(3), "query");
    is(GistError.MISSING_OBJECT, 4, Edited.of("response-stack").remove(4), "response");
    is(GistError.MISSING_OBJECT, 3, Edited.of("response-stack").remove(3), "response");
    is(GistError.MISSING_OBJECT, 6, Edited.of("response-stack").remove(6), "response");
    is(GistError.MISSING_OBJECT, 3, Edited.of("confirm-stack").remove(3), "confirm");
    is(GistError.MISSING_OBJECT, 6, Edited.of("confirm-stack").remove(6), "confirm");
  }

  /** Later Confirms on the same association have no configuration. */
  @Test
  void confirmMayLackTheConfiguration() throws MalformedMessageException {
    byte[] bytes = Edited.of("confirm-stack").remove(4).bytes();
    assertArrayEquals(bytes, GistMessage.decode(bytes).encode());
  }

  @Test
  void unknownObjectsByTheirFlagsAtEveryPlace() throws MalformedMessageException {
    for (String name : Vectors.MESSAGES) {
      byte[] plain = Vectors.bytes(name);
      GistMessage message = GistMessage.decode(plain);
      for (int at = 0; at <= message.objects().size(); at++) {
        byte[] mandatory = Edited.object(0, NEW_TYPE, "01020304");
        is(GistError.UNRECOGNISED_OBJECT, NEW_TYPE, Edited.of(name).insert(at, mandatory), name);
        byte[] ignored = Edited.object(1, NEW_TYPE, "01020304");
        assertEquals(message, GistMessage.decode(Edited.of(name).insert(at, ignored).bytes()));
        byte[] kept = Edited.of(name).insert(at, Edited.object(2, NEW_TYPE, "01020304")).bytes();
        assertArrayEquals(kept, GistMessage.decode(kept).encode());
        assertEquals(
            new UnknownObject(2, NEW_TYPE, new byte[] {1, 2, 3, 4}),
            GistMessage.decode(kept).objects().get(at));
        byte[] reserved = Edited.object(3, NEW_TYPE, "01020304");
        is(
            GistError.INVALID_EXTENSIBILITY_FLAGS,
            NEW_TYPE,
            Edited.of(name).insert(at, reserved),
            name);
      }
    }
  }

  /** A known object is understood with any flags. Only the reserved pair is wrong. */
  @Test
  void flagsOfKnownObjects() throws MalformedMessageException {
    GistMessage message = GistMessage.decode(Vectors.bytes("query"));
    for (int type : new int[] {0, 1, 2, 5}) {
      assertEquals(message, GistMessage.decode(Edited.of("query").patch(type, 0, 0x40).bytes()));
      assertEquals(message, GistMessage.decode(Edited.of("query").patch(type, 0, 0xb0).bytes()));
      is(
          GistError.INVALID_EXTENSIBILITY_FLAGS,
          type,
          Edited.of("query").patch(type, 0, 0xc0),
          "query");
    }
  }

  @Test
  void unknownObjectsMayRepeatAndBeEmpty() throws MalformedMessageException {
    Edited edited = Edited.of("data-association");
    edited.insert(0, Edited.object(2, 4095, "")).insert(0, Edited.object(2, 4095, ""));
    assertArrayEquals(edited.bytes(), GistMessage.decode(edited.bytes()).encode());
  }

  @Test
  void encapsulation() throws MalformedMessageException {
    came("query", Encapsulation.D_MODE, null);
    came("query", Encapsulation.Q_MODE, null);
    came("query", Encapsulation.C_MODE, GistError.INCORRECT_ENCAPSULATION);
    came("response", Encapsulation.D_MODE, null);
    came("response", Encapsulation.C_MODE, null);
    came("confirm", Encapsulation.D_MODE, null);
    came("confirm", Encapsulation.C_MODE, null);
    came("confirm-stack", Encapsulation.C_MODE, null);
    came("confirm-stack", Encapsulation.D_MODE, GistError.INCORRECT_ENCAPSULATION);
    came("data-datagram", Encapsulation.D_MODE, null);
    came("data-datagram", Encapsulation.C_MODE, GistError.INVALID_OBJECT_TYPE);
    came("data-association", Encapsulation.C_MODE, null);
    came("data-association", Encapsulation.D_MODE, GistError.MISSING_OBJECT);
    came("data-intercepted", Encapsulation.Q_MODE, null);
    came("data-intercepted", Encapsulation.C_MODE, GistError.INCORRECT_ENCAPSULATION);
    came("error", Encapsulation.D_MODE, null);
    came("error-header", Encapsulation.C_MODE, null);
    came("hello", Encapsulation.C_MODE, null);
    came("hello", Encapsulation.D_MODE, GistError.INCORRECT_ENCAPSULATION);
    came("hello", Encapsulation.Q_MODE, GistError.INCORRECT_ENCAPSULATION);
  }

  private static void came(String name, Encapsulation how, GistError expected)
      throws MalformedMessageException {
    byte[] bytes = Vectors.bytes(name);
    if (expected == null) {
      assertEquals(GistMessage.decode(bytes), GistMessage.decode(bytes, how));
      return;
    }
    MalformedMessageException e =
        assertThrows(MalformedMessageException.class, () -> GistMessage.decode(bytes, how), name);
    assertEquals(expected, e.error(), name);
    assertNotNull(e.offending().header(), name);
    assertEquals(expected.code() == 9 ? List.of(ErrorInfo.objectType(2)) : List.of(), e.info());
  }

  private static void is(GistError error, int type, Edited edited, String name) {
    MalformedMessageException e = edited.refused();
    assertEquals(error, e.error(), name + ": " + e.getMessage());
    assertEquals(List.of(ErrorInfo.objectType(type)), e.info(), name);
  }

  private static MessageType type(String name) throws MalformedMessageException {
    return GistMessage.decode(Vectors.bytes(name)).type();
  }
}
