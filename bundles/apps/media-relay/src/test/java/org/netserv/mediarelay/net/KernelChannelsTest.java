// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.netserv.mediarelay.core.Client;
import org.netserv.mediarelay.core.PeerRules;
import org.netserv.mediarelay.core.RelayedRange;
import org.netserv.mediarelay.core.Stage;
import org.netserv.mediarelay.core.Why;
import org.netserv.packet.Relay;
import org.netserv.packet.RelayEntry;
import org.netserv.packet.Relays;
import org.netserv.stun.Lifetime;
import org.netserv.stun.StunAttribute;
import org.netserv.stun.StunBytes;
import org.netserv.stun.StunMethod;
import org.netserv.stun.StunWriter;

/** Tests the questions to the kernel, second by second. The kernel is a list of questions. */
class KernelChannelsTest {
  private static final int PERMISSION = 300;
  private static final byte[] NO_TICKET = {};

  private final Stage stage = new Stage();
  private final Client client = stage.client(1);
  private final Stage.User user = stage.user("ann");
  private final Kernel kernel = new Kernel();
  private TestLoop loop;

  /** A kernel that takes, refuses or forgets, as the test says. */
  private static final class Kernel implements Relays {
    private final List<Entry> entries = new ArrayList<>();
    private boolean available = true;
    private Relay.State answer = Relay.State.ACTIVE;

    @Override
    public boolean available() {
      return available;
    }

    @Override
    public String unavailable() {
      return available ? "" : "off";
    }

    @Override
    public int free() {
      return 1;
    }

    @Override
    public Relay bind(RelayEntry entry, int seconds) {
      Entry made = new Entry(entry, seconds, answer);
      entries.add(made);
      return made;
    }

    @Override
    public long nowMicros() {
      return 0;
    }

    private Entry only() {
      assertEquals(1, entries.size());
      return entries.get(0);
    }
  }

  private static final class Entry implements Relay {
    private final RelayEntry entry;
    private final List<Integer> asked = new ArrayList<>();
    private State state;
    private boolean unbound;

    private Entry(RelayEntry entry, int seconds, State state) {
      this.entry = entry;
      this.state = state;
      asked.add(seconds);
    }

    @Override
    public RelayEntry entry() {
      return entry;
    }

    @Override
    public State state() {
      return state;
    }

    @Override
    public String refusal() {
      return "";
    }

    @Override
    public void refresh(int seconds) {
      assertTrue(seconds >= 1 && seconds <= PERMISSION, "seconds " + seconds);
      asked.add(seconds);
    }

    @Override
    public void unbind() {
      unbound = true;
    }

    @Override
    public long packetsToPeer() {
      return 0;
    }

    @Override
    public long bytesToPeer() {
      return 0;
    }

    @Override
    public long lastToPeerMicros() {
      return 0;
    }

    @Override
    public long packetsToClient() {
      return 0;
    }

    @Override
    public long bytesToClient() {
      return 0;
    }

    @Override
    public long lastToClientMicros() {
      return 0;
    }
  }

  @BeforeEach
  void start() throws IOException {
    loop = new TestLoop();
    stage.now = loop.nanoTime();
    RelayedRange relayed =
        new RelayedRange(0, Stage.RELAY_4, Stage.FIRST_PORT, Stage.FIRST_PORT + 15);
    PeerRules rules = new PeerRules(List.of(), List.of(), List.of(), List.of(), false, false, 1);
    KernelChannels channels =
        new KernelChannels(
            kernel,
            List.of(new RelayedRange(0, Stage.RELAY_4, 3478, 3478)),
            new RelayedRange[] {relayed, null},
            rules,
            stage.tally,
            loop);
    stage.allocations.watch(channels);
    channels.start();
    stage.allocate(user, client);
  }

  @AfterEach
  void stop() throws IOException {
    loop.close();
  }

  private void bind(int number) {
    stage.succeed(user, client, StunMethod.CHANNEL_BIND, Stage.channel(number, Stage.peer(number)));
  }

  private void pass(int seconds) {
    for (int i = 0; i < seconds; i++) {
      loop.pass(Stage.SECOND);
      stage.pass(1);
    }
  }

