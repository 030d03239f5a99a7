// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.util.ArrayList;
import java.util.List;

/**
 * The sending of a response's content: ranges of a {@link Content}, or of several {@link Parts},
 * with octets between them, as fast as the client takes them and the content grows.
 */
final class Delivery implements Content.Reader, Parts.Waiter {
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
  private Parts parts; // null = the content is in one piece
  private Part part; // that is read, null = none
  private boolean awaiting; // a part
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

  /**
   * Begins to send. All may be sent when this returns.
   *
   * @param first the part that is read first, or null
   * @param others null = the first part is all
   */
  void begin(Part first, Parts others) {
    parts = others;
    piece = 0;
    at = pieces.get(0).from();
    sending = true;
    if (first != null) {
      join(first);
    }
    pump();
  }

  private void join(Part next) {
    part = next;
    next.content().join(this);
  }

  /** Sends nothing more. */
  void stop() {
    sending = false;
    if (awaiting) {
      awaiting = false;
      parts.forget(this);
    }
    leave();
  }

  private void leave() {
    Part left = part;
    part = null;
    if (left != null) {
      left.content().leave(this);
    }
  }

  // ---- parts that were not there

  @Override
  public void ready(Part next) {
    awaiting = false;
    join(next);
    pump();
  }

  @Override
  public void again() {
    awaiting = false;
    pump();
  }

  @Override
  public void failed(boolean changed) {
    awaiting = false;
    owner.cut();
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
      long next = i == piece ? at : each.from();
      if (each.literal() == null && part.from() <= next && next < part.to()) {
        low = Math.min(low, next);
      }
    }
    return low - part.from(); // a part that is left is found again
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
      default -> {
        if (part != null) {
          part.content().read();
        }
      }
    }
  }

  private Push push() {
    while (piece < pieces.size()) {
      Piece now = pieces.get(piece);
      byte[] literal = now.literal();
      if (isSent(now)) {
        piece++;
        at = piece < pieces.size() ? pieces.get(piece).from() : 0;
      } else if (literal != null) {
        if (!client.isWritable()) {
          return Push.FULL;
        }
        client.write(literal, 0, literal.length);
        at = now.to();
      } else if (!find(now.to())) {
        return Push.WAITING;
      } else {
        Push stop = write(part.content(), at - part.from(), Math.min(now.to(), part.to()) - at);
        if (stop != null) {
          return stop;
        }
      }
    }
    return Push.DONE;
  }

  private boolean isSent(Piece now) {
    return at >= now.to()
        || (now.to() == Piece.END
            && part != null
            && at == part.content().length()
            && part.content().state() == Content.State.WHOLE);
  }

  /** Finds the part that has the next byte. Returns false if it has to be awaited. */
  private boolean find(long to) {
    if (part != null && part.from() <= at && at < part.to()) {
      return true;
    }
    leave();
    if (awaiting) {
      return false;
    }
    Part next = parts.find(at, to, this);
    if (next == null) {
      awaiting = true;
      return false;
    }
    join(next);
    return true;
  }

  /** Writes the bytes that follow each other in a block. Returns why it did not, or null. */
  private Push write(Content content, long offset, long most) {
    if (offset >= content.length()) {
      return content.state() == Content.State.GROWING ? Push.WAITING : Push.BROKEN;
    }
    if (!client.isWritable()) {
      return Push.FULL;
    }
    if (content.isGone(offset)) {
      return Push.BROKEN;
    }
    int count = (int) Math.min(content.run(offset), most);
    int index = content.index(offset);
    client.write(content.array(offset), index, index + count);
    at += count;
    return null;
  }
}
