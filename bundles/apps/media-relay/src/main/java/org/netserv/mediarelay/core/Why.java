// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import org.netserv.stun.StunStatus;

/** The outcome of a message or datagram. Its name is the name of a counter. */
public enum Why {
  // relayed
  TO_PEER("a client's data was sent to a peer"),
  TO_CLIENT("a peer's data was sent to a client"),
  TO_NEIGHBOUR("data went from one relayed address to another one of this relay"),

  // answered
  BINDING("Binding request answered"),
  ALLOCATED("allocation made"),
  ALLOCATED_AGAIN("retransmitted Allocate request answered again"),
  REFRESHED("allocation refreshed"),
  DELETED("allocation deleted by its client"),
  MOVED("allocation moved to another 5-tuple by its ticket"),
  PERMITTED("permission made or refreshed"),
  BOUND("channel bound or refreshed"),
  CONNECTING("TCP connection to a peer begun"),
  CONNECTED("TCP connection to a peer made"),
  ACCEPTED("TCP connection of a peer taken"),
  JOINED("data connection of a client joined with the peer's"),
  PEER_ERROR("an ICMP error of a peer's network told to the client"),

  IN_KERNEL("channel given to the kernel"),

  // over the end of the process
  RESTORED("allocation of an earlier process made again"),
  NOT_KEPT("allocation not written to the file: the disk is full, or the file"),

  // refused with an error response
  CHALLENGED(StunStatus.UNAUTHENTICATED, "request without credentials"),
  STALE_NONCE(StunStatus.STALE_NONCE, "nonce expired, or of another client"),
  BAD_CREDENTIALS(StunStatus.UNAUTHENTICATED, "user, password or expiry time is wrong"),
  BAD_TOKEN(
      StunStatus.UNAUTHENTICATED, "access token that no key opens, or that is not of this time"),
  WRONG_USER(StunStatus.WRONG_CREDENTIALS, "credentials other than those of the allocation"),
  BAD_REQUEST(StunStatus.BAD_REQUEST, "attribute missing, malformed, or not with another one"),
  UNKNOWN_ATTRIBUTE(StunStatus.UNKNOWN_ATTRIBUTE, "unknown attribute that must be understood"),
  ALLOCATION_EXISTS(StunStatus.ALLOCATION_MISMATCH, "the 5-tuple has an allocation"),
  NO_ALLOCATION(StunStatus.ALLOCATION_MISMATCH, "the 5-tuple has no allocation"),
  TRANSPORT_UNSUPPORTED(
      StunStatus.UNSUPPORTED_TRANSPORT_PROTOCOL, "neither UDP nor TCP, or TCP by way of UDP"),
  FAMILY_UNSUPPORTED(StunStatus.ADDRESS_FAMILY_NOT_SUPPORTED, "no address of this family"),
  PEER_FAMILY(
      StunStatus.PEER_ADDRESS_FAMILY_MISMATCH,
      "the peer is of another family than the relayed address"),
  USER_QUOTA(
      StunStatus.ALLOCATION_QUOTA_REACHED, "the user has as many allocations as it may have"),
  FULL(StunStatus.INSUFFICIENT_CAPACITY, "the relay has as many allocations as it may have"),
  PORTS_EXHAUSTED(StunStatus.INSUFFICIENT_CAPACITY, "no relayed port is free"),
  NO_RESERVATION(StunStatus.INSUFFICIENT_CAPACITY, "the reservation token is unknown or expired"),
  PERMISSIONS_FULL(
      StunStatus.INSUFFICIENT_CAPACITY, "the allocation has as many permissions as it may have"),
  CHANNELS_FULL(
      StunStatus.INSUFFICIENT_CAPACITY, "the allocation has as many channels as it may have"),
  DRAINING(StunStatus.INSUFFICIENT_CAPACITY, "the module is about to be replaced"),
  MOBILITY_FORBIDDEN(
      StunStatus.MOBILITY_FORBIDDEN, "mobility is off, or the ticket is of another user"),
  BAD_TICKET(StunStatus.BAD_REQUEST, "the mobility ticket is unknown or has been used"),
  CONNECTION_EXISTS(
      StunStatus.CONNECTION_ALREADY_EXISTS, "the allocation has a connection to this peer"),
  CONNECTION_FAILED(
      StunStatus.CONNECTION_TIMEOUT_OR_FAILURE, "the peer did not accept the connection in time"),
  NO_CONNECTION(StunStatus.BAD_REQUEST, "the connection id is unknown or expired"),

