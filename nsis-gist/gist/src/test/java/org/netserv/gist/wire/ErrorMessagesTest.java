// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests the answers to refused messages, down to the byte, and the catalogue of errors. */
class ErrorMessagesTest {
  private static final NetworkLayerInfo OWN =
      new NetworkLayerInfo(
          64, 30_000, new byte[] {'n', 'o', 'd', 'e', 'B'}, IpAddresses.of(hex("c0000209")));

  /** The answer to a Query without cookie is the hand-written one but for the comment. */
  @Test
  void answerToAQueryWithoutCookie() throws MalformedMessageException {
    Edited query = Edited.of("query").remove(5);
    query.header(3, 0x11);
    MalformedMessageException failure = query.refused();
    GistMessage answer = ErrorMessages.answer(failure, Encapsulation.Q_MODE, 10, OWN).orElseThrow();
    ErrorObject made = answer.find(ErrorObject.class).orElseThrow();
    assertEquals("missing object: type 5", made.comment());
    GistMessage expected = GistMessage.decode(Vectors.bytes("error"));
    assertEquals(expected, withComment(answer, "no cookie"));
    assertEquals(answer, GistMessage.decode(answer.encode(), Encapsulation.D_MODE));
  }

  private static GistMessage withComment(GistMessage message, String comment) {
    ErrorObject e = message.find(ErrorObject.class).orElseThrow();
    ErrorObject other =
        new ErrorObject(
            e.errorClass(),
            e.code(),
            e.subcode(),
            e.datagramMode(),
            e.queryMode(),
            e.header(),
            e.session(),
            e.mri(),
            e.info(),
            comment);
    return new GistMessage(message.header(), List.of(message.objects().get(0), other));
  }

  @Test
  void answerInAMessagingAssociation() {
    byte[] data = Vectors.bytes("data-association");
    NetworkOrder.put16(data, 2, 13);
    GistMessage answer =
        ErrorMessages.answer(Edited.refused(data), Encapsulation.C_MODE, 1, null).orElseThrow();
    byte[] bytes = withoutComment(answer).encode();
    assertArrayEquals(Vectors.bytes("error-header"), bytes);
  }

  private static GistMessage withoutComment(GistMessage message) {
    ErrorObject e = message.find(ErrorObject.class).orElseThrow();
    return new GistMessage(
        message.header(),
        List.of(
            new ErrorObject(
                e.errorClass(),
                e.code(),
                e.subcode(),
                false,
                false,
                e.header(),
                null,
                null,
                e.info(),
                "")));
  }

  @Test
  void nothingAnswersAnErrorOrLessThanAHeader() {
    MalformedMessageException error =
        Edited.of("error").insert(0, Edited.object(0, 99, "")).refused();
    assertEquals(Optional.empty(), ErrorMessages.answer(error, Encapsulation.D_MODE, 10, OWN));
    MalformedMessageException few = Edited.refused(Arrays.copyOf(Vectors.bytes("query"), 7));
    assertEquals(Optional.empty(), ErrorMessages.answer(few, Encapsulation.D_MODE, 10, OWN));
  }

  /**
   * The bits of another version may mean anything. The answer repeats only the header, and nothing
   * else is read. The answer needs an address, so the S-flag is believed.
   */
  @Test
  void ofAnotherVersionNothingButTheHeaderIsKnown() {
    MalformedMessageException e = Edited.of("query-payload").header(0, 2).header(7, 0x40).refused();
    assertNull(e.offending().session());
    assertNull(e.offending().mri());
    assertNull(e.offending().source());
    assertEquals(false, e.offending().sourceAddress());
    MalformedMessageException own =
        Edited.of("query-payload").header(0, 2).header(7, 0xc0).refused();
    assertEquals(true, own.offending().sourceAddress());
    GistMessage answer = ErrorMessages.answer(e, Encapsulation.Q_MODE, 10, OWN).orElseThrow();
    assertEquals(2, answer.find(ErrorObject.class).orElseThrow().offendingHeader().version());
    assertEquals(1, CommonHeader.peek(answer.encode()).orElseThrow().version());
  }

  @Test
  void mriIsRepeatedAsItCame() {
    Edited query = Edited.of("query").patch(0, 5, 0x7f).patch(0, 19, 0x03).remove(5);
    byte[] mri = query.objects.get(0);
    assertArrayEquals(Arrays.copyOfRange(mri, 4, mri.length), query.refused().offending().mri());
  }

