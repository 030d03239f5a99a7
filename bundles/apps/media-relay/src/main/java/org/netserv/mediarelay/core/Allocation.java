// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import java.util.function.Consumer;

/**
 * A client's allocation (RFC 8656, 3.2): relayed addresses, lifetime, permissions and channels. The
 * path of data asks {@link #allows}, {@link #channel} and {@link #channelTo}, which allocate
 * nothing.
 */
public final class Allocation implements Expiry.Due {
  /** The slot of an allocation that no {@link Keeper} has. */
  public static final int NO_SLOT = -1;

  private static final long NANOS = 1_000_000_000L;

  private final Account account;
  private final boolean ofToken;
  private final boolean tcp;
  private final boolean mobile;
  private final Permissions permissions;
  private final Channels channels;
  private final Bucket rate;
  private final long begun;
  private final long transaction;
  private final int[] ports = new int[2]; // of IPv4 and IPv6, 0 = no relayed address
  private final RelayedSocket[] sockets = new RelayedSocket[2];
  private Client client;
  private Login login;
  private long tokenUntil;
  private AllocationState state = AllocationState.LIVE;
  private final long[] until = new long[2];
  private int place = Expiry.NOWHERE;
  private final boolean[] whole = new boolean[2];
  private int slot = NO_SLOT;
  private long reservation;
  private long packetsToPeers;
  private long bytesToPeers;
  private long packetsToClient;
  private long bytesToClient;

  /**
   * @param account of the user who has made it
   * @param login of the Allocate request, by which requests are known even when it has expired
   * @param tcp whether peers are reached by TCP (RFC 6062)
   * @param mobile whether it may move to another 5-tuple (RFC 8016)
   * @param transaction last 8 bytes of the transaction id of the Allocate request
   */
  Allocation(
      Client client,
      Account account,
      Login login,
      boolean tcp,
      boolean mobile,
      long transaction,
      Limits limits,
      long now) {
    this(client, account, login.isToken(), tcp, mobile, transaction, limits, now);
    authorize(login, now);
  }

  private Allocation(
      Client client,
      Account account,
      boolean ofToken,
      boolean tcp,
      boolean mobile,
      long transaction,
      Limits limits,
      long now) {
    this.client = client;
    this.account = account;
    this.ofToken = ofToken;
    this.tcp = tcp;
    this.mobile = mobile;
    this.transaction = transaction;
    permissions = new Permissions(limits.permissions());
    channels = new Channels(limits.channels());
    rate = new Bucket(limits.bytesPerSecond(), limits.burst(limits.bytesPerSecond()), now);
    begun = now;
  }

  /** Makes an allocation that an earlier process had. Nobody knows its login. */
  static Allocation restored(
      Client client, Account account, boolean ofToken, long transaction, Limits limits, long now) {
    return new Allocation(client, account, ofToken, false, false, transaction, limits, now);
  }

  public Client client() {
    return client;
  }

  public Account account() {
    return account;
  }

  public boolean isTcp() {
    return tcp;
  }

  boolean isMobile() {
    return mobile;
  }

  /** Returns the login of its last token or of its Allocate request, null = nobody knows it. */
  Login login() {
    return login;
  }

  /** Tells whether a token has made it (RFC 7635). */
  boolean isOfToken() {
    return ofToken;
  }

  /**
   * Tells whether a request of its 5-tuple may change it: one of its user, or one with any token if
   * a token has made it, since tokens name no user.
   */
  boolean isOf(Exchange x) {
    if (ofToken) {
      return x.login.isToken() || (login != null && x.login.key() == login.key());
    }
    return !x.login.isToken() && account.user().equals(x.user);
  }

  /** Takes a login that has made it, or refreshed it with a newer token. */
  void authorize(Login by, long now) {
    login = by;
    tokenUntil = now + by.tokenSeconds() * NANOS;
  }

  /**
   * Returns the seconds of a lifetime that its token allows, all of them if no token has made it.
   */
  int allowed(int seconds, long now) {
    long left = ofToken ? Math.max(1, (tokenUntil - now) / NANOS) : seconds;
    return (int) Math.min(seconds, left);
  }

  long transaction() {
    return transaction;
  }

  // ---- relayed addresses

  private static int index(int family) {
    return family == 4 ? 0 : 1;
  }

  /** Returns the relayed port of a family, 0 = there is no relayed address of this family. */
  public int port(int family) {
    return ports[index(family)];
  }

