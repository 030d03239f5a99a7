// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.netserv.packet.Tally;
import org.netserv.stun.AccessToken;
import org.netserv.stun.AccessTokens;
import org.netserv.stun.ChannelNumber;
import org.netserv.stun.ErrorCode;
import org.netserv.stun.Integrity;
import org.netserv.stun.NonceCookie;
import org.netserv.stun.Nonces;
import org.netserv.stun.PasswordAlgorithm;
import org.netserv.stun.PasswordAlgorithms;
import org.netserv.stun.RequestedTransport;
import org.netserv.stun.RestCredentials;
import org.netserv.stun.StunAddress;
import org.netserv.stun.StunAttribute;
import org.netserv.stun.StunBytes;
import org.netserv.stun.StunClass;
import org.netserv.stun.StunError;
import org.netserv.stun.StunKey;
import org.netserv.stun.StunMessage;
import org.netserv.stun.StunMethod;
import org.netserv.stun.StunWriter;
import org.netserv.stun.TokenKey;

/** A server with virtual time and sockets that are only names, and clients of it. */
public final class Stage implements RelayedSocket.Opener, Client.Way {
  static final String REALM = "example.org";
  static final String TOKEN_SERVER = "turn.example.org";
  public static final long RELAY_4 = Ip.v4(0xcb007101); // 203.0.113.1
  public static final long PEER = Ip.v4(0xc6336402); // 198.51.100.2
  static final long RELAY_6_HIGH = 0x2001_0db8_0000_0001L;
  static final long PEER_6_HIGH = 0x2001_0db8_0000_0002L;
  public static final int FIRST_PORT = 50_000;
  public static final long SECOND = 1_000_000_000L;
  private static final int SIZE = 1500;

  public final Tally<Why> tally = new Tally<>(Why.class);
  final Accounts accounts = new Accounts(100);
  final Set<String> open = new HashSet<>();
  final Set<Integer> takenPorts = new HashSet<>();
  public final Allocations allocations;
  final TurnServer server;
  final PeerLinks links; // null = no TCP to peers
  public long now = 5 * SECOND;
  long unix = 1_700_000_000L;
  int sent;
  private final RestCredentials rest =
      new RestCredentials(List.of("north".getBytes(StandardCharsets.UTF_8)));
  private final List<TokenKey> tokenKeys =
      List.of(new TokenKey("north", new byte[32]), new TokenKey("union", new byte[16]));
  private final AccessTokens tokens = new AccessTokens(TOKEN_SERVER, tokenKeys);
  private final Random random = new Random(7);
  private final Integrity integrity = new Integrity();
  private final StunMessage answer = new StunMessage();
  private ByteBuffer last;

  public Stage() {
    this(limits(100, 10), 16, 0);
  }

  Stage(Limits limits, int ports, int strangersPerSecond) {
    this(limits, ports, strangersPerSecond, null);
  }

  /** Makes a server that also has relayed TCP addresses, if there are streams. */
  Stage(Limits limits, int ports, int strangersPerSecond, PeerStreams streams) {
    int end = FIRST_PORT + ports - 1;
    List<RelayedRange> ranges =
        List.of(
            new RelayedRange(0, RELAY_4, FIRST_PORT, end),
            new RelayedRange(RELAY_6_HIGH, 1, FIRST_PORT, end));
    List<RelayedRange> tcp =
        streams == null ? List.of() : List.of(new RelayedRange(0, RELAY_4, FIRST_PORT, end));
    allocations = Allocations.of(limits, ranges, tcp, this, accounts, tally, random);
    Nonces nonces = new Nonces(new byte[16], 600, 2400, NonceCookie.PASSWORD_ALGORITHMS);
    Access access =
        new Access(REALM, rest.users(REALM, () -> unix), tokens, nonces, true, () -> unix);
    PeerRules rules =
        new PeerRules(
            List.of(Ip.Prefix.of("203.0.113.9")),
            ranges.stream().map(r -> new Ip.Prefix(r.high(), r.low(), Ip.BITS)).toList(),
            List.of(Ip.Prefix.of("198.51.100.128/25")),
            List.of(),
            false,
            false,
            1);
    Strangers strangers = new Strangers(strangersPerSecond, strangersPerSecond == 0 ? 100 : 6, 1);
    server = new TurnServer(allocations, access, rules, strangers, null, tally);
    links = streams == null ? null : new PeerLinks(streams, rules, tally, random, () -> now);
    if (links != null) {
      server.links(links);
    }
  }

