// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests faults inside an object (code 10), and the error's report of them. */
class ObjectValueTest {
  /** Cookies, payload: any whole number of words is a value. */
  private static final Set<Integer> OPAQUE = Set.of(5, 6, 8);

  @Test
  void everyObjectOneWordShorterAndLonger() throws MalformedMessageException {
    for (byte[] bytes : Vectors.all()) {
      int count = Edited.of(bytes).objects.size();
      for (int i = 0; i < count; i++) {
        byte[] object = Edited.of(bytes).objects.get(i);
        if (object.length > 4) {
          resized(bytes, i, -1);
        }
        resized(bytes, i, 1);
      }
    }
  }

  private static void resized(byte[] bytes, int i, int words) throws MalformedMessageException {
    Edited edited = Edited.of(bytes);
    byte[] object = Edited.resized(edited.objects.get(i), words);
    edited.objects.set(i, object);
    int type = Edited.type(object);
    boolean emptyCookie = object.length == 4 && type != NslpData.TYPE;
    boolean comment = type == ErrorObject.TYPE && (object[8] & 0x20) != 0;
    if (comment) {
      GistMessage.decode(edited.bytes()); // the refusing side need not be perfect
    } else if (OPAQUE.contains(type) && !emptyCookie) {
      assertArrayEquals(edited.bytes(), GistMessage.decode(edited.bytes()).encode());
    } else {
      MalformedMessageException e = edited.refused();
      assertEquals(GistError.INCORRECT_LENGTH, e.error());
      assertEquals(List.of(ErrorInfo.objectValue(offset(e), object)), e.info(), e.getMessage());
    }
  }

  /** Only the length field is changed, so that the object swallows the header of the next one. */
  @Test
  void lengthFieldOneTooLarge() {
    for (byte[] bytes : Vectors.all()) {
      int at = 8;
      while (at < bytes.length) {
        byte[] copy = bytes.clone();
        copy[at + 3]++;
        int type = NetworkOrder.get16(bytes, at) & 0xfff;
        int end = RawMessage.endOfObject(bytes, at);
        GistError error = Edited.refused(copy).error();
        if (end == bytes.length) {
          assertEquals(GistError.INCORRECT_MESSAGE_LENGTH, error);
        } else if (!OPAQUE.contains(type)) {
          assertEquals(GistError.INCORRECT_LENGTH, error);
        }
        at = end;
      }
    }
  }

  @Test
  void networkLayerInfo() {
    for (int version : new int[] {0, 5, 15}) {
      bad(Edited.of("query").patch(2, 6, version << 4), GistError.VALUE_NOT_SUPPORTED, 2, 6);
    }
    bad(Edited.of("query").patch(2, 10, 0).patch(2, 11, 0), GistError.VALUE_NOT_SUPPORTED, 2, 8);
    bad(Edited.of("query").patch(2, 4, 255), GistError.INCORRECT_LENGTH, 2, 12);
    bad(Edited.of("query").patch(2, 4, 9), GistError.INCORRECT_LENGTH, 2, 24);
    bad(Edited.of("query").patch(2, 4, 0), GistError.INCORRECT_LENGTH, 2, 16);
    bad(Edited.of("query").patch(2, 6, 0x60), GistError.INCORRECT_LENGTH, 2, 20);
  }

  @Test
  void cookies() {
    bad(Edited.of("query").value(5, ""), GistError.INCORRECT_LENGTH, 5, 4);
    bad(Edited.of("confirm").value(6, ""), GistError.INCORRECT_LENGTH, 6, 4);
  }

  @Test
  void stackProposal() {
    Edited none = Edited.of("query-stack").value(3, "00000000");
    bad(none, GistError.VALUE_NOT_SUPPORTED, 3, 4);
    bad(Edited.of("query-stack").patch(3, 4, 4), GistError.INCORRECT_LENGTH, 3, 20);
    bad(Edited.of("query-stack").patch(3, 4, 2), GistError.INCORRECT_LENGTH, 3, 16);
    bad(Edited.of("query-stack").patch(3, 8, 0), GistError.EMPTY_LIST, 3, 8);
    bad(Edited.of("query-stack").patch(3, 16, 0), GistError.EMPTY_LIST, 3, 16);
    bad(Edited.of("query-stack").patch(3, 10, 0), GistError.VALUE_NOT_SUPPORTED, 3, 10);
    bad(Edited.of("query-stack").patch(3, 16, 255), GistError.INCORRECT_LENGTH, 3, 17);
  }

