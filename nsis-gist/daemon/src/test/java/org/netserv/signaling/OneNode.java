// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.netserv.gist.ReceivedMessage;
import org.netserv.gist.SiiHandle;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.port.LocalNetwork;
import org.netserv.gist.wire.Mri;
import org.netserv.gist.wire.PathCoupledMri;
import org.netserv.gist.wire.SessionId;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmBinary;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.NcmSigner;
import org.netserv.ncm.PathEnd;
import org.netserv.ncm.ResponseStack;
import org.netserv.ncm.Trigger;
import org.netserv.nslp.NslpMessage;
import org.netserv.nslp.NslpMessage.Request;
import org.netserv.nslp.NslpMessage.Response;
import org.netserv.nslp.RequestId;
import org.netserv.process.Overload;
import org.netserv.values.Addresses;
import org.netserv.values.PublisherKeys;

/** The application of one node between a GIST and a controller that the test plays. */
final class OneNode {
  static final InetAddress SOURCE = address(198, 51, 100, 1);
  static final InetAddress USER = address(203, 0, 113, 7);
  static final InetAddress OWN = address(192, 0, 2, 1);
  static final InetAddress FAR = address(198, 51, 100, 9);
  static final PathCoupledMri FLOW = PathCoupledMri.between(SOURCE, USER);
  static final SiiHandle HOP = new SiiHandle("aa", address(192, 0, 2, 254), 1);
  static final KeyPair KEYS =
      PublisherKeys.generate(PublisherKeys.Algorithm.ED25519, new SecureRandom());

  final VirtualTimers timers = new VirtualTimers();
  final FakeGist gist = new FakeGist();
  final FakeController controller = new FakeController();
  final SignalingCounters counters = new SignalingCounters();
  final RegisteredPublishers publishers = new RegisteredPublishers();
  final Overload overload = new Overload();
  ApplicationSettings settings = ApplicationSettings.DEFAULT;
  final NetServApplication application =
      new NetServApplication(
          gist,
          controller,
          new Network(),
          timers,
          new SecureRandom(),
          counters,
          publishers,
          overload,
          () -> settings);

  OneNode() {
    gist.register(application);
  }

  static InetAddress address(int... bytes) {
    byte[] b = new byte[bytes.length];
    for (int i = 0; i < b.length; i++) {
      b[i] = (byte) bytes[i];
    }
    return Addresses.of(b);
  }

  static RequestId id(int number) {
    return new RequestId(ByteBuffer.allocate(16).putInt(number).array());
  }

  static SessionId session(int number) {
    return new SessionId(ByteBuffer.allocate(16).putInt(number).array());
  }

  /** A PROBE of a publisher to {@link #USER}. */
  static Ncm.Builder probe() {
    return Ncm.builder(Method.PROBE, "*")
        .set(Header.PROBE, "node")
        .set(Header.USER, "janedoe")
        .date(Instant.parse("2026-11-01T12:00:00Z"))
        .nonce(new byte[16])
        .to(USER);
  }

  static byte[] signed(Ncm.Builder builder) {
    try {
      return NcmBinary.encode(NcmSigner.sign(builder.build(), KEYS.getPrivate()));
    } catch (NcmException e) {
      throw new AssertionError(e);
    }
  }

  static byte[] trigger() {
    try {
      byte[] nonce = new byte[16];
      nonce[0] = 1;
      Ncm inside = NcmBinary.decode(signed(probe().to(FAR)));
      return Trigger.sign(
              inside, USER, Instant.parse("2026-11-01T12:00:00Z"), nonce, KEYS.getPrivate())
          .encode();
    } catch (NcmException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns the message inside the TRIGGER of {@link #trigger}. */
  static byte[] inside() {
    return signed(probe().to(FAR));
  }

  void request(int number, byte[] ncm) {
    request(number, 20_000, ncm, HOP);
  }

  void request(int number, int budget, byte[] ncm, SiiHandle hop) {
    receive(new Request(id(number), budget, ncm), FLOW, session(1), hop, false, 20);
  }

  void receive(
      NslpMessage message, Mri mri, SessionId session, SiiHandle peer, boolean local, int hops) {
    receivePayload(message.encode(), mri, session, peer, local, hops);
  }

  void receivePayload(
      byte[] payload, Mri mri, SessionId session, SiiHandle peer, boolean local, int hops) {
    application.received(
        new ReceivedMessage(
            padded(payload),
            NslpMessage.NSLP_ID,
            session,
            mri,
            true,
            peer,
            TransferAttributes.RELIABLE,
            "",
            60,
            1,
            hops,
            1,
            local));
  }

  private static byte[] padded(byte[] bytes) {
    return ByteBuffer.allocate((bytes.length + 3) / 4 * 4).put(bytes).array();
  }

  /** Sends the answer of the node below to request {@code number} of session 1. */
  void below(int number, ResponseStack stack, PathEnd end) {
    below(new Response(id(number), stack, end, ""));
  }

  void below(Response response) {
    receive(response, FLOW.flipped(), session(1), new SiiHandle("bb", USER, 2), false, 20);
  }

  static List<Integer> statuses(ResponseStack stack) {
    return stack.entries().stream().map(e -> e.status()).toList();
  }

  long count(SignalingCounters.Counter counter) {
    return counters.get(counter);
  }

  /** A host with one address. */
  static final class Network implements LocalNetwork {
    @Override
    public boolean isLocal(InetAddress address) {
      return address.equals(OWN);
    }

    @Override
    public Optional<InetAddress> addressTowards(InetAddress destination) {
      return destination.getAddress().length == 4 ? Optional.of(OWN) : Optional.empty();
    }

    @Override
    public Optional<InetAddress> addressOf(int interfaceIndex, int ipVersion) {
      return Optional.of(OWN);
    }

    @Override
    public int interfaceTowards(InetAddress destination) {
      return 1;
    }

    @Override
    public int mtu(int interfaceIndex) {
      return 1500;
    }
  }
}