  static Limits limits(int allocations, int perUser) {
    return new Limits(allocations, perUser, 4, 3, 600, 3600, 0, 0, true, true);
  }

  // ---- sockets and the way back

  @Override
  public RelayedSocket open(Allocation owner, int family, int port, boolean dontFragment)
      throws IOException {
    if (owner.isTcp()) {
      return links.open(owner, family, port);
    }
    if (takenPorts.contains(port)) {
      throw new IOException("taken");
    }
    String name = family + "/" + port;
    assertTrue(open.add(name), name);
    return () -> assertTrue(open.remove(name), name);
  }

  @Override
  public boolean canForbidFragments() {
    return true;
  }

  @Override
  public boolean send(Client to, ByteBuffer bytes, int start, int length) {
    byte[] copy = new byte[length];
    bytes.get(start, copy);
    last = ByteBuffer.wrap(copy);
    sent++;
    return true;
  }

  @Override
  public void close(Client client) {
    throw new AssertionError("nobody closes");
  }

  // ---- clients

  public Client client(int number) {
    return client(Transport.UDP, number);
  }

  Client client(Transport transport, int number) {
    return new Client(transport, 0, Ip.v4(0xc0000200 + number), 1000 + number, 3478, this);
  }

  /** A user with credentials, and the nonce of its last challenge. */
  public final class User {
    private final String password;
    private final PasswordAlgorithm algorithm;
    private String name;
    private byte[] nonce = new byte[0];
    private byte[] token; // null = none is sent
    private StunKey tokenKey; // null = it has a password

    User(String user, PasswordAlgorithm algorithm) {
      name = RestCredentials.username(unix + 3600, user);
      password = rest.password(name);
      this.algorithm = algorithm;
    }

    /** Takes a token, of now, which its requests have until {@link #withoutToken}. */
    User token(String kid, int seconds) {
      byte[] key = new byte[20];
      byte[] sealNonce = new byte[TokenKey.NONCE];
      random.nextBytes(key);
      random.nextBytes(sealNonce);
      TokenKey by = tokenKeys.stream().filter(k -> k.name().equals(kid)).findFirst().orElseThrow();
      token = new AccessToken(key, unix, seconds).seal(by, sealNonce, TOKEN_SERVER);
      tokenKey = StunKey.of(key);
      name = kid;
      return this;
    }

    /** Has the key of its token, and sends the token no longer. */
    void withoutToken() {
      token = null;
    }

    /** Sends a request with credentials, again after a challenge. Returns the answer. */
    StunMessage ask(Client from, StunMethod method, Consumer<StunWriter> attributes) {
      StunMessage first = askOnce(from, method, attributes);
      if (first != null && (nonce.length == 0 || ErrorCode.get(first) == 438)) {
        nonce = StunBytes.copy(first, StunAttribute.NONCE);
        return askOnce(from, method, attributes);
      }
      return first;
    }

    StunMessage askOnce(Client from, StunMethod method, Consumer<StunWriter> attributes) {
      return Stage.this.ask(from, request(method, attributes, random.nextLong()));
    }

    ByteBuffer request(StunMethod method, Consumer<StunWriter> attributes, long id) {
      ByteBuffer bytes = ByteBuffer.allocate(SIZE);
      StunWriter writer = new StunWriter().begin(bytes, 0, SIZE, method, StunClass.REQUEST, 1, id);
      attributes.accept(writer);
      if (nonce.length > 0) {
        StunBytes.put(writer, StunAttribute.USERNAME, name.getBytes(StandardCharsets.UTF_8));
        StunBytes.put(writer, StunAttribute.REALM, REALM.getBytes(StandardCharsets.UTF_8));
        StunBytes.put(writer, StunAttribute.NONCE, nonce);
        if (algorithm == PasswordAlgorithm.SHA256) {
          PasswordAlgorithms.put(writer);
          algorithm.put(writer);
        }
        if (token != null) {
          StunBytes.put(writer, StunAttribute.ACCESS_TOKEN, token);
        }
        integrity.put(writer, kind(), key());
      }
      return bytes.limit(writer.length());
    }

