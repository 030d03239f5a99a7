// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.netserv.gist.wire.CommonHeader;
import org.netserv.gist.wire.GistFormatException;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.GistObject;
import org.netserv.gist.wire.Magic;
import org.netserv.gist.wire.MessageType;
import org.netserv.gist.wire.NetworkLayerInfo;
import org.netserv.gist.wire.NslpData;
import org.netserv.gist.wire.PathCoupledMri;
import org.netserv.gist.wire.QueryCookie;
import org.netserv.gist.wire.ResponderCookie;
import org.netserv.gist.wire.SessionId;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmBinary;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.NcmSigner;
import org.netserv.nslp.NslpMessage;
import org.netserv.nslp.RequestId;
import org.netserv.values.PublisherKeys;

/**
 * Floods a node with strangers: {@code StrangerFlood FROM COUNT TO NODE IDENTITIES SECONDS TCP TLS
 * USER}.
 *
 * <p>The identities come from COUNT addresses: FROM, and the same address in the networks after it.
 * Each identity makes a GIST handshake in D-mode with the node on the way to TO, in a session of
 * its own, and sends one request with the Confirm. Two of three requests are PROBEs of a stranger.
 * The third is a SETUP in the name of USER with a signature of another key. Each address also holds
 * silent connections to the ports TCP and TLS.
 *
 * <p>The program prints {@code flooding} after a tenth of the identities. At its end it prints
 * {@code identities= handshakes= requests= links= opened= closed= errors=}.
 */
public final class StrangerFlood {
  private static final int PORT = 270;
  private static final int HOPS = 64;
  private static final int TTL = 64;
  private static final int BUDGET = 60_000;
  private static final int LINKS_EACH = 8;
  private static final int CONNECTS_A_TURN = 4;
  private static final long TURN_MS = 20;

  private final List<InetAddress> sources;
  private final InetAddress to;
  private final InetAddress node;
  private final int identities;
  private final long seconds;
  private final int[] ports;
  private final byte[] probe;
  private final byte[] setup;
  private final Random random = new Random(64);
  private final Selector selector = Selector.open();
  private final DatagramChannel[] channels;
  private final SocketChannel[] links;
  private final Map<SessionId, GistObject> mine = new HashMap<>();
  private final ByteBuffer in = ByteBuffer.allocate(65_536);
  private int handshakes;
  private int requests;
  private int opened;
  private int closed;
  private int errors;

  private StrangerFlood(String[] args) throws IOException, NcmException {
    byte[] first = InetAddress.getByName(args[0]).getAddress();
    InetAddress[] all = new InetAddress[Integer.parseInt(args[1])];
    for (int i = 0; i < all.length; i++) {
      byte[] address = first.clone();
      address[2] = (byte) (address[2] + i);
      all[i] = InetAddress.getByAddress(address);
    }
    sources = List.of(all);
    to = InetAddress.getByName(args[2]);
    node = InetAddress.getByName(args[3]);
    identities = Integer.parseInt(args[4]);
    seconds = Long.parseLong(args[5]);
    ports = new int[] {Integer.parseInt(args[6]), Integer.parseInt(args[7])};
    probe = NcmBinary.encode(Ncm.builder(Method.PROBE, "*").set(Header.PROBE, "node").build());
    setup = forged(args[8]);
    channels = new DatagramChannel[all.length];
    links = new SocketChannel[all.length * LINKS_EACH];
  }

  private byte[] forged(String user) throws NcmException {
    Ncm.Builder message =
        Ncm.builder(Method.SETUP, "a.b")
            .version("1.0.0")
            .set(Header.USER, user)
            .set(Header.URL, "http://192.0.2.10/none.jar")
            .set(Header.DIGEST, "0".repeat(64))
            .set(Header.TTL, "60")
            .date(Instant.now())
            .nonce(bytes(16))
            .to(to);
    return NcmBinary.encode(
        NcmSigner.sign(
            message.build(), PublisherKeys.generate(PublisherKeys.Algorithm.ED25519).getPrivate()));
  }

  public static void main(String[] args) throws IOException, NcmException {
    new StrangerFlood(args).run();
  }

