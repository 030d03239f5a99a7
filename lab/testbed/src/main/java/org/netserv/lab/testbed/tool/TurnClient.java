// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.List;
import java.util.function.Consumer;
import org.netserv.stun.ErrorCode;
import org.netserv.stun.Integrity;
import org.netserv.stun.PasswordAlgorithm;
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

/** A TURN client by UDP with ephemeral credentials, as far as the lab needs one. */
final class TurnClient implements AutoCloseable {
  private static final int SIZE = 2048;
  private static final int TRIES = 4;
  private static final int WAIT_MS = 500;
  private static final long MAPPED = 0xffff_0000_0000L;

  final DatagramSocket socket;
  private final InetSocketAddress server;
  private final RestCredentials rest;
  private final String name;
  private final Integrity integrity = new Integrity();
  private final SecureRandom random = new SecureRandom();
  private final StunMessage answer = new StunMessage();
  private int waitMillis = WAIT_MS;
  private byte[] realm;
  private byte[] nonce;

  TurnClient(InetSocketAddress server, String secret) throws IOException {
    this(server, secret, new DatagramSocket());
  }

  /** Makes a client with a socket that blocks. */
  TurnClient(InetSocketAddress server, String secret, DatagramSocket socket) {
    this.server = server;
    this.socket = socket;
    rest = new RestCredentials(List.of(secret.getBytes(StandardCharsets.UTF_8)));
    name = RestCredentials.username(System.currentTimeMillis() / 1000 + 3600, "caller");
  }

  /** Sets the time to wait for an answer, as a client does that knows the round trip already. */
  TurnClient waiting(int millis) {
    waitMillis = millis;
    return this;
  }

  /** Asks for an allocation. Returns 0, or the error code; -1 = no answer. */
  int allocate() throws IOException {
    return ask(StunMethod.ALLOCATE, w -> RequestedTransport.put(w, RequestedTransport.UDP));
  }

  /** Returns the relayed address of the answer to {@link #allocate}. */
  String relayed() throws IOException {
    StunAddress relayed = new StunAddress();
    relayed.get(answer, StunAttribute.XOR_RELAYED_ADDRESS);
    ByteBuffer address = ByteBuffer.allocate(4).putInt((int) relayed.low());
    return InetAddress.getByAddress(address.array()).getHostAddress() + ":" + relayed.port();
  }

  /** Asks for a permission. Returns 0, or the error code; -1 = no answer. */
  int permit(InetAddress peer) throws IOException {
    return ask(StunMethod.CREATE_PERMISSION, w -> peer(w, new InetSocketAddress(peer, 9)));
  }

  /** Binds a channel. Returns 0, or the error code; -1 = no answer. */
  int bind(int channel, InetSocketAddress peer) throws IOException {
    return ask(
        StunMethod.CHANNEL_BIND,
        w -> {
          org.netserv.stun.ChannelNumber.put(w, channel);
          peer(w, peer);
        });
  }

  private static void peer(StunWriter writer, InetSocketAddress peer) {
    ByteBuffer bytes = ByteBuffer.wrap(peer.getAddress().getAddress());
    boolean v4 = bytes.remaining() == 4;
    long high = v4 ? 0 : bytes.getLong();
    long low = v4 ? MAPPED | (bytes.getInt() & 0xffff_ffffL) : bytes.getLong();
    StunAddress.put(writer, StunAttribute.XOR_PEER_ADDRESS, high, low, peer.getPort());
  }

  /** Sends data on a channel. */
  void send(int channel, byte[] data) throws IOException {
    ByteBuffer message = ByteBuffer.allocate(4 + data.length);
    message.putShort((short) channel).putShort((short) data.length).put(data);
    socket.send(new DatagramPacket(message.array(), message.capacity(), server));
  }

  private int ask(StunMethod method, Consumer<StunWriter> attributes) throws IOException {
    int code = askOnce(method, attributes);
    if ((code == 401 && realm == null) || code == 438) {
      realm = StunBytes.copy(answer, StunAttribute.REALM);
      nonce = StunBytes.copy(answer, StunAttribute.NONCE);
      return askOnce(method, attributes);
    }
    return code;
  }

  private int askOnce(StunMethod method, Consumer<StunWriter> attributes) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(SIZE);
    long id = random.nextLong();
    StunWriter request = new StunWriter().begin(bytes, 0, SIZE, method, StunClass.REQUEST, 7, id);
    attributes.accept(request);
    if (realm != null) {
      StunBytes.put(request, StunAttribute.USERNAME, name.getBytes(StandardCharsets.UTF_8));
      StunBytes.put(request, StunAttribute.REALM, realm);
      StunBytes.put(request, StunAttribute.NONCE, nonce);
      String known = new String(realm, StandardCharsets.UTF_8);
      integrity.put(
          request,
          StunAttribute.MESSAGE_INTEGRITY,
          StunKey.longTerm(name, known, rest.password(name), PasswordAlgorithm.MD5));
    }
    for (int i = 0; i < TRIES; i++) {
      socket.send(new DatagramPacket(bytes.array(), request.length(), server));
      if (answered(id)) {
        return answer.kind() == StunClass.SUCCESS ? 0 : ErrorCode.get(answer);
      }
    }
    return -1;
  }

  private boolean answered(long id) throws IOException {
    DatagramPacket packet = new DatagramPacket(new byte[SIZE], SIZE);
    socket.setSoTimeout(waitMillis);
    try {
      while (true) {
        packet.setLength(SIZE);
        socket.receive(packet);
        ByteBuffer bytes = ByteBuffer.wrap(packet.getData());
        boolean ours = StunMessage.isLikely(bytes, 0, packet.getLength());
        if (ours
            && answer.reset(bytes, 0, packet.getLength()) == StunError.OK
            && answer.transactionLow() == id) {
          return true;
        }
      }
    } catch (SocketTimeoutException e) {
      return false;
    }
  }

  @Override
  public void close() {
    socket.close();
  }
}