  @Test
  void aBoundChannelIsGivenWithItsAddressesForThePermissionsLife() {
    bind(0x4001);
    Entry entry = kernel.only();
    assertEquals(List.of(PERMISSION), entry.asked);
    assertEquals(0x4001, entry.entry().channel());
    assertEquals(new InetSocketAddress("192.0.2.1", 1001), entry.entry().client());
    assertEquals(new InetSocketAddress("203.0.113.1", 3478), entry.entry().server());
    assertEquals(new InetSocketAddress("198.51.100.2", 0x4001), entry.entry().peer());
    assertEquals(1, stage.tally.get(Why.IN_KERNEL));
  }

  @Test
  void channelsOfOlderClientsAreGivenToo() {
    bind(0x7fff);
    assertEquals(0x7fff, kernel.only().entry().channel());
  }

  @Test
  void theKernelIsNotAskedAgainWhileItRelays() {
    bind(0x4001);
    pass(PERMISSION - 1);
    assertEquals(List.of(PERMISSION), kernel.only().asked);
  }

  @Test
  void permissionAndBindingProlongIt() {
    bind(0x4001);
    pass(100);
    stage.succeed(user, client, StunMethod.CREATE_PERMISSION, Stage.peer(9));
    pass(100);
    bind(0x4001);
    assertEquals(List.of(PERMISSION, PERMISSION, PERMISSION), kernel.only().asked);
  }

  @Test
  void aKernelThatHasForgottenIsAskedAgainForWhatIsLeft() {
    bind(0x4001);
    pass(100);
    kernel.only().state = Relay.State.ENDED;
    pass(2);
    assertEquals(List.of(PERMISSION, PERMISSION - 102), kernel.only().asked);
    kernel.only().state = Relay.State.ACTIVE;
    pass(50);
    assertEquals(2, kernel.only().asked.size());
  }

  @Test
  void aKernelThatRefusesIsAskedMoreAndMoreSeldom() {
    kernel.answer = Relay.State.REFUSED;
    bind(0x4001);
    pass(2 + 4 + 8 + 16 + 32 + 64);
    assertEquals(List.of(300, 298, 294, 286, 270, 238, 174), kernel.only().asked);
  }

  @Test
  void aChannelWithoutPermissionIsGivenUpAndGivenAgainWithTheNext() {
    bind(0x4001);
    pass(PERMISSION);
    kernel.only().state = Relay.State.ENDED;
    pass(64);
    assertTrue(kernel.only().unbound);
    assertEquals(List.of(PERMISSION), kernel.only().asked);
    stage.succeed(user, client, StunMethod.CREATE_PERMISSION, Stage.peer(9));
    assertEquals(2, kernel.entries.size());
    assertEquals(600 - PERMISSION - 64, kernel.entries.get(1).asked.get(0));
  }

  @Test
  void theEndOfAnAllocationTakesItBack() {
    bind(0x4001);
    bind(0x4002);
    stage.succeed(user, client, StunMethod.REFRESH, writer -> Lifetime.put(writer, 0));
    assertTrue(kernel.entries.stream().allMatch(entry -> entry.unbound));
    assertEquals(2, kernel.entries.size());
  }

  @Test
  void anAllocationThatExpiresTakesItBack() {
    bind(0x4001);
    pass(601);
    assertTrue(kernel.only().unbound);
  }

  @Test
  void anAllocationThatMovesKeepsWhatIsLeftOfThePermission() {
    Client second = stage.client(2);
    byte[] ticket =
        StunBytes.copy(
            stage.succeed(user, second, StunMethod.ALLOCATE, Stage.udp(w -> ticket(w, NO_TICKET))),
            StunAttribute.MOBILITY_TICKET);
    stage.succeed(user, second, StunMethod.CHANNEL_BIND, Stage.channel(0x4001, Stage.peer(0x4001)));
    pass(290);
    stage.succeed(user, stage.client(3), StunMethod.REFRESH, w -> ticket(w, ticket));
    assertTrue(kernel.entries.get(0).unbound);
    assertEquals(List.of(10), kernel.entries.get(1).asked);
    assertEquals(1003, kernel.entries.get(1).entry().client().getPort());
  }

  private static void ticket(StunWriter writer, byte[] ticket) {
    StunBytes.put(writer, StunAttribute.MOBILITY_TICKET, ticket);
  }

  @Test
  void withoutAFastPathNothingIsAsked() {
    kernel.available = false;
    bind(0x4001);
    assertEquals(List.of(), kernel.entries);
  }
}