  /** Returns the socket at the relayed address of a family, null = there is none. */
  public RelayedSocket socket(int family) {
    return sockets[index(family)];
  }

  void relayed(int family, int port, RelayedSocket socket, boolean dontFragment) {
    ports[index(family)] = port;
    sockets[index(family)] = socket;
    whole[index(family)] = dontFragment;
  }

  /** Tells whether datagrams to peers of a family leave with the DF bit. */
  boolean isWhole(int family) {
    return whole[index(family)];
  }

  /** Returns its place with the {@link Keeper}, {@link #NO_SLOT} = none. */
  public int slot() {
    return slot;
  }

  public void slot(int at) {
    slot = at;
  }

  /** Returns the token of the port reserved with this one's, 0 = there is none. */
  long reservation() {
    return reservation;
  }

  void reservation(long token) {
    reservation = token;
  }

  /** Tells whether it has a relayed address of a family. */
  boolean has(int family) {
    return ports[index(family)] != 0;
  }

  // ---- data

  /** Tells whether this allocation relays now. */
  public boolean isLive() {
    return state == AllocationState.LIVE;
  }

  /** Tells whether a peer's address has a permission. */
  public boolean allows(long high, long low, long now) {
    return permissions.allows(high, low, now);
  }

  /**
   * Returns the nanoseconds for which a channel's data may be relayed if no request comes: until
   * the permission of its peer, or the channel itself, ends. 0 = it may not be.
   */
  public long nanosLeft(Channel channel, long now) {
    long permitted = permissions.nanosLeft(channel.high(), channel.low(), now);
    return Math.max(0, Math.min(permitted, channel.until() - now));
  }

  /** Returns the channel of a number, null = it is not bound. */
  public Channel channel(int number, long now) {
    return channels.numbered(number, now);
  }

  /** Returns the channel to a peer, null = there is none. */
  public Channel channelTo(long high, long low, int port, long now) {
    return channels.to(high, low, port, now);
  }

  /** Tells whether so many bytes, of either direction, are within the allocation's bandwidth. */
  public boolean mayRelay(int bytes, long now) {
    return rate.take(bytes, now);
  }

  public void sentToPeer(int bytes) {
    packetsToPeers++;
    bytesToPeers += bytes;
  }

  public void sentToClient(int bytes) {
    packetsToClient++;
    bytesToClient += bytes;
  }

  /** Adds data that was relayed by somebody else: the kernel, or a joined TCP connection. */
  public void relayedElsewhere(long toPeers, long toPeersBytes, long toClient, long toClientBytes) {
    packetsToPeers += toPeers;
    bytesToPeers += toPeersBytes;
    packetsToClient += toClient;
    bytesToClient += toClientBytes;
  }

  /** Moves what was relayed since the last call to the user's account. */
  void settle() {
    account.used(packetsToPeers, bytesToPeers, packetsToClient, bytesToClient);
    packetsToPeers = 0;
    bytesToPeers = 0;
    packetsToClient = 0;
    bytesToClient = 0;
  }

  // ---- permissions and channels, by requests

  Permissions permissions() {
    return permissions;
  }

  Channels channels() {
    return channels;
  }

  public void eachChannel(Consumer<Channel> each) {
    channels.each(each);
  }

  // ---- life

  /** Takes an event. Returns false, and changes nothing, if the state does not take it. */
  boolean on(AllocationState.Event event) {
    AllocationState next = state.after(event);
    if (next == null) {
      return false;
    }
    state = next;
    return true;
  }

  boolean isGone() {
    return state == AllocationState.GONE;
  }

  void client(Client other) {
    client = other;
  }

  /** Sets the time at which the relayed address of a family expires. */
  void until(int family, long time) {
    until[index(family)] = time;
  }

  /** Returns the time at which the relayed address of a family expires. */
  long until(int family) {
    return until[index(family)];
  }

  boolean isExpired(int family, long now) {
    return until[index(family)] - now <= 0;
  }

  /** Returns whole seconds to the end of its first relayed address, rounded up. */
  int secondsLeft(long now) {
    return (int) Math.max(0, (due() - now + NANOS - 1) / NANOS);
  }

  long life(long now) {
    return now - begun;
  }

  @Override
  public long due() {
    if (!has(4) || !has(6)) {
      return until[has(4) ? 0 : 1];
    }
    return until[0] - until[1] < 0 ? until[0] : until[1];
  }

  @Override
  public int place() {
    return place;
  }

  @Override
  public void place(int at) {
    place = at;
  }
}
