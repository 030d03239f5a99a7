// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.flow;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.netserv.serval.Endpoint;

/** The surroundings of a flow in a test: keeps all that the flow sends and tells. */
public abstract class ToldPort implements FlowPort {
  public final Deque<Outgoing> sent = new ArrayDeque<>();
  public final List<String> told = new ArrayList<>();

  @Override
  public void send(Outgoing outgoing) {
    sent.add(outgoing);
  }

  @Override
  public void connected() {
    told.add("connected");
  }

  @Override
  public void peerClosed() {
    told.add("peer closed");
  }

  @Override
  public void reset() {
    told.add("reset");
  }

  @Override
  public void silent() {
    told.add("silent");
  }

  @Override
  public void freeze() {
    told.add("freeze");
  }

  @Override
  public void thaw() {
    told.add("thaw");
  }

  @Override
  public void ownMoved(Endpoint address) {
    told.add("own moved");
  }

  @Override
  public void peerMoved(Endpoint address) {
    told.add("peer moved");
  }

  @Override
  public void forget() {
    told.add("forgotten");
  }
}
