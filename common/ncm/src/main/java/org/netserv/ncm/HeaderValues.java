// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.netserv.filter.FlowFilter;
import org.netserv.filter.pcap.PcapFilter;
import org.netserv.values.Addresses;
import org.netserv.values.BadValueException;
import org.netserv.values.Numbers;
import org.netserv.values.PortRange;
import org.netserv.values.Prefix;
import org.netserv.values.Protocols;

/**
 * One function per kind of value. It takes the text of a header and returns its canonical text, or
 * throws the fault. Two texts of the same meaning have one canonical form, so that a signature
 * covers both as one message.
 */
final class HeaderValues {
  static final int MAX_SECONDS = 31_536_000;
  static final int MAX_URL = 1024;
  static final int MAX_PORTS = 16;
  static final int MAX_PROTOS = 8;
  static final int MAX_PREFIXES = 64;
  static final int MAX_NODES = 64;
  static final int MAX_DEPENDENCIES = 32;
  static final int MAX_SIGNATURE = 1024;
  static final int MAX_SEALED = 8192;

  /** 9999-12-31T23:59:59Z. */
  static final long LAST_SECOND = 253_402_300_799L;

  private static final Pattern USER = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,63}");
  private static final Pattern NODE_ID = Pattern.compile("[a-z2-7]{26}");
  private static final Pattern URL = Pattern.compile("https?://[\\x21-\\x7e]+");

  private HeaderValues() {}

  /** The canonical text of a header's value. */
  static String canonical(Header header, String text) throws BadValueException {
    return switch (header) {
      case DEPENDENCIES -> dependencies(text);
      case FILTER_PORT -> join(portList(text));
      case FILTER_PROTO -> protos(text);
      case FILTER_PREFIX -> join(prefixList(text));
      case FILTER_SAMPLE -> sample(text);
      case FILTER_MATCH -> PcapFilter.parse(text).toString();
      case FILTER_COUNT -> CountField.print(countFields(text));
      case NOTIFICATION -> text.isEmpty() ? "" : url(text);
      case NODE_ID -> nodeId(text);
      case WHERE -> Where.parse(text).toString();
      case PROBE -> probe(text);
      case PROPERTIES -> PropertyList.print(PropertyList.parse(text));
      case SEALED -> base64(text, MAX_SEALED);
      case TTL, IDLE_TTL -> Integer.toString(Numbers.inRange(text, 1, MAX_SECONDS, "seconds"));
      case URL -> url(text);
      case USER -> user(text);
      case DIGEST -> hex(text, 32);
      case DATE -> date(text);
      case NONCE -> hex(text, Ncm.NONCE_BYTES);
      case TO -> Addresses.print(Addresses.parse(text));
      case SEQ -> seq(text);
      case DELEGATION -> delegation(text);
      case REVOKE -> String.join(",", Revocation.parseList(text));
      case ACTIVATE -> Activate.parse(text).text();
      case TAKE -> join(takenPorts(text));
      case SIGNATURE -> base64(text, MAX_SIGNATURE);
    };
  }

  private static String dependencies(String text) throws BadValueException {
    return text.isEmpty() ? "" : join(bounded(Dependency.parseList(text), MAX_DEPENDENCIES));
  }

  static List<PortRange> portList(String text) throws BadValueException {
    List<PortRange> list = new ArrayList<>();
    for (String item : items(text, MAX_PORTS)) {
      PortRange range = PortRange.parse(item);
      if (list.stream().anyMatch(range::overlaps)) {
        throw new BadValueException("overlaps an earlier range: " + range);
      }
      list.add(range);
    }
    return list;
  }

  static List<TakenPort> takenPorts(String text) throws BadValueException {
    List<TakenPort> list = new ArrayList<>();
    for (String item : items(text, MAX_PORTS)) {
      TakenPort port = TakenPort.parse(item);
      if (list.stream().anyMatch(earlier -> earlier.port() == port.port())) {
        throw new BadValueException("the same port twice: " + port.port());
      }
      list.add(port);
    }
    return list;
  }

  private static String protos(String text) throws BadValueException {
    return protoList(text).stream().map(Protocols::print).collect(Collectors.joining(","));
  }

  static List<Integer> protoList(String text) throws BadValueException {
    List<Integer> list = new ArrayList<>();
    for (String item : items(text, MAX_PROTOS)) {
      list.add(Protocols.parse(item));
    }
    return distinct(list);
  }

  /**
   * Reads a list of prefixes. It may be empty, because the empty set of prefixes, which grants
   * nothing, is valid, too.
   */
  static List<Prefix> prefixList(String text) throws BadValueException {
    List<Prefix> list = new ArrayList<>();
    if (!text.isEmpty()) {
      for (String item : items(text, MAX_PREFIXES)) {
        list.add(Prefix.parse(item));
      }
    }
    return distinct(list);
  }

  private static String sample(String text) throws BadValueException {
    if (!text.startsWith("1/")) {
      throw new BadValueException("not 1/N: " + BadValueException.quote(text));
    }
    return "1/" + Numbers.inRange(text.substring(2), 1, FlowFilter.MAX_SAMPLE, "1/N with N");
  }

  static String nodeId(String text) throws BadValueException {
    if (!NODE_ID.matcher(text).matches()) {
      throw new BadValueException(
          "not a node-id (26 of a-z and 2-7): " + BadValueException.quote(text));
    }
    return text;
  }

  static List<String> nodeIds(String text) throws BadValueException {
    List<String> list = new ArrayList<>();
    for (String item : items(text, MAX_NODES)) {
      list.add(nodeId(item));
    }
    return distinct(list);
  }

  static List<ProbeKind> probeKinds(String text) throws BadValueException {
    List<ProbeKind> list = new ArrayList<>();
    for (String item : items(text, ProbeKind.values().length)) {
      list.add(ProbeKind.parse(item));
    }
    return distinct(list);
  }

  static Set<CountField> countFields(String text) throws BadValueException {
    List<CountField> list = new ArrayList<>();
    for (String item : items(text, CountField.values().length)) {
      list.add(CountField.parse(item));
    }
    return EnumSet.copyOf(distinct(list));
  }

  private static String probe(String text) throws BadValueException {
    return probeKinds(text).stream().map(ProbeKind::text).collect(Collectors.joining(","));
  }

  /**
   * Checks a URL and keeps it as written. The fetcher decides about the target, after resolution.
   */
  private static String url(String text) throws BadValueException {
    if (text.length() > MAX_URL) {
      throw new BadValueException("longer than " + MAX_URL + " characters");
    }
    if (!URL.matcher(text).matches()) {
      throw new BadValueException("not an http or https URL: " + BadValueException.quote(text));
    }
    try {
      URI uri = new URI(text);
      if (uri.getHost() == null || uri.getRawUserInfo() != null || uri.getRawFragment() != null) {
        throw new BadValueException(
            "needs a host and has no user and no fragment: " + BadValueException.quote(text));
      }
      if (uri.getPort() == 0 || uri.getPort() > PortRange.MAX) {
        throw new BadValueException("no such port: " + uri.getPort());
      }
      return text;
    } catch (URISyntaxException e) {
      throw new BadValueException("not a URL: " + BadValueException.quote(text), e);
    }
  }

  /** Checks a user name. It becomes part of file names, hence no leading dot or dash. */
  private static String user(String text) throws BadValueException {
    if (!USER.matcher(text).matches()) {
      throw new BadValueException(
          "not 1 to 64 of A-Z a-z 0-9 . _ - beginning with a letter, digit or _: "
              + BadValueException.quote(text));
    }
    return text;
  }

  private static String hex(String text, int bytes) throws BadValueException {
    boolean good = text.length() == bytes * 2;
    for (int i = 0; good && i < text.length(); i++) {
      good = Numbers.hexDigit(text.charAt(i)) >= 0;
    }
    if (!good) {
      throw new BadValueException(
          "not " + bytes * 2 + " hexadecimal digits: " + BadValueException.quote(text));
    }
    return text.toLowerCase(Locale.ROOT);
  }

  private static String date(String text) throws BadValueException {
    try {
      Instant instant = Instant.parse(text);
      long seconds = instant.getEpochSecond();
      if (instant.toString().equals(text)
          && instant.getNano() == 0
          && seconds >= 0
          && seconds <= LAST_SECOND) {
        return text;
      }
    } catch (DateTimeException e) {
      throw new BadValueException(notDate(text), e);
    }
    throw new BadValueException(notDate(text));
  }

  private static String notDate(String text) {
    return "not of the form 2026-11-01T12:00:00Z: " + BadValueException.quote(text);
  }

  private static String seq(String text) throws BadValueException {
    try {
      if (Numbers.isDecimal(text)) {
        return Long.toUnsignedString(Long.parseUnsignedLong(text));
      }
    } catch (NumberFormatException e) {
      throw new BadValueException("exceeds 64 bits: " + BadValueException.quote(text), e);
    }
    throw new BadValueException("not a number: " + BadValueException.quote(text));
  }

  /**
   * Reads base64 by RFC 4648 section 4. Missing padding and unused last bits are put right, because
   * the paper's own example has them.
   */
  static String base64(String text, int maxBytes) throws BadValueException {
    int end = text.length();
    while (end > 0 && text.length() - end < 2 && text.charAt(end - 1) == '=') {
      end--;
    }
    try {
      byte[] bytes = Base64.getDecoder().decode(text.substring(0, end));
      if (bytes.length < 1 || bytes.length > maxBytes) {
        throw new BadValueException("not 1 to " + maxBytes + " bytes in base64");
      }
      return Base64.getEncoder().encodeToString(bytes);
    } catch (IllegalArgumentException e) {
      throw new BadValueException("not base64: " + BadValueException.quote(text), e);
    }
  }

  private static String delegation(String text) throws BadValueException {
    String canonical = base64(text, Delegation.MAX_BYTES);
    Delegation.read(Base64.getDecoder().decode(canonical));
    return canonical;
  }

  private static List<String> items(String text, int max) throws BadValueException {
    return bounded(List.of(text.split(",", -1)), max);
  }

  private static <T> List<T> bounded(List<T> list, int max) throws BadValueException {
    if (list.size() > max) {
      throw new BadValueException("more than " + max + " in the list");
    }
    return list;
  }

  private static <T> List<T> distinct(List<T> list) throws BadValueException {
    if (new HashSet<>(list).size() < list.size()) {
      throw new BadValueException("the same twice in the list");
    }
    return List.copyOf(list);
  }

  private static String join(List<?> list) {
    return list.stream().map(Object::toString).collect(Collectors.joining(","));
  }
}
