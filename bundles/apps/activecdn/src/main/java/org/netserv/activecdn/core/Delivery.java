// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.util.ArrayList;
import java.util.List;

/**
 * The sending of a response's content: ranges of a {@link Content}, with octets between them, as
 * fast as the client takes them and the content grows.
 */
final class Delivery implements Content.Reader {
  /** Hears of the end, once. */
  interface Owner {
    /** Everything was written. */
    void delivered();

    /** The content broke, or bytes of it are gone. */
    void cut();
  }

  /** Results of sending what there is. */
  private enum Push {
    DONE,
    WAITING,
    FULL,
    BROKEN
  }

  private final Client client;
  private final Owner owner;
  private final List<Piece> pieces = new ArrayList<>(1);
  private Content content; // that is read, null = none
  private int piece;
  private long at; // in the piece
  private boolean sending;
  private boolean pumping;

  Delivery(Client client, Owner owner) {
    this.client = client;
    this.owner = owner;
  }

  /** Adds a piece. There is at least one at the begin. */
  void add(Piece next) {
    pieces.add(next);
  }

  /** Forgets the pieces of a response that is not sent. */
  void clear() {
    pieces.clear();
  }

  /** Begins to send. All may be sent when this returns. */
  void begin(Content from) {
    content = from;
    piece = 0;
    at = pieces.get(0).from();
    sending = true;
    from.join(this);
    pump();
  }

  /** Sends nothing more. */
  void stop() {
    sending = false;
    Content left = content;
    content = null;
    if (left != null) {
      left.leave(this);
    }
  }

  /** Hears that the client takes more, or that the content has moved. */
  @Override
  public void moved() {
    pump();
  }

  @Override
  public long lowest() {
    long low = Piece.END;
    for (int i = piece; i < pieces.size(); i++) {
      Piece each = pieces.get(i);
      if (each.literal() == null) {
        low = Math.min(low, i == piece ? at : each.from());
      }
    }
    return low;
  }

  private void pump() {
    if (pumping || !sending) {
      return;
    }
    pumping = true;
    Push push;
    do {
      push = push();
      client.flush();
    } while (push == Push.FULL && sending && client.isWritable());
    pumping = false;
    if (!sending) {
      return; // the client went while it was written to
    }
    switch (push) {
      case DONE -> owner.delivered();
      case BROKEN -> owner.cut();
      default -> content.read();
    }
  }

  private Push push() {
    while (piece < pieces.size()) {
      Piece now = pieces.get(piece);
      byte[] literal = now.literal();
      boolean ended =
          at >= now.to()
              || (now.to() == Piece.END
                  && at == content.length()
                  && content.state() == Content.State.WHOLE);
      if (ended) {
        piece++;
        at = piece < pieces.size() ? pieces.get(piece).from() : 0;
      } else if (literal == null && at >= content.length()) {
        return content.state() == Content.State.GROWING ? Push.WAITING : Push.BROKEN;
      } else if (!client.isWritable()) {
        return Push.FULL;
      } else if (literal != null) {
        client.write(literal, 0, literal.length);
        at = now.to();
      } else if (content.isGone(at)) {
        return Push.BROKEN;
      } else {
        int count = (int) Math.min(content.run(at), now.to() - at);
        int index = content.index(at);
        client.write(content.array(at), index, index + count);
        at += count;
      }
    }
    return Push.DONE;
  }
}