  /**
   * A long MRI of an unknown method does not fit into an Error, because the length field is a byte.
   */
  @Test
  void longMriIsLeftOut() throws MalformedMessageException {
    for (int words : new int[] {255, 256, 4095}) {
      Edited query = Edited.of("query").value(0, "7f" + "00".repeat(4 * words - 1)).remove(5);
      GistMessage answer =
          ErrorMessages.answer(query.refused(), Encapsulation.Q_MODE, 10, OWN).orElseThrow();
      byte[] repeated = answer.find(ErrorObject.class).orElseThrow().mri();
      assertEquals(words == 255, repeated != null);
      assertEquals(answer, GistMessage.decode(answer.encode()));
    }
  }

  /** Two objects of the largest size still make an Error. */
  @Test
  void largeObjectsAreCut() throws MalformedMessageException {
    String profile = "ff" + "01".repeat(255);
    Edited query =
        Edited.of("query-stack")
            .value(3, "3f000000" + profile.repeat(63))
            .value(
                4,
                "3f000000" + "00007530" + ("0100ff00" + "00".repeat(256)).repeat(62) + "09000000");
    MalformedMessageException e = query.refused();
    assertEquals(GistError.STACK_MISMATCH, e.error());
    assertEquals(List.of(1024, 1024), e.info().stream().map(ErrorInfo::number).toList());
    GistMessage answer = ErrorMessages.answer(e, Encapsulation.Q_MODE, 10, OWN).orElseThrow();
    assertEquals(answer, GistMessage.decode(answer.encode()));
  }

  @Test
  void errorsThatTheCallerFinds() throws MalformedMessageException {
    byte[] query = Vectors.bytes("query");
    GistMessage message = GistMessage.decode(query);
    ErrorObject wild =
        ErrorMessages.object(
            GistError.MRI_TOO_WILD,
            OffendingMessage.of(query),
            Encapsulation.Q_MODE,
            List.of(ErrorMessages.objectValue(16, message.find(Mri.class).orElseThrow())),
            "");
    assertEquals(4, wild.errorClass());
    assertArrayEquals(message.find(Mri.class).orElseThrow().value(), wild.mri());
    assertEquals(
        "00060010" + "00000005" + HexFormat.of().formatHex(wild.mri()),
        HexFormat.of().formatHex(wild.find(4).orElseThrow().value()));
    assertEquals(Optional.of(GistError.MRI_TOO_WILD), wild.error());
    assertEquals(1400, ErrorInfo.mtu(1400).number());
    assertEquals(65535, ErrorInfo.mtu(65536).number());
    assertEquals("05780000", HexFormat.of().formatHex(ErrorInfo.mtu(1400).value()));
  }

  @Test
  void commentIsShort() throws MalformedMessageException {
    OffendingMessage query = OffendingMessage.of(Vectors.bytes("query"));
    for (String letter : List.of("x", "\u00e9", "\u20ac")) {
      for (int length = 0; length < 80; length++) {
        ErrorObject error =
            ErrorMessages.object(
                GistError.NO_ROUTING_STATE,
                query,
                Encapsulation.D_MODE,
                List.of(),
                letter.repeat(length));
        assertTrue(
            error.comment().length()
                    * letter.getBytes(java.nio.charset.StandardCharsets.UTF_8).length
                <= 63);
        GistMessage message = ErrorMessages.message(error, 1, OWN);
        assertEquals(message, GistMessage.decode(message.encode()));
      }
    }
  }

  @Test
  void catalogue() {
    assertEquals(29, GistError.values().length);
    int[] subcodes = {6, 1, 1, 1, 1, 1, 1, 1, 6, 6, 1, 3};
    int[] classes = {2, 4, 2, 2, 2, 4, 4, 4, 2, 2, 4, 4};
    Set<String> names = new HashSet<>();
    for (int code = 1; code <= 12; code++) {
      for (int subcode = 0; subcode < subcodes[code - 1]; subcode++) {
        GistError error = GistError.of(code, subcode).orElseThrow();
        assertEquals(classes[code - 1], error.errorClass());
        assertTrue(error.toString().startsWith(code + "/" + subcode + " "));
        assertTrue(names.add(error.counterName()));
      }
      assertEquals(Optional.empty(), GistError.of(code, subcodes[code - 1]));
    }
    assertEquals("stack-mismatch", GistError.STACK_MISMATCH.counterName());
    assertEquals(Optional.empty(), GistError.of(0, 0));
    assertEquals(Optional.empty(), GistError.of(13, 0));
  }

  private static byte[] hex(String digits) {
    return HexFormat.of().parseHex(digits);
  }
}
