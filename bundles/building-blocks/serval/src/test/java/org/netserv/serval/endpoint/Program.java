// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A program in a test: keeps all that it hears, and answers datagrams if it is an echo. */
final class Program implements ServiceHandler, FlowHandler {
  final List<String> heard = new ArrayList<>();
  final List<DatagramFlow> flows = new ArrayList<>();
  final boolean echoes;
  boolean accepts = true;
  int moves;

  Program(boolean echoes) {
    this.echoes = echoes;
  }

  static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  static String text(ByteBuffer bytes) {
    return StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
  }

  @Override
  public FlowHandler accept(DatagramFlow flow) {
    return accepts ? this : null;
  }

  @Override
  public void received(Datagram datagram) {
    heard.add("datagram " + text(datagram.payload()));
    if (echoes) {
      datagram.answer(datagram.payload());
    }
  }

  @Override
  public void connected(DatagramFlow flow) {
    flows.add(flow);
    heard.add("connected");
  }

  @Override
  public void received(DatagramFlow flow, ByteBuffer payload) {
    heard.add(text(payload));
    if (echoes) {
      flow.send(payload);
    }
  }

  @Override
  public void moved(DatagramFlow flow) {
    moves++;
  }

  @Override
  public void closed(DatagramFlow flow, FlowEnd end) {
    heard.add("closed " + end);
  }
}
