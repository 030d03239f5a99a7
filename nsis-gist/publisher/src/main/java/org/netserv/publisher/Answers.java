// SPDX-License-Identifier: Apache-2.0
package org.netserv.publisher;

import java.security.PublicKey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.netserv.ncm.ResponseStack;
import org.netserv.values.BadValueException;
import org.netserv.values.PublisherKeys;

/** Turns a stack of signed entries into answers in path order. */
final class Answers {
  private Answers() {}

  /**
   * The answer to a message.
   *
   * @param nonce of the message that travelled
   * @param farNonce of the message inside a TRIGGER; null = it was none
   */
  static PathAnswer read(Reply reply, byte[] nonce, byte[] farNonce, KnownNodes known) {
    if (reply.response() == null) {
      return new PathAnswer(reply.end(), reply.reason(), List.of(), null);
    }
    PathAnswer far = null;
    if (farNonce != null && reply.response().farEnd() != null) {
      List<NodeAnswer> nodes = nodes(reply.response().farStack(), farNonce, known);
      far = new PathAnswer(reply.response().farEnd(), reply.reason(), nodes, null);
    }
    List<NodeAnswer> nodes = nodes(reply.response().stack(), nonce, known);
    return new PathAnswer(reply.end(), reason(reply, nodes, far), nodes, far);
  }

  /** A stack has the last node at its bottom; a reader begins with the first. */
  private static List<NodeAnswer> nodes(ResponseStack stack, byte[] nonce, KnownNodes known) {
    List<ResponseStack.Checked> checked = new ArrayList<>(stack.verify(nonce, known.ids()));
    Collections.reverse(checked);
    List<NodeAnswer> nodes = new ArrayList<>();
    for (ResponseStack.Checked one : checked) {
      NodeAnswer node =
          new NodeAnswer(
              nodes.size() + 1,
              one.entry().nodeId(),
              one.entry().address(),
              one.entry().status(),
              one.entry().data(),
              one.signer(),
              key(one));
      known.seen(node);
      nodes.add(node);
    }
    return nodes;
  }

  private static PublicKey key(ResponseStack.Checked one) {
    if (one.signer() == ResponseStack.Signer.FORGED) {
      return null;
    }
    try {
      return PublisherKeys.readSpki(one.entry().publicKey());
    } catch (BadValueException e) {
      throw new IllegalStateException("a key that has signed can be read", e);
    }
  }

  private static String reason(Reply reply, List<NodeAnswer> nodes, PathAnswer far) {
    boolean silent = reply.reason().isEmpty() && reply.end().last();
    return nodes.isEmpty() && far == null && silent
        ? "there are nodes on the path, but none that the message was for"
        : reply.reason();
  }
}