  private void run() throws IOException {
    for (int i = 0; i < channels.length; i++) {
      channels[i] = DatagramChannel.open();
      channels[i].bind(new InetSocketAddress(sources.get(i), 0)).configureBlocking(false);
      channels[i].register(selector, SelectionKey.OP_READ, i);
    }
    long begin = System.nanoTime();
    long end = begin + TimeUnit.SECONDS.toNanos(seconds);
    int sent = 0;
    for (long now = begin; now < end; now = System.nanoTime()) {
      int due = (int) Math.min(identities, identities * (now - begin) / (end - begin) + 1);
      for (; sent < due; sent++) {
        query(sent);
        if (sent == identities / 10) {
          System.out.println("flooding");
        }
      }
      connect();
      selector.select(TURN_MS);
      receive();
    }
    long held = Arrays.stream(links).filter(l -> l != null && l.isConnected()).count();
    System.out.printf(
        "identities=%d handshakes=%d requests=%d links=%d opened=%d closed=%d errors=%d%n",
        sent, handshakes, requests, held, opened, closed, errors);
  }

  private byte[] bytes(int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return bytes;
  }

  // ---- handshakes

  private void query(int identity) throws IOException {
    int from = identity % channels.length;
    SessionId session = new SessionId(bytes(SessionId.BYTES));
    GistObject info = new NetworkLayerInfo(TTL, 30_000, bytes(16), sources.get(from));
    mine.put(session, info);
    send(
        from,
        new InetSocketAddress(to, PORT),
        MessageType.QUERY,
        List.of(
            PathCoupledMri.between(sources.get(from), to),
            session,
            info,
            new QueryCookie(bytes(16))));
  }

  private void receive() throws IOException {
    for (SelectionKey key : selector.selectedKeys()) {
      if (key.channel() instanceof DatagramChannel channel) {
        in.clear();
        while (channel.receive(in) != null) {
          in.flip();
          byte[] payload = new byte[in.remaining()];
          in.get(payload);
          response((Integer) key.attachment(), payload);
          in.clear();
        }
      }
    }
    selector.selectedKeys().clear();
  }

  private void response(int from, byte[] payload) throws IOException {
    GistMessage message;
    try {
      Optional<byte[]> bytes = Magic.strip(payload);
      if (bytes.isEmpty()) {
        return;
      }
      message = GistMessage.decode(bytes.get());
    } catch (GistFormatException e) {
      errors++;
      return;
    }
    Optional<SessionId> session = message.find(SessionId.class);
    Optional<ResponderCookie> cookie = message.find(ResponderCookie.class);
    if (message.type() != MessageType.RESPONSE || session.isEmpty() || cookie.isEmpty()) {
      return; // an answer to a request, or an Error
    }
    GistObject info = mine.remove(session.get());
    if (info == null) {
      return;
    }
    handshakes++;
    byte[] ncm = handshakes % 3 == 0 ? setup : probe;
    byte[] request = new NslpMessage.Request(new RequestId(bytes(16)), BUDGET, ncm).encode();
    send(
        from,
        new InetSocketAddress(node, PORT),
        MessageType.CONFIRM,
        List.of(
            PathCoupledMri.between(sources.get(from), to),
            session.get(),
            info,
            cookie.get(),
            new NslpData(Arrays.copyOf(request, (request.length + 3) / 4 * 4))));
    requests++;
  }

  private void send(int from, InetSocketAddress at, MessageType type, List<GistObject> objects)
      throws IOException {
    boolean query = type == MessageType.QUERY;
    CommonHeader header =
        new CommonHeader(HOPS, NslpMessage.NSLP_ID, type, query, true, query, false);
    try {
      channels[from].send(
          ByteBuffer.wrap(Magic.wrap(new GistMessage(header, objects).encode())), at);
    } catch (IOException e) {
      errors++; // the buffer is full, or an ICMP error came
    }
  }

  // ---- connections

  /**
   * Opens a few of the missing connections, chosen at random, and closes connections that the node
   * has ended.
   */
  private void connect() throws IOException {
    ByteBuffer nothing = ByteBuffer.allocate(64);
    for (int turn = 0; turn < CONNECTS_A_TURN; turn++) {
      int which = random.nextInt(links.length);
      try {
        if (links[which] == null) {
          links[which] = SocketChannel.open();
          links[which].bind(new InetSocketAddress(sources.get(which / LINKS_EACH), 0));
          links[which].configureBlocking(false);
          links[which].connect(new InetSocketAddress(node, ports[which % ports.length]));
        } else if (links[which].isConnectionPending()) {
          opened += links[which].finishConnect() ? 1 : 0;
        } else if (links[which].read(nothing) < 0) {
          closed++;
          end(which);
        }
      } catch (IOException e) {
        closed++;
        end(which);
      }
    }
  }

  private void end(int which) throws IOException {
    links[which].close();
    links[which] = null;
  }
}