    private StunAttribute kind() {
      return algorithm == PasswordAlgorithm.SHA256
          ? StunAttribute.MESSAGE_INTEGRITY_SHA256
          : StunAttribute.MESSAGE_INTEGRITY;
    }

    private StunKey key() {
      return tokenKey != null ? tokenKey : StunKey.longTerm(name, REALM, password, algorithm);
    }

    /** Takes another user's nonce, which is the same client's. */
    void nonceOf(User other) {
      nonce = other.nonce;
    }
  }

  public User user(String name) {
    return new User(name, PasswordAlgorithm.MD5);
  }

  /** Sends a request. Returns the answer, null = there was none. */
  StunMessage ask(Client from, ByteBuffer request) {
    last = null;
    server.received(from, request, 0, request.limit(), now);
    if (last == null) {
      return null;
    }
    assertEquals(StunError.OK, answer.reset(last, 0, last.limit()));
    return answer;
  }

  /** Sends a request that must succeed. */
  public StunMessage succeed(
      User user, Client from, StunMethod method, Consumer<StunWriter> attributes) {
    StunMessage message = user.ask(from, method, attributes);
    assertNotNull(message);
    assertEquals(StunClass.SUCCESS, message.kind(), "code " + ErrorCode.get(message));
    assertTrue(integrity.holds(message, user.kind(), user.key()));
    return message;
  }

  /** Tells whether an answer is protected with a user's key. */
  boolean isSigned(StunMessage message, User user) {
    return integrity.holds(message, user.kind(), user.key());
  }

  /** Sends a request that must be refused with this error, and counted by this name. */
  void refused(
      int code, Why why, User user, Client from, StunMethod method, Consumer<StunWriter> with) {
    long before = tally.get(why);
    StunMessage message = user.ask(from, method, with);
    assertNotNull(message);
    assertEquals(StunClass.ERROR, message.kind());
    assertEquals(code, ErrorCode.get(message));
    assertEquals(before + 1, tally.get(why), why.name());
  }

  public static Consumer<StunWriter> udp(Consumer<StunWriter> more) {
    return writer -> {
      RequestedTransport.put(writer, RequestedTransport.UDP);
      more.accept(writer);
    };
  }

  /** Returns the last message to a client, null = there was none since the last call. */
  StunMessage lastSent() {
    ByteBuffer sending = last;
    last = null;
    if (sending == null) {
      return null;
    }
    assertEquals(StunError.OK, answer.reset(sending, 0, sending.limit()));
    return answer;
  }

  static Consumer<StunWriter> tcp() {
    return writer -> RequestedTransport.put(writer, RequestedTransport.TCP);
  }

  static Consumer<StunWriter> udp() {
    return udp(writer -> {});
  }

  static Consumer<StunWriter> peer(long high, long low, int port) {
    return writer -> StunAddress.put(writer, StunAttribute.XOR_PEER_ADDRESS, high, low, port);
  }

  public static Consumer<StunWriter> peer(int port) {
    return peer(0, PEER, port);
  }

  public static Consumer<StunWriter> channel(int number, Consumer<StunWriter> peer) {
    return writer -> {
      ChannelNumber.put(writer, number);
      peer.accept(writer);
    };
  }

  /** Makes an allocation. Returns its IPv4 port. */
  public int allocate(User user, Client from) {
    return port(succeed(user, from, StunMethod.ALLOCATE, udp()));
  }

  static int port(StunMessage answer) {
    StunAddress relayed = new StunAddress();
    assertTrue(relayed.get(answer, StunAttribute.XOR_RELAYED_ADDRESS));
    return relayed.port();
  }

  public Allocation of(Client client) {
    return allocations.find(client);
  }

  /** Lets time pass, a second a step, as the loop does. */
  public void pass(int seconds) {
    for (int i = 0; i < seconds; i++) {
      now += SECOND;
      unix++;
      server.tick(now);
    }
  }
}
