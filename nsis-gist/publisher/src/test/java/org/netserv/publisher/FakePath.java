// SPDX-License-Identifier: Apache-2.0
package org.netserv.publisher;

import java.net.InetAddress;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import org.netserv.gist.MessageStatus;
import org.netserv.gist.SendRequest;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.NcmSigner;
import org.netserv.ncm.PathEnd;
import org.netserv.ncm.ResponseStack;
import org.netserv.nslp.Carried;
import org.netserv.nslp.NslpMessage;
import org.netserv.nslp.RequestId;
import org.netserv.values.Addresses;
import org.netserv.values.BadValueException;
import org.netserv.values.NodeIdentity;

/** Nodes of a path that answer with true signatures; the first is the one nearest the publisher. */
final class FakePath {
  /** A node and the status it answers with. */
  record Node(NodeIdentity identity, int status) {
    Node answering(int other) {
      return new Node(identity, other);
    }

    String id() {
      return identity.nodeId();
    }
  }

  private final FakeEngine engine;
  private final PublicKey publisher;

  FakePath(FakeEngine engine, PublicKey publisher) {
    this.engine = engine;
    this.publisher = publisher;
  }

  static Node node() {
    return new Node(NodeIdentity.generate(new SecureRandom()), 200);
  }

  /** The next REQUEST that was sent; it must be there and rightly signed. */
  SendRequest next() {
    SendRequest request = engine.sent.remove();
    Carried carried = read(request);
    boolean signed =
        carried.trigger() != null
            ? carried.trigger().verify(publisher)
            : carried.user().isEmpty() || NcmSigner.verify(carried.ncm(), publisher);
    if (!signed) {
      throw new AssertionError("not signed by the publisher: " + carried);
    }
    return request;
  }

  static Carried read(SendRequest request) {
    try {
      return Carried.decode(message(request).ncm());
    } catch (NcmException e) {
      throw new AssertionError(e);
    }
  }

  static NslpMessage.Request message(SendRequest request) {
    try {
      return (NslpMessage.Request) NslpMessage.decode(request.payload());
    } catch (BadValueException e) {
      throw new AssertionError(e);
    }
  }

  static RequestId id(SendRequest request) {
    return message(request).id();
  }

  /** GIST has given the request to the first node. */
  void delivered(SendRequest request) {
    engine.status(request, MessageStatus.SENT, "");
  }

  /** The nodes answer. */
  void answer(SendRequest request, PathEnd end, Node... nodes) {
    Carried carried = read(request);
    byte[] nonce =
        carried.trigger() != null
            ? carried.trigger().nonce()
            : carried.ncm().nonce().orElse(new byte[0]);
    engine.respond(
        request, new NslpMessage.Response(id(request), stack(nonce, nodes), end, "").encode());
  }

  static ResponseStack stack(byte[] nonce, Node... nodes) {
    ResponseStack stack = ResponseStack.EMPTY;
    List<Node> up = new ArrayList<>(List.of(nodes));
    try {
      for (int i = up.size() - 1; i >= 0; i--) {
        InetAddress address = Addresses.of(new byte[] {10, 0, 0, (byte) (i + 1)});
        Node node = up.get(i);
        stack = stack.push(node.identity(), nonce, address, node.status(), "{\"hop\":" + i + "}");
      }
      return stack;
    } catch (NcmException e) {
      throw new AssertionError(e);
    }
  }
}
