// SPDX-License-Identifier: Apache-2.0
package org.netserv.translator.net;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.DuplexChannel;
import java.net.InetAddress;
import org.netserv.serval.flow.TransitionTable.Transition;
import org.netserv.translator.core.Outcome;
import org.netserv.translator.core.RelayTransitions;
import org.netserv.translator.core.RelayTransitions.Action;
import org.netserv.translator.core.RelayTransitions.Event;
import org.netserv.translator.core.RelayTransitions.State;

/**
 * One connection and its counterpart. Its state is on the thread of the client's channel, to which
 * {@link #on} brings each event. The bytes of a side stand in front of its events there, because
 * the same thread has queued them before.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the channels' events tell the outcome
final class Relay {
  private static final int SIDES = 2;

  private final Relays relays;
  private final InetAddress source;
  private final Outcome opened;
  private final RelaySide client;
  private final RelaySide server;
  private State state = State.CONNECTING;
  private int shut; // sides whose output has ended

  /**
   * Makes a relay in its first state.
   *
   * @param opened counted when the server answers
   */
  Relay(Relays relays, InetAddress source, Channel client, Outcome opened) {
    this.relays = relays;
    this.source = source;
    this.opened = opened;
    this.client = new RelaySide(this, Event.CLIENT_END);
    this.server = new RelaySide(this, Event.SERVER_END);
    this.client.channel(client);
  }

  RelaySide client() {
    return client;
  }

  RelaySide server() {
    return server;
  }

  InetAddress source() {
    return source;
  }

  /** Takes the channel that connects to the server. */
  void dialled(Channel channel) {
    server.channel(channel);
  }

  /** Takes an event. Any thread. */
  void on(Event event, Outcome reason) {
    if (client.channel().eventLoop().inEventLoop()) {
      step(event, reason);
    } else {
      client.channel().eventLoop().execute(() -> step(event, reason));
    }
  }

  private void step(Event event, Outcome reason) {
    Transition<State, Action> transition = RelayTransitions.TABLE.of(state, event);
    boolean ends = state != State.OVER && transition.next() == State.OVER;
    state = transition.next();
    if (ends) {
      relays.remove(this, reason);
    }
    transition.actions().forEach(this::run);
  }

  private void run(Action action) {
    switch (action) {
      case START -> start();
      case END_SERVER -> end(server.channel());
      case END_CLIENT -> end(client.channel());
      case CLOSE -> {
        client.channel().close();
        server.channel().close();
      }
      case BREAK_OFF -> {
        breakOff(client.channel());
        breakOff(server.channel());
      }
      case IGNORE -> {}
    }
  }

  private void start() {
    relays.count(opened);
    client.start(server.channel());
    server.start(client.channel());
  }

  /** Ends the data to a side. An empty buffer is written when all data before it are. */
  private void end(Channel channel) {
    channel
        .writeAndFlush(Unpooled.EMPTY_BUFFER)
        .addListener(
            written -> {
              if (written.isSuccess()) {
                ((DuplexChannel) channel).shutdownOutput().addListener(ended -> shut());
              }
            });
  }

  private void shut() {
    Channel channel = client.channel();
    channel
        .eventLoop()
        .execute(
            () -> {
              if (++shut == SIDES) {
                step(Event.FLUSHED, Outcome.ENDED);
              }
            });
  }

  /** Closes a channel by a RST. */
  static void breakOff(Channel channel) {
    if (channel == null) {
      return; // nothing was dialled
    }
    channel
        .eventLoop()
        .execute(
            () -> {
              if (channel.isOpen()) {
                channel.config().setOption(ChannelOption.SO_LINGER, 0);
                channel.close();
              }
            });
  }
}
