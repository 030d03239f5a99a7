// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.netserv.http.RequestHead;

/**
 * Signatures of URLs: below some prefixes a request needs one, and it holds until it expires.
 *
 * <pre>
 *   https://www.example/video/a.mp4?x=1&amp;expires=1764230400&amp;key=k1&amp;signature=HEX
 *           '------------------ signed, HMAC-SHA256 -----------------'
 * </pre>
 *
 * The host is in lower case and without its port. The three parameters are the last ones, in this
 * order. They end here: neither the origin nor the key of the stored response has them. Used by the
 * event loop alone.
 */
public final class SignedUrls {
  /** No URL needs a signature. */
  public static final SignedUrls NONE = new SignedUrls(List.of(), Map.of());

  private static final String ALGORITHM = "HmacSHA256";
  private static final Pattern PARAMETERS =
      Pattern.compile(
          "[?&]expires=([0-9]{1,12})&key=([A-Za-z0-9_-]{1,32})(&signature=([0-9a-f]{64}))$");

  private final List<String> prefixes;
  private final Map<String, Mac> macs = new HashMap<>();

  /**
   * Takes prefixes and keys.
   *
   * @param prefixes of paths, each from the first slash on
   * @param keys by name
   */
  public SignedUrls(List<String> prefixes, Map<String, byte[]> keys) {
    this.prefixes = prefixes.stream().map(SignedUrls::normal).toList();
    keys.forEach((name, key) -> macs.put(name, mac(key)));
  }

  private static Mac mac(byte[] key) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
      return mac;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has " + ALGORITHM, e);
    }
  }

  /**
   * Tells whether the request needs a signature. Origins read paths in several ways, so a path
   * counts by all of them: percent-encoded, with dots, with parameters of segments, in any case.
   */
  boolean covers(RequestHead request) {
    if (prefixes.isEmpty()) {
      return false;
    }
    String path = path(request).replaceFirst("\\?.*", "");
    String plain = normal(path);
    String bare = normal(path.replaceAll(";[^/]*", ""));
    return prefixes.stream().anyMatch(each -> plain.startsWith(each) || bare.startsWith(each));
  }

  private static String path(RequestHead request) {
    return latin(request, request.pathStart(), request.pathEnd());
  }

  private static String latin(RequestHead request, int from, int to) {
    return new String(request.bytes(), from, to - from, StandardCharsets.ISO_8859_1);
  }

  /** Decodes a path once, and takes out empty segments and dots. */
  private static String normal(String path) {
    StringBuilder decoded = new StringBuilder();
    for (int i = 0; i < path.length(); i++) {
      boolean escaped = path.startsWith("%", i) && path.length() > i + 2;
      int high = escaped ? Character.digit(path.charAt(i + 1), 16) : -1;
      int low = escaped ? Character.digit(path.charAt(i + 2), 16) : -1;
      boolean both = high >= 0 && low >= 0;
      decoded.append(both ? (char) (16 * high + low) : path.charAt(i));
      i += both ? 2 : 0;
    }
    String[] segments = decoded.toString().replace('\\', '/').split("/", -1);
    Deque<String> kept = new ArrayDeque<>();
    for (String segment : segments) {
      if (segment.equals("..")) {
        kept.pollLast();
      } else if (!segment.isEmpty() && !segment.equals(".")) {
        kept.addLast(segment);
      }
    }
    boolean directory = segments[segments.length - 1].isEmpty();
    String text = "/" + String.join("/", kept) + (directory && !kept.isEmpty() ? "/" : "");
    return text.toLowerCase(Locale.ROOT);
  }

  /**
   * Checks the signature of a request that needs one.
   *
   * @param now seconds since 1970
   * @return null if it holds
   */
  Refusal refusal(RequestHead request, long now) {
    String path = path(request);
    Matcher parameters = PARAMETERS.matcher(path);
    if (!parameters.find()) {
      return Refusal.UNSIGNED;
    }
    Mac mac = macs.get(parameters.group(2));
    String host = latin(request, request.hostStart(), request.hostEnd()).toLowerCase(Locale.ROOT);
    String signed = host.replaceFirst(":[0-9]*$", "") + path.substring(0, parameters.start(3));
    byte[] given = HexFormat.of().parseHex(parameters.group(4));
    if (mac == null
        || !MessageDigest.isEqual(
            given, mac.doFinal(signed.getBytes(StandardCharsets.ISO_8859_1)))) {
      return Refusal.SIGNATURE;
    }
    return Long.parseLong(parameters.group(1)) < now ? Refusal.EXPIRED : null;
  }

  /** Takes the three parameters out of a request that has them. */
  void strip(RequestHead request) {
    Matcher parameters = PARAMETERS.matcher(path(request));
    if (parameters.find()) {
      byte[] bytes = request.bytes();
      int end = request.pathStart() + parameters.start();
      int rest = request.end() - request.pathEnd();
      byte[] shorter = Arrays.copyOf(bytes, end + rest);
      System.arraycopy(bytes, request.pathEnd(), shorter, end, rest);
      request.reset(shorter, 0, shorter.length);
    }
  }
}