  @Test
  void stackConfiguration() {
    Edited zero = Edited.of("query-stack");
    for (int at = 8; at < 12; at++) {
      zero.patch(4, at, 0);
    }
    bad(zero, GistError.VALUE_NOT_SUPPORTED, 4, 8);
    bad(Edited.of("query-stack").patch(4, 4, 3), GistError.INCORRECT_LENGTH, 4, 20);
    bad(Edited.of("query-stack").patch(4, 4, 1), GistError.INCORRECT_LENGTH, 4, 16);
    bad(Edited.of("query-stack").patch(4, 18, 1), GistError.INCORRECT_LENGTH, 4, 20);
    bad(Edited.of("response-stack").patch(4, 14, 255), GistError.INCORRECT_LENGTH, 4, 16);
  }

  /** Both objects are shown, the proposal first. */
  @Test
  void configurationOfWhatIsNotProposed() {
    mismatch("query-stack", 12, 4, 12); // protocol 4
    mismatch("query-stack", 16, 9, 16);
    mismatch("query-stack", 13, 4, 12); // profile 4 of 3
    mismatch("query-stack", 13, 2, 12); // TCP is not in profile 2
    mismatch("response-stack", 13, 2, 12);
    mismatch("response-stack", 21, 2, 20);
    mismatch("response-stack", 29, 3, 28);
  }

  private static void mismatch(String name, int at, int value, int offset) {
    Edited edited = Edited.of(name).patch(4, at, value);
    MalformedMessageException e = edited.refused();
    assertEquals(GistError.STACK_MISMATCH, e.error(), name);
    assertEquals(
        List.of(
            ErrorInfo.objectValue(4, edited.objects.get(edited.indexOf(3))),
            ErrorInfo.objectValue(offset, edited.objects.get(edited.indexOf(4)))),
        e.info());
  }

  @Test
  void proposalOfUnknownProtocolsIsNotAnError() throws MalformedMessageException {
    byte[] bytes =
        Edited.of("query-stack").value(3, "040000000202010002020300010100000277fe00").bytes();
    assertEquals(
        List.of(0x77, 0xfe),
        GistMessage.decode(bytes).find(StackProposal.class).orElseThrow().profiles().get(3));
  }

  @Test
  void helloThatAsksNeedsAnId() throws MalformedMessageException {
    Edited request = Edited.of("hello").value(10, "00000000");
    bad(request, GistError.VALUE_NOT_SUPPORTED, 10, 4);
    Edited keepalive = request.header(7, 0x80);
    assertArrayEquals(keepalive.bytes(), GistMessage.decode(keepalive.bytes()).encode());
  }

  @Test
  void natTraversal() {
    bad(Edited.of("query-nat").patch(7, 4, 255), GistError.INCORRECT_LENGTH, 7, 8);
    bad(Edited.of("query-nat").patch(7, 4, 3), GistError.INCORRECT_LENGTH, 7, 36);
    bad(Edited.of("query-nat").patch(7, 5, 255), GistError.INCORRECT_LENGTH, 7, 40);
    bad(Edited.of("query-nat").patch(7, 6, 0), GistError.INCORRECT_LENGTH, 7, 32);
    bad(Edited.of("query-nat").patch(7, 6, 2), GistError.INCORRECT_LENGTH, 7, 40);
    bad(Edited.of("query-nat").patch(7, 32, 255), GistError.INCORRECT_LENGTH, 7, 34);
  }

