// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.util.function.Consumer;
import org.netserv.host.Ring;
import org.netserv.packet.Answer;
import org.netserv.packet.AnswerTemplate;
import org.netserv.packet.Relay;

/** An answer by template. The kernel learns of it by the first {@link #ask}. */
final class AskedAnswer extends AskedPlace implements Answer {
  private final RelayTable table;
  private final int place;
  private final AnswerTemplate template;
  private final Consumer<AskedAnswer> withdrawn;
  private int budget;
  private boolean asked;

  /**
   * @param withdrawn told once
   */
  AskedAnswer(
      RelayTable table, int place, AnswerTemplate template, Consumer<AskedAnswer> withdrawn) {
    super(table, place, Ring.TEMPLATE_REFUSALS);
    this.table = table;
    this.place = place;
    this.template = template;
    this.withdrawn = withdrawn;
  }

  /**
   * Hands the template to the kernel, or lets the kernel's begin anew. An answer that was withdrawn
   * meanwhile stays so.
   */
  synchronized void ask(int most, int seconds) {
    if (isOver()) {
      return;
    }
    budget = most;
    if (asked) {
      refresh(seconds);
    } else {
      asked = true;
      begin(table.put(place, template, budget, seconds));
    }
  }

  @Override
  int askAgain(int seconds) {
    Relay.State state = state();
    boolean gone = state == Relay.State.REFUSED || state == Relay.State.ENDED;
    return gone ? table.put(place, template, budget, seconds) : table.arm(place, budget, seconds);
  }

  @Override
  public AnswerTemplate template() {
    return template;
  }

  @Override
  public long packets() {
    return number(Ring.RELAY_TO_PEER, Ring.WAY_PACKETS);
  }

  @Override
  public long bytes() {
    return number(Ring.RELAY_TO_PEER, Ring.WAY_BYTES);
  }

  @Override
  public long lastMicros() {
    return number(Ring.RELAY_TO_PEER, Ring.WAY_LAST_USEC);
  }

  @Override
  public long longWayPackets() {
    return number(Ring.RELAY_TO_CLIENT, Ring.WAY_PACKETS);
  }

  private long number(int way, int field) {
    return isOver() || answer() == 0 ? 0 : table.count(place, way, field);
  }

  @Override
  public void withdraw() {
    if (end()) {
      withdrawn.accept(this);
    }
  }

  private synchronized boolean end() {
    if (isOver()) {
      return false;
    }
    over();
    table.withdraw(place, asked);
    return true;
  }
}