  // a peer that the rules refuse: 403 in a request, dropped in an indication
  PEER_UNSPECIFIED(StunStatus.FORBIDDEN, "the peer's address is unspecified or of no host"),
  PEER_LOOPBACK(StunStatus.FORBIDDEN, "the peer is a loopback address"),
  PEER_LINK_LOCAL(StunStatus.FORBIDDEN, "the peer is a link-local address"),
  PEER_MULTICAST(StunStatus.FORBIDDEN, "the peer is a multicast or broadcast address"),
  PEER_PRIVATE(
      StunStatus.FORBIDDEN, "the peer is a private address, and the setting peers has no private"),
  PEER_NODE(StunStatus.FORBIDDEN, "the peer is an address of this node or of this module"),
  PEER_RELAYED(
      StunStatus.FORBIDDEN, "the peer is a relayed address of this relay, and hairpin is off"),
  PEER_DENIED(StunStatus.FORBIDDEN, "the peer is in a prefix of the setting deny"),
  PEER_NOT_ALLOWED(StunStatus.FORBIDDEN, "the peer is in no prefix of the setting allow"),
  PEER_PORT(StunStatus.FORBIDDEN, "the peer's port is below the setting peer-port-least"),

  // dropped without a word
  NOT_STUN("neither STUN nor ChannelData"),
  MALFORMED("STUN whose length, cookie, attributes or fingerprint are wrong"),
  NOT_A_REQUEST("a response, or an indication that a server has no use for"),
  METHOD("a method that is no part of TURN"),
  RATE_LIMITED("unauthenticated requests of this source above the limit"),
  AMPLIFIES("the answer would be too large beside an unauthenticated request"),
  UNKNOWN_CLIENT("data of a 5-tuple without an allocation"),
  NO_PERMISSION("a client's data to a peer without a permission"),
  PEER_NO_PERMISSION("a peer's data without a permission"),
  NO_CHANNEL("ChannelData on a channel that is not bound"),
  BAD_CHANNEL_DATA("ChannelData shorter than its length field says"),
  BAD_INDICATION("Send indication without peer or data"),
  CLIENT_RATE("above the bandwidth of an allocation"),
  TOTAL_RATE("above the bandwidth of the relay"),
  TOO_LONG("datagram longer than the relay's buffers"),
  CLIENT_SLOW("the client's connection is full"),
  SOCKET_FULL("the socket takes no more now"),
  NODE_REFUSED("the node's rules refused to send to this peer"),
  UNREACHABLE("the system knows no way to this peer"),
  NOT_FRAGMENTED("too long for the way, and the client asked not to fragment"),
  HAIRPIN_NOBODY("a relayed address of this relay that nobody has"),
  NO_SOCKET("a relayed socket could not be opened"),

  // connections and sessions of clients
  CONNECTION_UNBOUND("peer's TCP connection closed: no client has bound it in time"),
  DTLS_COOKIE("ClientHello answered with a cookie; nothing is remembered"),
  DTLS_HALF_OPEN("DTLS handshake not complete in time"),
  PEER_CROWD("peer's TCP connection closed, because too many are open"),
  STREAM_BROKEN("connection closed: reset, or bytes that are no message"),
  STREAM_CROWD("connection or session refused, because too many are open"),
  STREAM_HALF_OPEN("connection closed: no whole message in time"),
  STREAM_IDLE("connection or session closed: no allocation, and no message for long"),
  STREAM_SLOW("connection closed: the client took nothing for long"),
  TLS_FAILED("TLS or DTLS handshake or record refused"),

  // reports of usage
  USAGE_SENT("datagram with the usage of users sent"),
  USAGE_BARRED("datagram with the usage of users that the system did not take"),

  // ends
  EXPIRED("allocation expired"),
  LEG_LOST("allocation ended with its client's connection"),
  STOPPED("allocation ended with the module");

  private final StunStatus status;
  private final String text;

  Why(String text) {
    this(null, text);
  }

  Why(StunStatus status, String text) {
    this.status = status;
    this.text = text;
  }

  /** Returns the error that a request is answered with, null = none. */
  StunStatus status() {
    return status;
  }

  public String text() {
    return text;
  }
}
