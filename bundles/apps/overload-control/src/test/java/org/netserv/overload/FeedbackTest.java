// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.overload.feedback.EdgeReport;
import org.netserv.overload.feedback.Feedback;
import org.netserv.overload.feedback.FeedbackException;
import org.netserv.overload.feedback.FeedbackException.Reason;
import org.netserv.overload.feedback.FeedbackKind;
import org.netserv.overload.feedback.FeedbackMac;

class FeedbackTest {
  private static final byte[] KEY =
      HexFormat.of().parseHex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
  private static final String FEEDBACK =
      "4e534f4301010200" + "0000018f00000001" + "000001b8" + "000001f4";
  private static final String REPORT =
      "4e534f4301020200"
          + "0000018f00000001"
          + "00000000000007d0"
          + "00000000000001b8"
          + "0000000000000618"
          + "0000000000000003"
          + "0000000c"
          + "000003e8";

  private final FeedbackMac mac = new FeedbackMac(KEY);

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  @Test
  void theVectorsOfThePage() throws FeedbackException {
    Feedback feedback = new Feedback(FeedbackKind.RATE, 440, 500, 0x18f00000001L);
    byte[] message = feedback.encode(mac);
    assertEquals(FEEDBACK + "9b84ff18ded434fc2633ce216b31fbf1", hex(message));
    assertEquals(feedback, Feedback.decode(message, message.length, mac));
    EdgeReport report = new EdgeReport(2, 0x18f00000001L, 2000, 440, 1560, 3, 12, 1000);
    byte[] answer = report.encode(mac);
    assertEquals(REPORT + "746369c458ef5c21564346226ba574cf", hex(answer));
    assertEquals(report, EdgeReport.decode(answer, answer.length, mac));
  }

  private Reason refused(byte[] message, int length) {
    return assertThrows(FeedbackException.class, () -> Feedback.decode(message, length, mac))
        .reason();
  }

  @Test
  void cutAtEachLength() {
    byte[] message = new Feedback(FeedbackKind.LOSS, 1, 1, 1).encode(mac);
    for (int i = 0; i < message.length; i++) {
      assertEquals(Reason.LENGTH, refused(message, i));
      assertEquals(Reason.LENGTH, refused(Arrays.copyOf(message, i), i));
    }
  }

  @Test
  void everyFlippedBitIsRefused() {
    byte[] message = new Feedback(FeedbackKind.LOSS, 1, 1, 1).encode(mac);
    for (int bit = 0; bit < 8 * message.length; bit++) {
      message[bit / 8] ^= (byte) (1 << bit % 8);
      refused(message, message.length);
      message[bit / 8] ^= (byte) (1 << bit % 8);
    }
  }

  @Test
  void anotherKeyIsRefused() {
    byte[] other = KEY.clone();
    other[31] ^= 1;
    byte[] message = new Feedback(FeedbackKind.LOSS, 1, 1, 1).encode(new FeedbackMac(other));
    assertEquals(Reason.MAC, refused(message, message.length));
  }

  @Test
  void aReportIsNoFeedback() {
    byte[] report = new EdgeReport(0, 1, 0, 0, 0, 0, 0, 0).encode(mac);
    assertEquals(Reason.LENGTH, refused(report, report.length));
    byte[] cut = Arrays.copyOf(report, Feedback.LENGTH);
    assertEquals(Reason.KIND, refused(cut, cut.length));
  }

  @ParameterizedTest
  @CsvSource({
    "feedback-port, 5070, feedback-key",
    "feedback-key, 00, feedback-key",
    "retry-after, 301, retry-after",
    "algorithm, fast, algorithm",
    "max-transactions, 7, max-transactions",
    "fair, maybe, fair",
    "burst, 0, burst"
  })
  void wrongPropertiesAreNamed(String name, String value, String named) {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class, () -> OverloadSettings.of(Rig.properties(name, value)));
    assertTrue(e.getMessage().startsWith(named + ":"), e.getMessage());
  }

  @Test
  void theSocketTakesNewFeedbackAndReports() throws Exception {
    int free;
    try (DatagramSocket socket = new DatagramSocket()) {
      free = socket.getLocalPort();
    }
    OverloadControl module =
        new OverloadControl(
            Map.of("feedback-port", Integer.toString(free), "feedback-key", hex(KEY)));
    try (DatagramSocket monitor = new DatagramSocket()) {
      monitor.setSoTimeout(10_000);
      monitor.connect(InetAddress.getLoopbackAddress(), free);
      byte[] message = new Feedback(FeedbackKind.RATE, 440, 500, 7).encode(mac);
      assertEquals(7, exchange(monitor, message).sequence());
      send(monitor, message); // a replay
      message[20] ^= 1;
      send(monitor, message);
      byte[] next = new Feedback(FeedbackKind.RATE, 440, 500, 8).encode(mac);
      assertEquals(8, exchange(monitor, next).sequence());
      assertEquals(
          Map.of("FEEDBACK.TAKEN", 2L, "FEEDBACK.OLD", 1L, "FEEDBACK.MAC", 1L), module.counters());
    } finally {
      module.deactivate();
    }
  }

  private static void send(DatagramSocket socket, byte[] message) throws IOException {
    socket.send(new DatagramPacket(message, message.length));
  }

  private EdgeReport exchange(DatagramSocket socket, byte[] message) throws Exception {
    send(socket, message);
    DatagramPacket answer = new DatagramPacket(new byte[256], 256);
    socket.receive(answer);
    return EdgeReport.decode(answer.getData(), answer.getLength(), mac);
  }
}
