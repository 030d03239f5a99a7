// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import java.security.KeyPair;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.netserv.filter.FlowFilter;
import org.netserv.values.Addresses;
import org.netserv.values.RandomValues;
import org.netserv.values.TestKeys;

/** Messages for tests: one complete SETUP, and random valid ones from a seed. */
public final class Messages {
  /** A few delegations, because issuing one for each message would take long. */
  private static final List<String> DELEGATIONS = delegations();

  private Messages() {}

  private static List<String> delegations() {
    try {
      List<String> list = new ArrayList<>();
      for (KeyPair issuer : List.of(TestKeys.ed25519(), TestKeys.p256())) {
        Delegation delegation =
            Delegations.issued(
                issuer.getPrivate(), TestKeys.otherEd25519(), Delegations.bounds(Map.of()));
        list.add(Base64.getEncoder().encodeToString(delegation.encoded()));
      }
      return List.copyOf(list);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** A SETUP that passes the rules; its signature is made up. */
  public static Ncm.Builder setup() {
    return Ncm.builder(Method.SETUP, "NetServ.apps.KeepAlive")
        .version("0.1.0")
        .set(Header.FILTER_PORT, "5060")
        .set(Header.FILTER_PROTO, "udp")
        .set(Header.TTL, 3600)
        .set(Header.URL, "https://publisher.example/keepalive.jar")
        .set(Header.DIGEST, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        .set(Header.SEQ, 1)
        .set(Header.USER, "janedoe")
        .set(Header.DATE, "2026-11-01T12:00:00Z")
        .set(Header.NONCE, "000102030405060708090a0b0c0d0e0f")
        .set(Header.TO, "203.0.113.7")
        .set(Header.SIGNATURE, "AAAA");
  }

  public static Ncm.Builder remove() {
    Ncm.Builder builder = Ncm.builder(Method.REMOVE, "*").set(Header.SEQ, 2);
    return freshness(builder);
  }

  public static Ncm.Builder probe() {
    return freshness(Ncm.builder(Method.PROBE, "*").set(Header.PROBE, "node"));
  }

  private static Ncm.Builder freshness(Ncm.Builder builder) {
    return builder
        .set(Header.USER, "janedoe")
        .set(Header.DATE, "2026-11-01T12:00:00Z")
        .set(Header.NONCE, "000102030405060708090a0b0c0d0e0f")
        .set(Header.TO, "203.0.113.7")
        .set(Header.SIGNATURE, "AAAA");
  }

  public static Ncm.Builder of(Method method) {
    return switch (method) {
      case SETUP -> setup();
      case REMOVE -> remove();
      case PROBE -> probe();
    };
  }

  /** A good value for every header. */
  public static String good(Header header) {
    return value(header, new Random(header.type()));
  }

  /**
   * Any well-formed message: random method, name and headers, whether they suit each other or not.
   */
  public static Ncm random(Random random) throws NcmException {
    Method method = List.of(Method.SETUP, Method.REMOVE, Method.PROBE).get(random.nextInt(3));
    Ncm.Builder builder = Ncm.builder(method, random.nextInt(5) == 0 ? "*" : name(random));
    for (Header header : Header.values()) {
      if (random.nextBoolean()) {
        builder.set(header, value(header, random));
      }
    }
    if (random.nextInt(4) == 0) {
      builder.protocol(Ncm.LEGACY);
    }
    return builder.build();
  }

  public static String value(Header header, Random random) {
    return switch (header) {
      case DEPENDENCIES -> dependencies(random);
      case FILTER_PORT ->
          1
              + random.nextInt(30_000)
              + "-"
              + (30_001 + random.nextInt(100))
              + ","
              + (40_000 + random.nextInt(9));
      case FILTER_PROTO -> List.of("udp", "17", "tcp,udp", "255", "sctp,1").get(random.nextInt(5));
      case FILTER_PREFIX -> prefixes(random);
      case FILTER_MATCH -> "udp port " + (1 + random.nextInt(65535)) + " or icmp6";
      case FILTER_COUNT -> List.of("src,dst,ttl", "proto", "sport,dport").get(random.nextInt(3));
      case TAKE -> List.of("80", "80:8080", "80,8000:80,65535:1").get(random.nextInt(3));
      case FILTER_SAMPLE -> "1/" + (1 + random.nextInt(FlowFilter.MAX_SAMPLE));
      case NOTIFICATION -> random.nextBoolean() ? "" : "http://[2001:db8::1]:8080/n";
      case NODE_ID -> nodeId(random);
      case WHERE ->
          List.of(
                  "all",
                  "last",
                  nodeId(random),
                  "a" + nodeId(random).substring(1) + ",b" + nodeId(random).substring(1))
              .get(random.nextInt(4));
      case PROBE ->
          List.of("node", "module,policy", "capabilities,resources,node").get(random.nextInt(3));
      case PROPERTIES -> PropertyList.print(properties(random));
      case SEALED ->
          Base64.getEncoder().encodeToString(RandomValues.bytes(random, 1 + random.nextInt(2000)));
      case TTL, IDLE_TTL -> Integer.toString(1 + random.nextInt(HeaderValues.MAX_SECONDS));
      case URL -> "https://publisher.example/" + random.nextInt() + "?a=b:c,d";
      case USER -> "user." + random.nextInt(1000) + "-x";
      case DIGEST -> HexFormat.of().withUpperCase().formatHex(RandomValues.bytes(random, 32));
      case DATE -> Instant.ofEpochSecond(random.nextInt() & 0xffffffffL).toString();
      case NONCE -> HexFormat.of().formatHex(RandomValues.bytes(random, 16));
      case TO -> Addresses.print(Addresses.of(RandomValues.address(random)));
      case SEQ -> Long.toUnsignedString(random.nextLong());
      case DELEGATION -> DELEGATIONS.get(random.nextInt(DELEGATIONS.size()));
      case REVOKE ->
          List.of("1234", "key:" + nodeId(random), "abc,key:" + nodeId(random))
              .get(random.nextInt(3));
      case ACTIVATE -> random.nextBoolean() ? "now" : "later";
      case SIGNATURE ->
          Base64.getEncoder()
              .withoutPadding()
              .encodeToString(RandomValues.bytes(random, 1 + random.nextInt(100)));
    };
  }

  private static String prefixes(Random random) {
    if (random.nextInt(5) == 0) {
      return "";
    }
    byte[] bytes = RandomValues.address(random);
    int length = random.nextInt(bytes.length * 8 + 1);
    for (int bit = length; bit < bytes.length * 8; bit++) {
      bytes[bit / 8] &= (byte) ~(0x80 >> (bit % 8));
    }
    return Addresses.print(Addresses.of(bytes)) + "/" + length;
  }

  private static String dependencies(Random random) {
    String low = random.nextInt(9) + "." + random.nextInt(100);
    return List.of(
            "", "a.b", "a.b;" + low, "a_b;[" + low + ",10)", "x;(" + low + ",10.0.0.q],y-z;[1,1]")
        .get(random.nextInt(5));
  }

  public static Map<String, String> properties(Random random) {
    Map<String, String> map = new LinkedHashMap<>();
    for (int i = random.nextInt(6); i > 0; i--) {
      map.put("k" + text(random), text(random));
    }
    return map;
  }

  private static String text(Random random) {
    String alphabet = "ab,=\\ :;é\u20ac";
    return IntStream.range(0, random.nextInt(9))
        .mapToObj(i -> alphabet.substring(random.nextInt(alphabet.length())).substring(0, 1))
        .collect(Collectors.joining());
  }

  private static String nodeId(Random random) {
    String base32 = "abcdefghijklmnopqrstuvwxyz234567";
    return IntStream.range(0, 26)
        .mapToObj(i -> String.valueOf(base32.charAt(random.nextInt(32))))
        .collect(Collectors.joining());
  }

  private static String name(Random random) {
    List<String> names =
        new ArrayList<>(
            List.of("a", "NetServ.apps.NetMonitor", "my_app", "a-b_1", "_x._y", "1_2.3"));
    return names.get(random.nextInt(names.size()));
  }
}
