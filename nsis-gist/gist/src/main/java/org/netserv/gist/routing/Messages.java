// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.netserv.gist.association.Associations.Offer;
import org.netserv.gist.wire.CommonHeader;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.GistObject;
import org.netserv.gist.wire.MessageType;
import org.netserv.gist.wire.NetworkLayerInfo;
import org.netserv.gist.wire.NslpData;
import org.netserv.gist.wire.QueryCookie;
import org.netserv.gist.wire.ResponderCookie;
import org.netserv.gist.wire.StackConfiguration;
import org.netserv.gist.wire.StackProposal;

/** The messages that we originate, objects in the order of RFC 5971 section 5.1. */
final class Messages {
  /** GIST hop count of messages that have no other. */
  static final int HOPS = 64;

  private final byte[] identity;
  private final Validity validity;

  Messages(byte[] identity, Validity validity) {
    this.identity = identity;
    this.validity = validity;
  }

  Validity validity() {
    return validity;
  }

  /** Returns whether an NLI has our identity. */
  boolean ours(NetworkLayerInfo info) {
    return Arrays.equals(info.peerIdentity(), identity);
  }

  /** Returns our NLI with the {@code ttl} of section 5.2.2 for the direction. */
  NetworkLayerInfo own(int ttl, InetAddress address) {
    return own(ttl, validity.proposed(), address);
  }

  NetworkLayerInfo own(int ttl, long validityMillis, InetAddress address) {
    return new NetworkLayerInfo(ttl, validityMillis, identity, address);
  }

  /** Makes a Query; offer and payload may be null. */
  GistMessage query(
      RoutingKey key,
      int hops,
      boolean ownSource,
      NetworkLayerInfo own,
      QueryCookie cookie,
      Offer offer,
      byte[] payload) {
    List<GistObject> objects = begin(key, own);
    objects.add(cookie);
    add(objects, offer, payload);
    return message(key, hops, MessageType.QUERY, true, ownSource, true, objects);
  }

  /** Makes a Response. It asks for a Confirm exactly when it has a Responder-Cookie. */
  GistMessage response(
      RoutingKey key,
      NetworkLayerInfo own,
      QueryCookie echo,
      ResponderCookie cookie,
      Offer offer,
      byte[] payload) {
    List<GistObject> objects = begin(key, own);
    objects.add(echo);
    if (cookie != null) {
      objects.add(cookie);
    }
    add(objects, offer, payload);
    return message(key, HOPS, MessageType.RESPONSE, false, true, cookie != null, objects);
  }

  /** Makes a Confirm; cookie, proposal and configuration may be null. */
  GistMessage confirm(
      RoutingKey key,
      NetworkLayerInfo own,
      ResponderCookie echo,
      StackProposal proposal,
      StackConfiguration configuration) {
    List<GistObject> objects = begin(key, own);
    if (echo != null) {
      objects.add(echo);
    }
    if (proposal != null) {
      objects.add(proposal);
    }
    if (configuration != null) {
      objects.add(configuration);
    }
    return message(key, HOPS, MessageType.CONFIRM, false, true, false, objects);
  }

  /** Makes Data; {@code own} is null in C-mode. */
  GistMessage data(RoutingKey key, int hops, NetworkLayerInfo own, byte[] payload) {
    List<GistObject> objects = begin(key, own);
    objects.add(new NslpData(payload));
    return message(key, hops, MessageType.DATA, false, true, false, objects);
  }

  /** Makes Data that is routed by a handle instead of routing state: E-flag. */
  GistMessage routedData(RoutingKey key, int hops, NetworkLayerInfo own, byte[] payload) {
    CommonHeader plain = data(key, hops, own, payload).header();
    List<GistObject> objects = data(key, hops, own, payload).objects();
    return new GistMessage(
        new CommonHeader(plain.hops(), plain.nslpId(), plain.type(), false, true, false, true),
        objects);
  }

  /** Makes Data in Q-mode. */
  GistMessage explicitData(
      RoutingKey key, int hops, boolean ownSource, NetworkLayerInfo own, byte[] payload) {
    List<GistObject> objects = begin(key, own);
    objects.add(new NslpData(payload));
    return message(key, hops, MessageType.DATA, true, ownSource, false, objects);
  }

  private static List<GistObject> begin(RoutingKey key, NetworkLayerInfo own) {
    List<GistObject> objects = new ArrayList<>(8);
    objects.add(key.mri());
    objects.add(key.session());
    if (own != null) {
      objects.add(own);
    }
    return objects;
  }

  private static void add(List<GistObject> objects, Offer offer, byte[] payload) {
    if (offer != null) {
      objects.add(offer.proposal());
      objects.add(offer.configuration());
    }
    if (payload != null) {
      objects.add(new NslpData(payload));
    }
  }

  private static GistMessage message(
      RoutingKey key,
      int hops,
      MessageType type,
      boolean explicit,
      boolean ownSource,
      boolean reply,
      List<GistObject> objects) {
    return new GistMessage(
        new CommonHeader(hops, key.nslpId(), type, explicit, ownSource, reply, false), objects);
  }
}
