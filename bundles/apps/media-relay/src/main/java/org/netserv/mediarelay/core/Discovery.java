// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;
import org.netserv.stun.ChangeRequest;
import org.netserv.stun.ResponsePort;
import org.netserv.stun.StunAddress;
import org.netserv.stun.StunAttribute;

/**
 * Discovery of a NAT's behaviour (RFC 5780). Answers to Binding requests come from another address
 * or port of the relay if the request asks for that, and name both. Of each family the relay needs
 * two addresses with two ports each. The port inside of the container tells which of the four was
 * addressed.
 *
 * <pre>
 *   corner   0: first address, first port    1: first address, second port
 *            2: second address, first port   3: second address, second port
 * </pre>
 *
 * <p><b>Threads.</b> Whoever holds the relay's lock.
 */
public final class Discovery {
  /**
   * Largest PADDING of an answer in bytes: above the usual MTU, so that the answer has fragments.
   */
  static final int PADDING_MOST = 1500;

  private static final int CORNERS = 4;
  private static final int OTHER_PORT = 1;
  private static final int OTHER_ADDRESS = 2;
  private static final Set<StunAttribute> KNOWN =
      EnumSet.of(StunAttribute.CHANGE_REQUEST, StunAttribute.RESPONSE_PORT, StunAttribute.PADDING);

  private final List<Square> squares = new ArrayList<>();
  private final IntFunction<Client.Way> ways;

  /**
   * Two addresses of one family with two ports.
   *
   * @param inside ports of the container for the four corners, all different
   */
  public record Square(
      long high,
      long low,
      long otherHigh,
      long otherLow,
      int port,
      int otherPort,
      List<Integer> inside) {
    /**
     * @throws IllegalArgumentException if the ports inside are not four different ones
     */
    public Square {
      inside = List.copyOf(inside);
      if (inside.size() != CORNERS || inside.stream().distinct().count() != CORNERS) {
        throw new IllegalArgumentException("not four different ports inside");
      }
    }

    private int corner(Client client) {
      boolean same = Ip.family(high, low) == Ip.family(client.high(), client.low());
      return same ? inside.indexOf(client.serverPort()) : -1;
    }

    private void put(Exchange x, StunAttribute type, int corner) {
      boolean other = (corner & OTHER_ADDRESS) != 0;
      StunAddress.put(
          x.answer,
          type,
          other ? otherHigh : high,
          other ? otherLow : low,
          (corner & OTHER_PORT) != 0 ? otherPort : port);
    }
  }

  /**
   * @param squares at most one of each family
   * @param ways the way from a port inside to clients
   */
  public Discovery(List<Square> squares, IntFunction<Client.Way> ways) {
    this.squares.addAll(squares);
    this.ways = ways;
  }

  /** Returns the attributes that a client's Binding request may have. */
  Set<StunAttribute> known(Client client) {
    return square(client) == null ? EnumSet.noneOf(StunAttribute.class) : KNOWN;
  }

  private Square square(Client client) {
    for (Square square : squares) {
      if (client.transport() == Transport.UDP && square.corner(client) >= 0) {
        return square;
      }
    }
    return null;
  }

  /** Returns why a Binding request is refused, null = it is not (RFC 5780, 7.5). */
  Why refusal(Exchange x) {
    int port = square(x.client) == null ? -1 : ResponsePort.get(x.request);
    boolean refused = port == 0 || (port > 0 && x.request.has(StunAttribute.PADDING));
    return refused ? Why.BAD_REQUEST : null;
  }

  /**
   * Adds to the answer what the discovery needs, and chooses from where and to which port it goes.
   * The exchange's client is another one afterwards.
   */
  void answer(Exchange x) {
    Client client = x.client;
    Square square = square(client);
    if (square == null) {
      return;
    }
    int from = square.corner(client);
    from ^= ChangeRequest.address(x.request) ? OTHER_ADDRESS : 0;
    from ^= ChangeRequest.port(x.request) ? OTHER_PORT : 0;
    int asked = square.corner(client);
    StunAddress.put(
        x.answer, StunAttribute.MAPPED_ADDRESS, client.high(), client.low(), client.port());
    square.put(x, StunAttribute.RESPONSE_ORIGIN, from);
    square.put(x, StunAttribute.OTHER_ADDRESS, asked ^ (OTHER_ADDRESS | OTHER_PORT));
    pad(x);
    int to = ResponsePort.get(x.request);
    int inside = square.inside().get(from);
    x.client =
        new Client(
            Transport.UDP,
            client.high(),
            client.low(),
            to < 0 ? client.port() : to,
            inside,
            from == asked ? client.way() : ways.apply(inside));
  }

  /** Adds as much PADDING as the request has, so that the answer is not the larger one. */
  private static void pad(Exchange x) {
    int at = x.request.find(StunAttribute.PADDING);
    int count = at < 0 ? 0 : Math.min(PADDING_MOST, x.request.length(at));
    int value = count == 0 ? -1 : x.answer.add(StunAttribute.PADDING, count);
    for (int i = 0; value >= 0 && i < count; i++) {
      x.answer.buffer().put(value + i, (byte) 0);
    }
  }
}
