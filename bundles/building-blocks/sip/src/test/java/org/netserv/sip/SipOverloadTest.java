// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SipOverloadTest {
  private static final byte[] LOSS = "loss".getBytes(StandardCharsets.US_ASCII);

  private final SipVia via = new SipVia();
  private final SipOverload overload = new SipOverload();
  private ByteBuffer buffer;

  private SipError read(String parameters) {
    String text = "SIP/2.0/UDP p1.example.net;branch=z9hG4bK2d4790.3" + parameters;
    buffer = ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
    SipError error = via.reset(buffer, 0, buffer.limit());
    return error == SipError.OK ? overload.reset(buffer, via) : error;
  }

  @Test
  void theResponseOfSection6() {
    String text =
        ";received=192.0.2.111;\r\n oc=20;oc-algo=\"loss\";oc-validity=500;\r\n oc-seq=1282321615.782";
    assertEquals(SipError.OK, read(text));
    assertTrue(overload.isOffered());
    assertEquals(20, overload.oc());
    assertTrue(overload.isAlgorithm(LOSS));
    assertEquals(500, overload.validity());
    assertEquals(128_232_161_578_200L, overload.sequence());
  }

  @Test
  void theOfferOfAClient() {
    assertEquals(SipError.OK, read(";OC;Oc-Algo=\"loss,A\""));
    assertTrue(overload.isOffered());
    assertEquals(SipOverload.ABSENT, overload.oc());
    assertFalse(overload.isAlgorithm(LOSS)); // it is a list
    assertTrue(overload.hasAlgorithm());
    assertEquals(SipOverload.ABSENT, overload.sequence());
  }

  @Test
  void nothingThere() {
    assertEquals(SipError.OK, read(";rport"));
    assertFalse(overload.isOffered());
    assertEquals(SipOverload.ABSENT, overload.firstStart());
  }

  @Test
  void laterSequencesAreGreaterWhateverTheirDigits() {
    long last = -1;
    for (String seq : new String[] {"1.1", "1.12", "1.2", "1.99999", "2.0", "10.00001"}) {
      assertEquals(SipError.OK, read(";oc=1;oc-seq=" + seq));
      assertTrue(overload.sequence() > last, seq);
      last = overload.sequence();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ";oc=x",
        ";oc=-1",
        ";oc=1000000000",
        ";oc=1;oc=2",
        ";oc;oc",
        ";oc-validity",
        ";oc-validity=",
        ";oc=1;oc-validity=1.5",
        ";oc=1;oc-seq=1",
        ";oc=1;oc-seq=.1",
        ";oc=1;oc-seq=1.",
        ";oc=1;oc-seq=1.123456",
        ";oc=1;oc-seq=1234567890123.1",
        ";oc=1;oc-seq=1.1;oc-seq=1.2",
        ";oc=1;oc-algo",
        ";oc=1;oc-algo=\"\"",
        ";oc=1;oc-algo=\"loss",
        ";oc=1;oc-algo=a;oc-algo=b"
      })
  void malformedOrRepeated(String parameters) {
    assertFalse(read(parameters) == SipError.OK, parameters);
  }

  @Test
  void cutAtEachLengthAndNonsenseNeverPointsOutside() {
    String whole = ";oc=20;oc-algo=\"loss\";oc-validity=500;oc-seq=1282321615.782";
    for (int i = 0; i <= whole.length(); i++) {
      read(whole.substring(0, i));
      inside();
    }
    Random random = new Random(7339);
    for (int i = 0; i < 100_000; i++) {
      StringBuilder text = new StringBuilder(whole);
      for (int j = random.nextInt(4); j >= 0; j--) {
        text.setCharAt(random.nextInt(text.length()), (char) random.nextInt(256));
      }
      read(text.toString());
      inside();
    }
  }

  private void inside() {
    assertTrue(overload.algorithmStart() <= overload.algorithmEnd());
    assertTrue(overload.algorithmEnd() <= buffer.limit());
    assertTrue(overload.firstStart() < buffer.limit());
  }

  @ParameterizedTest
  @CsvSource({
    "urn:service:sos, true",
    "URN:Service:SOS.police, true",
    "urn:service:sosx, false",
    "urn:service:so, false",
    "sip:sos@example.com, false"
  })
  void emergencies(String uri, boolean is) {
    ByteBuffer bytes = ByteBuffer.wrap(uri.getBytes(StandardCharsets.US_ASCII));
    assertEquals(is, SipPriority.isEmergency(bytes, 0, bytes.limit()));
  }

  @Test
  void resourcePriorities() {
    String text = "dsn.flash-override ,\r\n wps.0,ets.4";
    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    SipPriority priority = new SipPriority();
    StringBuilder found = new StringBuilder();
    priority.reset(bytes, 0, bytes.limit());
    while (priority.next()) {
      found
          .append(text, priority.namespaceStart(), priority.namespaceEnd())
          .append('=')
          .append(text, priority.priorityStart(), priority.priorityEnd())
          .append(' ');
    }
    assertEquals("dsn=flash-override wps=0 ets=4 ", found.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "ets", "ets.", ".0", "ets.0 x", ",", "ets 0"})
  void malformedResourcePriorities(String text) {
    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    SipPriority priority = new SipPriority();
    priority.reset(bytes, 0, bytes.limit());
    assertFalse(priority.next());
    assertFalse(priority.next());
  }
}
