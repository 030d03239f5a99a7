// SPDX-License-Identifier: Apache-2.0
package org.netserv.publisher;

import java.net.InetAddress;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import org.netserv.nslp.Ncm;
import org.netserv.nslp.ProbeKind;

/**
 * Sends NetServ messages along the paths from this host to users. One per process: it has one
 * thread and one UDP port. Safe for several threads; nothing here blocks, but for {@link
 * Builder#open} and {@link #close}.
 *
 * <p>A message is given without {@code user}, {@code date}, {@code nonce}, {@code to}, {@code seq}
 * and {@code signature}: these are added each time it is sent.
 *
 * <pre>
 *   try (PublisherClient client = PublisherClient.builder().user("janedoe", key).open()) {
 *     client.probe(Destination.of(user), ProbeKind.NODE).thenAccept(answer -> ...);
 *   }
 * </pre>
 *
 * <p>The stages complete with an answer whatever happens on the path. They fail only with {@link
 * IllegalArgumentException} when the message cannot be right, and with {@link
 * IllegalStateException} when the client is closed.
 */
public final class PublisherClient implements AutoCloseable {
  private PublisherClient() {}

  public static Builder builder() {
    return new Builder();
  }

  /** Asks the nodes on the path to run a module, or to go on running it. */
  public CompletionStage<PathAnswer> setup(Ncm setup, Destination path) {
    throw new UnsupportedOperationException("not yet");
  }

  /** Takes a module away from the nodes on the path. */
  public CompletionStage<PathAnswer> remove(Ncm remove, Destination path) {
    throw new UnsupportedOperationException("not yet");
  }

  /** Asks the nodes on the path about themselves; without a user it is a stranger's question. */
  public CompletionStage<PathAnswer> probe(Ncm probe, Destination path) {
    throw new UnsupportedOperationException("not yet");
  }

  /** The same about no module in particular. */
  public CompletionStage<PathAnswer> probe(Destination path, ProbeKind... kinds) {
    throw new UnsupportedOperationException("not yet");
  }

  /**
   * Has the last node on a path send a SETUP or PROBE along a path of its own.
   *
   * @param message what it sends
   * @param backTo where it sends it; null = to this host, against the direction of {@code path}
   * @param path to the last node
   */
  public CompletionStage<PathAnswer> trigger(Ncm message, InetAddress backTo, Destination path) {
    throw new UnsupportedOperationException("not yet");
  }

  /** Sends a SETUP now and again before its TTL ends, until the deployment or this is closed. */
  public Deployment deploy(Ncm setup, Destination path, Deployment.Listener listener) {
    throw new UnsupportedOperationException("not yet");
  }

  /** What this host cannot do, in words, one for each lack; empty when it can do everything. */
  public List<String> limits() {
    throw new UnsupportedOperationException("not yet");
  }

  /** Ends the deployments without a REMOVE and gives the port and the thread back. */
  @Override
  public void close() {}

  /** What a client is made of. */
  public static final class Builder {
    private String user;
    private PrivateKey key;
    private KnownNodes known = KnownNodes.NONE;
    private Clock clock = Clock.systemUTC();
    private SecureRandom random = new SecureRandom();
    private Executor executor = ForkJoinPool.commonPool();
    private boolean routerAlert = true;

    private Builder() {}

    /** The publisher and its private key; without them the client can only probe. */
    public Builder user(String name, PrivateKey privateKey) {
      user = Objects.requireNonNull(name, "name");
      key = Objects.requireNonNull(privateKey, "key");
      return this;
    }

    /** Whose answers are VERIFIED; nobody's unless given. */
    public Builder known(KnownNodes nodes) {
      known = Objects.requireNonNull(nodes, "nodes");
      return this;
    }

    /** For the date in messages and their sequence numbers. */
    public Builder clock(Clock source) {
      clock = Objects.requireNonNull(source, "clock");
      return this;
    }

    /** For nonces, session identifiers, cookies. */
    public Builder random(SecureRandom source) {
      random = Objects.requireNonNull(source, "random");
      return this;
    }

    /** Where stages complete and listeners are called; the common pool unless given. */
    public Builder executor(Executor callbacks) {
      executor = Objects.requireNonNull(callbacks, "executor");
      return this;
    }

    /**
     * Whether Queries carry the router alert option; true unless given. NetServ's own nodes need
     * none; some operators drop packets that have it.
     */
    public Builder routerAlert(boolean on) {
      routerAlert = on;
      return this;
    }

    /** Starts the thread; binds no port before the first message. */
    public PublisherClient open() {
      throw new UnsupportedOperationException("not yet");
    }
  }
}
