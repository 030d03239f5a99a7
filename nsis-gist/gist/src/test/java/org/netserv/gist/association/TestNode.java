// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.association;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.netserv.gist.GistSettings;
import org.netserv.gist.association.AssociationCounters.Counter;
import org.netserv.gist.wire.CommonHeader;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.MalformedMessageException;
import org.netserv.gist.wire.MessageType;
import org.netserv.gist.wire.NetworkLayerInfo;
import org.netserv.gist.wire.NslpData;
import org.netserv.gist.wire.PathCoupledMri;
import org.netserv.gist.wire.SessionId;

/** A node that has associations and nothing else; its first message establishes one. */
public final class TestNode implements Associations.Listener, Association.User {
  private static final PathCoupledMri MRI =
      new PathCoupledMri(
          address("192.0.2.1"), 32, address("198.51.100.1"), 32, -1, -1, -1, -1, -1, -1, false);

  final InetAddress address;
  final MemoryLinks links;
  final AssociationCounters counters = new AssociationCounters();
  final AssociationTable table;
  final NetworkLayerInfo nli;
  final List<Integer> received = new ArrayList<>();
  final List<MalformedMessageException> refused = new ArrayList<>();
  final List<String> failures = new ArrayList<>();
  final List<Association> accepted = new ArrayList<>();
  int connected;

  /** True when first messages are right. */
  boolean establishing = true;

  /** True when this node uses the associations that a peer opened. */
  boolean attaching = true;

  long peerHold = 30_000;
  private final VirtualTimers timers;

  TestNode(
      MemoryLinks.Network network, VirtualTimers timers, String address, GistSettings settings) {
    this(network, timers, address, settings, AssociationLimits.DEFAULT);
  }

  TestNode(
      MemoryLinks.Network network,
      VirtualTimers timers,
      String address,
      GistSettings settings,
      AssociationLimits limits) {
    this.address = address(address);
    this.timers = timers;
    links = new MemoryLinks(network, this.address, timers);
    Random random = new Random(address.hashCode());
    table = new AssociationTable(settings, limits, links, timers, random, counters);
    table.listen(this);
    nli = nli(this.address);
  }

  static InetAddress address(String text) {
    try {
      return InetAddress.getByName(text);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static NetworkLayerInfo nli(InetAddress address) {
    return new NetworkLayerInfo(0, 30_000, address.getAddress(), address);
  }

  static GistSettings settings(long hold, boolean secureOnly) {
    GistSettings d = GistSettings.DEFAULT;
    return new GistSettings(
        d.t1(),
        d.t2(),
        d.validity(),
        hold,
        d.rate(),
        d.rateBurst(),
        d.interceptionRate(),
        d.statesMax(),
        d.cookieLifetime(),
        secureOnly,
        d.sourceAddressAfter(),
        d.noRouterAlert(),
        d.strictIngress(),
        d.statelessData(),
        d.prefixMin(),
        d.errorComments());
  }

  /** Opens an association to this node, which is not yet connected. */
  MessagingAssociation open(TestNode to, boolean secure) throws NoAssociationException {
    return (MessagingAssociation) table.open(address, to.nli, to.table.responseOffer(4), secure);
  }

  /** Opens an association that is used, connected and established. */
  MessagingAssociation meet(TestNode to) throws NoAssociationException {
    MessagingAssociation association = open(to, false);
    association.attach(this);
    association.send(data(0));
    timers.pass(10);
    return association;
  }

  /** Returns a message with a number in it. */
  public static GistMessage data(int number) {
    return new GistMessage(
        new CommonHeader(1, 32704, MessageType.DATA, false, true, false, false),
        List.of(
            MRI,
            new SessionId(new byte[16]),
            new NslpData(ByteBuffer.allocate(4).putInt(number).array())));
  }

  long count(Counter counter) {
    return counters.get(counter);
  }

  @Override
  public void received(Association from, GistMessage message, byte[] bytes, boolean first) {
    NslpData data = message.find(NslpData.class).orElse(null);
    if (data != null) {
      received.add(ByteBuffer.wrap(data.bytes()).getInt());
    }
    if (first) {
      accepted.add(from);
      if (establishing) {
        MemoryLinks.End end = (MemoryLinks.End) ((MessagingAssociation) from).link();
        table.established(from, nli(end.remote().getAddress()), peerHold);
        if (attaching) {
          from.attach(this);
        }
      }
    }
  }

  @Override
  public void malformed(Association from, MalformedMessageException failure, byte[] bytes) {
    refused.add(failure);
  }

  @Override
  public void associationConnected(Association association) {
    connected++;
  }

  @Override
  public void associationFailed(Association association, String reason) {
    failures.add(reason);
  }
}