  @Test
  void errorObject() {
    bad(Edited.of("error-header").patch(9, 11, 2), GistError.INCORRECT_LENGTH, 9, 28);
    bad(Edited.of("error-header").patch(9, 11, 0), GistError.INCORRECT_LENGTH, 9, 20);
    bad(Edited.of("error-header").patch(9, 8, 0x80), GistError.INCORRECT_LENGTH, 9, 20);
    bad(Edited.of("error-header").patch(9, 22, 255), GistError.INCORRECT_LENGTH, 9, 24);
    bad(Edited.of("error").patch(9, 10, 255), GistError.INCORRECT_LENGTH, 9, 36);
  }

  @Test
  void commentWithoutItsZeroAndNotInUtf8() throws MalformedMessageException {
    Edited edited = Edited.of("error");
    int end = edited.objects.get(1).length;
    edited.patch(9, end - 3, 'x').patch(9, end - 2, 0xff).patch(9, end - 1, '!');
    ErrorObject error = GistMessage.decode(edited.bytes()).find(ErrorObject.class).orElseThrow();
    assertEquals("no cookiex\ufffd!", error.comment());
  }

  /** The parts before and after the fault are kept for the answer. */
  @Test
  void theRestOfTheMessageIsRead() throws MalformedMessageException {
    GistMessage query = GistMessage.decode(Vectors.bytes("query"));
    MalformedMessageException mri = Edited.of("query").patch(0, 6, 0x50).refused();
    assertNull(mri.offending().mri());
    assertEquals(query.find(SessionId.class).orElseThrow(), mri.offending().session());
    assertEquals(query.find(NetworkLayerInfo.class).orElseThrow(), mri.offending().source());

    MalformedMessageException nli = Edited.of("query").patch(2, 6, 0x50).refused();
    assertNull(nli.offending().source());
    assertArrayEquals(query.find(Mri.class).orElseThrow().value(), nli.offending().mri());
    assertNotNull(nli.offending().session());

    MalformedMessageException session = Edited.of("query").value(1, "00000001").refused();
    assertNull(session.offending().session());
    assertNotNull(session.offending().mri());
    assertNotNull(session.offending().source());
  }

  @Test
  void whatCannotBeEncodedIsNotBuilt() {
    refusedHere(() -> new SessionId(new byte[15]));
    refusedHere(() -> new QueryCookie(new byte[0]));
    refusedHere(() -> new ResponderCookie(new byte[6]));
    refusedHere(() -> new NslpData(new byte[NslpData.MAX_BYTES + 1]));
    refusedHere(() -> new StackProposal(List.of()));
    refusedHere(() -> new StackProposal(List.of(List.of())));
    refusedHere(() -> new StackProposal(List.of(List.of(0))));
    refusedHere(() -> new StackConfiguration(0, List.of()));
    refusedHere(() -> new StackConfiguration.Option(1, 256, false, new byte[0]));
    refusedHere(() -> new NetworkLayerInfo(64, 0, new byte[0], IpAddresses.of(new byte[4])));
    refusedHere(() -> new NetworkLayerInfo(64, 1, new byte[256], IpAddresses.of(new byte[4])));
    refusedHere(() -> new UnknownObject(2, 10, new byte[0]));
    refusedHere(() -> new UnknownObject(2, 4096, new byte[0]));
    refusedHere(() -> new UnknownMri(7, new byte[] {8, 0, 0, 0}));
    refusedHere(() -> new NatTraversal(new byte[1024], List.of(), List.of()));
  }

  @Test
  void payloadIsPadded() {
    assertArrayEquals(
        new byte[] {1, 2, 3, 4, 5, 0, 0, 0}, new NslpData(new byte[] {1, 2, 3, 4, 5}).bytes());
  }

  private static void refusedHere(Runnable build) {
    assertThrows(IllegalArgumentException.class, build::run);
  }

  private static void bad(Edited edited, GistError error, int type, int offset) {
    MalformedMessageException e = edited.refused();
    assertEquals(error, e.error(), e.getMessage());
    byte[] object = edited.objects.get(edited.indexOf(type));
    assertEquals(
        List.of(ErrorInfo.objectValue(offset, object)),
        e.info(),
        () -> e.getMessage() + " at " + offset(e));
  }

  private static int offset(MalformedMessageException e) {
    return NetworkOrder.get16(e.info().get(0).value(), 2);
  }
}
