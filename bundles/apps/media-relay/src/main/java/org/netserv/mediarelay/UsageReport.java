// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay;

import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.LongSupplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.netserv.mediarelay.core.Account;

/**
 * The usage of users as datagrams of text ({@code docs/protocols/media-relay-usage.md}):
 *
 * <pre>
 *   netserv-usage 1 INSTANCE SEQUENCE TIME
 *   user=NAME allocations=1 ended=2 seconds=... bytes-to-clients=...
 *   hmac-sha256=...
 * </pre>
 *
 * Counts only grow, and a user whose counts have changed is in three reports, so that a datagram
 * may be lost. Belongs to one thread.
 */
final class UsageReport {
  /** Bytes of a datagram, unless one user's name alone is longer. */
  static final int BYTES_MOST = 1200;

  private static final int REPEATS = 3;
  private static final int MAC_LINE = 12 + 64 + 1;
  private static final int USER_MOST = 513;
  private static final String PLAIN = "-._~@:/+";

  private final long instance;
  private final Mac mac;
  private final LongSupplier millis;
  private final Map<Account, Told> told = new WeakHashMap<>();
  private long sequence;

  /** The number of reports that still have to tell of a user. */
  private static final class Told {
    private long changes = -1;
    private int left;
  }

  /**
   * @param instance random bits that no other run of a module has
   * @param key of HMAC-SHA256
   * @param millis since 1970
   */
  UsageReport(long instance, byte[] key, LongSupplier millis) {
    this.instance = instance;
    this.millis = millis;
    try {
      mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
    } catch (NoSuchAlgorithmException | InvalidKeyException impossible) {
      throw new IllegalStateException("every JDK has HmacSHA256 for any key", impossible);
    }
  }

  /** Returns the datagrams of one report: at least one, perhaps without users. */
  List<byte[]> datagrams(List<Account> accounts) {
    List<byte[]> datagrams = new ArrayList<>();
    Iterator<String> lines = accounts.stream().filter(this::isTold).map(this::line).iterator();
    StringBuilder text = head();
    boolean empty = true;
    while (lines.hasNext()) {
      String line = lines.next();
      if (!empty && text.length() + line.length() + MAC_LINE > BYTES_MOST) {
        datagrams.add(end(text));
        text = head();
      }
      text.append(line);
      empty = false;
    }
    datagrams.add(end(text));
    return datagrams;
  }

  private boolean isTold(Account account) {
    Told of = told.computeIfAbsent(account, a -> new Told());
    long changes = account.changes();
    if (changes == 0) {
      return false;
    }
    if (changes != of.changes) {
      of.changes = changes;
      of.left = REPEATS;
    }
    if (of.left == 0) {
      return false;
    }
    of.left--;
    return true;
  }

  private StringBuilder head() {
    sequence++;
    return new StringBuilder("netserv-usage 1 ")
        .append(HexFormat.of().toHexDigits(instance))
        .append(' ')
        .append(sequence)
        .append(' ')
        .append(millis.getAsLong())
        .append('\n');
  }

  private String line(Account of) {
    return "user="
        + encoded(of.user())
        + " allocations="
        + of.allocations()
        + " ended="
        + of.ended()
        + " seconds="
        + of.seconds()
        + " packets-to-peers="
        + of.packetsToPeers()
        + " bytes-to-peers="
        + of.bytesToPeers()
        + " packets-to-clients="
        + of.packetsToClients()
        + " bytes-to-clients="
        + of.bytesToClients()
        + "\n";
  }

  /** Writes bytes other than letters, digits and a few signs as %XX. */
  private static String encoded(String user) {
    StringBuilder text = new StringBuilder();
    byte[] bytes = user.getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < Math.min(USER_MOST, bytes.length); i++) {
      char sign = (char) (bytes[i] & 0xff);
      boolean plain =
          (sign >= '0' && sign <= '9')
              || (sign >= 'A' && sign <= 'Z')
              || (sign >= 'a' && sign <= 'z')
              || PLAIN.indexOf(sign) >= 0;
      if (plain) {
        text.append(sign);
      } else {
        text.append('%').append(HexFormat.of().withUpperCase().toHexDigits(bytes[i]));
      }
    }
    return text.toString();
  }

  private byte[] end(StringBuilder text) {
    byte[] signed = text.toString().getBytes(StandardCharsets.US_ASCII);
    text.append("hmac-sha256=").append(HexFormat.of().formatHex(mac.doFinal(signed))).append('\n');
    return text.toString().getBytes(StandardCharsets.US_ASCII);
  }
}
