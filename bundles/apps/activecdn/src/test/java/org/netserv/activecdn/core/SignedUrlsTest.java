// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.http.HeadError;
import org.netserv.http.HeadLimits;
import org.netserv.http.RequestHead;
import org.netserv.http.cache.CacheSettings;

/** Signatures that hold and that do not, and the cache behind them. */
class SignedUrlsTest {
  private static final long NOW = Rig.NOW / 1000;
  private static final byte[] KEY = HexFormat.of().parseHex("00112233445566778899aabbccddeeff");

  private final SignedUrls signed =
      new SignedUrls(List.of("/video/", "/one"), Map.of("k1", KEY, "k2", new byte[32]));

  private static RequestHead get(String host, String path) {
    byte[] bytes =
        ("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nAccept: b\r\n\r\n")
            .getBytes(StandardCharsets.ISO_8859_1);
    RequestHead head = new RequestHead(HeadLimits.USUAL);
    assertEquals(HeadError.OK, head.reset(bytes, 0, bytes.length), path);
    return head;
  }

  /** Signs as a publisher would. */
  private static String sign(String host, String path, long expires) throws Exception {
    String parameters = (path.contains("?") ? "&" : "?") + "expires=" + expires + "&key=k1";
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(KEY, "HmacSHA256"));
    byte[] code = mac.doFinal((host + path + parameters).getBytes(StandardCharsets.ISO_8859_1));
    return path + parameters + "&signature=" + HexFormat.of().formatHex(code);
  }

  /** The same by {@code openssl dgst -sha256 -mac HMAC -macopt hexkey:00112233...}. */
  @Test
  void anotherProgramMakesTheSameSignature() throws Exception {
    assertEquals(
        "/video/a.mp4?expires=1764230400&key=k1&signature="
            + "f79824904ca0d174065d671f92789463bd944b4ff808d6e4d12954c014cb39cd",
        sign("www.example", "/video/a.mp4", 1_764_230_400));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/video/a",
        "/video/",
        "/one",
        "/oneself",
        "//video/a",
        "/./video/a",
        "/x/../video/a",
        "/%76ideo/a",
        "/video%2Fa",
        "/%2e%2e/video/a",
        "/x/..%2fvideo/a",
        "/x%5c..%5cvideo%5ca",
        "/VIDEO/a",
        "/video;jsession=1/a",
        "/;x/video/a",
        "/video/a?b"
      })
  void everyReadingOfAPathBelowAPrefixIsCovered(String path) {
    assertTrue(signed.covers(get("a", path)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/video", "/videos/a", "/x/video/a", "/video/../a", "/a?/video/"})
  void otherPathsAreNot(String path) {
    assertFalse(signed.covers(get("a", path)));
    assertFalse(SignedUrls.NONE.covers(get("a", "/video/a")));
  }

  @Test
  void aSignatureHoldsForItsUrlUntilItExpires() throws Exception {
    for (String path : List.of("/video/a", "/video/a?b=1&c", "/video/%C3%A9")) {
      String url = sign("a", path, NOW + 10);
      assertNull(signed.refusal(get("a", url), NOW));
      assertNull(signed.refusal(get("A:8080", url), NOW + 10));
      assertEquals(Refusal.EXPIRED, signed.refusal(get("a", url), NOW + 11));
      assertEquals(Refusal.SIGNATURE, signed.refusal(get("b", url), NOW));
      assertEquals(Refusal.SIGNATURE, signed.refusal(get("a", url.replace("k1", "k2")), NOW));
      assertEquals(Refusal.SIGNATURE, signed.refusal(get("a", url.replace("k1", "k3")), NOW));
      assertEquals(Refusal.UNSIGNED, signed.refusal(get("a", url + "&d"), NOW));
      assertEquals(Refusal.UNSIGNED, signed.refusal(get("a", path), NOW));
    }
  }

  /** Every changed octet of the target ends it. */
  @Test
  void noOctetCanBeChanged() throws Exception {
    String url = sign("a", "/video/a?b=1", NOW + 1000);
    Random random = new Random(1);
    for (int i = 1; i < url.length(); i++) {
      char other = "0123456789abcdefghijklmnopqrstuvwxyz".charAt(random.nextInt(36));
      if (other != url.charAt(i)) {
        String changed = url.substring(0, i) + other + url.substring(i + 1);
        Refusal refusal = signed.refusal(get("a", changed), NOW);
        assertTrue(refusal == Refusal.SIGNATURE || refusal == Refusal.UNSIGNED, changed);
      }
    }
  }

  @Test
  void theOriginAndTheStoreKnowNoSignature() throws Exception {
    Rig rig = new Rig(CacheSettings.EDGE, 1 << 20, signed);
    Rig.Asker first = rig.begin("GET " + sign("a", "/video/a?b=1", NOW + 10) + " HTTP/1.1");
    assertTrue(rig.next().head().startsWith("GET /video/a?b=1 HTTP/1.1\nHost: a\n"));
    rig.next().answer(200, "film", "Cache-Control: max-age=100");
    assertEquals("200 film", first.result());
    Rig.Asker other = rig.begin("GET " + sign("a", "/video/a?b=1", NOW + 99) + " HTTP/1.1");
    assertEquals("200 film", other.result());
    assertEquals(1, rig.asked.size());
    assertEquals(1, rig.tally.get(Why.HIT));
    rig.pass(20_000);
    Rig.Asker late = rig.begin("GET " + sign("a", "/video/a?b=1", NOW + 10) + " HTTP/1.1");
    assertEquals("403 the URL has expired\n", late.result());
    assertEquals(
        "403 this URL needs a signature\n", rig.begin("GET /video/a?b=1 HTTP/1.1").result());
    assertEquals(1, rig.asked.size());
    assertEquals(1, rig.tally.get(Why.REFUSED_EXPIRED));
    assertEquals(1, rig.tally.get(Why.REFUSED_UNSIGNED));
  }
}
