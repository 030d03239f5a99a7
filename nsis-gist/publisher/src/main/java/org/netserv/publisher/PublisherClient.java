// SPDX-License-Identifier: Apache-2.0
package org.netserv.publisher;

import java.io.IOException;
import java.net.InetAddress;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.netserv.ncm.Delegation;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmBinary;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.ProbeKind;
import org.netserv.ncm.Trigger;

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
 * <p>The stages complete with an answer whatever happens on the path. They fail with {@link
 * IllegalArgumentException} when the message cannot be right, with {@link IOException} when this
 * host cannot send it, and with {@link IllegalStateException} when the client is closed.
 */
public final class PublisherClient implements AutoCloseable {
  /** Stands for no module in particular. */
  private static final String ANY = "*";

  private final Engine engine;
  private final Exchange exchange;
  private final Author author;
  private final KnownNodes known;
  private final SecureRandom random;
  private final Executor executor;
  private final Set<Refresher> deployments = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  PublisherClient(
      Engine engine,
      Exchange exchange,
      Author author,
      KnownNodes known,
      SecureRandom random,
      Executor executor) {
    this.engine = engine;
    this.exchange = exchange;
    this.author = author;
    this.known = known;
    this.random = random;
    this.executor = executor;
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Asks the nodes on the path to run a module, or to go on running it. */
  public CompletionStage<PathAnswer> setup(Ncm setup, Destination path) {
    return send(Method.SETUP, setup, path);
  }

  /** Takes a module away from the nodes on the path. */
  public CompletionStage<PathAnswer> remove(Ncm remove, Destination path) {
    return send(Method.REMOVE, remove, path);
  }

  /**
   * Asks the nodes on the path about themselves. A PROBE without a user is a stranger's question.
   */
  public CompletionStage<PathAnswer> probe(Ncm probe, Destination path) {
    return send(Method.PROBE, probe, path);
  }

  /** Asks the nodes on the path about no module in particular. */
  public CompletionStage<PathAnswer> probe(Destination path, ProbeKind... kinds) {
    String list = Arrays.stream(kinds).map(ProbeKind::text).collect(Collectors.joining(","));
    try {
      Ncm probe = Ncm.builder(Method.PROBE, ANY).set(Header.PROBE, list).build();
      return send(Method.PROBE, probe, path);
    } catch (NcmException e) {
      return refused(e);
    }
  }

  /**
   * Has the last node on a path send a message along a path of its own.
   *
   * @param message the message that the last node sends
   * @param backTo the destination of that message; null = this host, against the direction of
   *     {@code path}
   * @param path the path to the last node
   */
  public CompletionStage<PathAnswer> trigger(Ncm message, InetAddress backTo, Destination path) {
    return onPath(
        path,
        source -> {
          Trigger trigger = author.wrap(message, backTo == null ? source : backTo, path.to());
          byte[] inside = trigger.message().nonce().orElseThrow();
          return new Sending(message.name(), trigger.encode(), trigger.nonce(), inside);
        });
  }

  /**
   * Sends a SETUP now, and again each time before its TTL ends, until the deployment or this client
   * is closed.
   */
  public Deployment deploy(Ncm setup, Destination path, Deployment.Listener listener) {
    if (setup.method() != Method.SETUP || setup.ttl().isEmpty()) {
      throw new IllegalArgumentException("a deployment needs a SETUP with a ttl");
    }
    Refresher deployment =
        new Refresher(
            engine,
            random,
            setup.ttl().getAsInt() * 1000L,
            () -> setup(setup, path),
            () -> undo(setup, path),
            listener,
            executor);
    deployments.removeIf(Refresher::closed);
    deployments.add(deployment);
    deployment.refresh();
    return deployment;
  }

  private CompletionStage<PathAnswer> undo(Ncm setup, Destination path) {
    Ncm.Builder remove = Ncm.builder(Method.REMOVE, setup.name());
    setup.nodeId().ifPresent(id -> remove.set(Header.NODE_ID, id));
    try {
      return remove(remove.build(), path);
    } catch (NcmException e) {
      return refused(e);
    }
  }

  /**
   * Returns the abilities that this host lacks, in words, one entry for each. Empty when it lacks
   * none.
   */
  public List<String> limits() {
    return engine.limits();
  }

  /** Ends the deployments without a REMOVE and gives the port and the thread back. */
  @Override
  public void close() {
    closed = true;
    deployments.forEach(Refresher::close);
    engine.execute(() -> exchange.close("this client was closed"));
    engine.close();
  }

  private CompletionStage<PathAnswer> send(Method method, Ncm message, Destination path) {
    if (message.method() != method) {
      return CompletableFuture.failedStage(
          new IllegalArgumentException("not a " + method + " but a " + message.method()));
    }
    return onPath(
        path,
        source -> {
          Ncm finished = author.finish(message, path.to());
          byte[] nonce = finished.nonce().orElseThrow();
          return new Sending(message.name(), NcmBinary.encode(finished), nonce, null);
        });
  }

  /**
   * A message ready to be sent.
   *
   * @param farNonce of the message inside a TRIGGER, else null
   */
  @SuppressWarnings("ArrayRecordComponent") // nobody changes the array
  private record Sending(String module, byte[] ncm, byte[] nonce, byte[] farNonce) {}

  /** Makes a message when the source of its flow is known. */
  private interface Writing {
    Sending write(InetAddress source) throws NcmException;
  }

  private CompletionStage<PathAnswer> onPath(Destination path, Writing writing) {
    CompletableFuture<PathAnswer> answer = new CompletableFuture<>();
    if (closed) {
      return CompletableFuture.failedStage(new IllegalStateException("the client is closed"));
    }
    engine.execute(
        () -> {
          try {
            ask(path, writing, answer);
          } catch (NcmException e) {
            fail(answer, new IllegalArgumentException(e.getMessage(), e));
          } catch (IOException | RuntimeException e) {
            fail(answer, e);
          }
        });
    return answer.minimalCompletionStage();
  }

  private void ask(Destination path, Writing writing, CompletableFuture<PathAnswer> answer)
      throws NcmException, IOException {
    InetAddress source = source(path);
    Sending sending = writing.write(source);
    ModulePath flow = new ModulePath(sending.module(), source, path.to());
    exchange
        .ask(flow, sending.ncm(), path.budget(), path.secure())
        .whenComplete(
            (reply, failure) -> {
              if (failure != null) {
                fail(answer, failure);
              } else {
                executor.execute(
                    () ->
                        answer.complete(
                            Answers.read(reply, sending.nonce(), sending.farNonce(), known)));
              }
            });
  }

  private InetAddress source(Destination path) throws IOException {
    if (path.from() != null) {
      if (!engine.network().isLocal(path.from())) {
        throw new IOException("cannot send from an address that is not this host's");
      }
      return path.from();
    }
    return engine
        .network()
        .addressTowards(path.to())
        .orElseThrow(() -> new IOException("no route to " + path.to().getHostAddress()));
  }

  private void fail(CompletableFuture<PathAnswer> answer, Throwable why) {
    executor.execute(() -> answer.completeExceptionally(why));
  }

  private static <T> CompletionStage<T> refused(NcmException e) {
    return CompletableFuture.failedStage(new IllegalArgumentException(e.getMessage(), e));
  }

  /** Builds a client. */
  public static final class Builder {
    private String user;
    private PrivateKey key;
    private Supplier<Delegation> delegation;
    private KnownNodes known = KnownNodes.NONE;
    private Clock clock = Clock.systemUTC();
    private SecureRandom random = new SecureRandom();
    private Executor executor = ForkJoinPool.commonPool();
    private boolean routerAlert = true;

    private Builder() {}

    /** Sets the publisher and its private key. Without them the client can only probe. */
    public Builder user(String name, PrivateKey privateKey) {
      user = Objects.requireNonNull(name, "name");
      key = Objects.requireNonNull(privateKey, "key");
      return this;
    }

    /**
     * Sets the key of a delegate, which signs in the name of the delegation's publisher. It takes
     * the place of {@link #user}.
     *
     * @param present returns the delegation of now, which is asked for each message. So a
     *     delegation can be renewed before it expires. It is called on the client's thread, and
     *     must not block.
     */
    public Builder delegate(PrivateKey privateKey, Supplier<Delegation> present) {
      key = Objects.requireNonNull(privateKey, "key");
      delegation = Objects.requireNonNull(present, "delegation");
      return this;
    }

    /** Sets the nodes that get VERIFIED answers. By default no node is known. */
    public Builder known(KnownNodes nodes) {
      known = Objects.requireNonNull(nodes, "nodes");
      return this;
    }

    /** Sets the clock for the date in messages and for their sequence numbers. */
    public Builder clock(Clock source) {
      clock = Objects.requireNonNull(source, "clock");
      return this;
    }

    /** Sets the source of nonces, session identifiers and cookies. */
    public Builder random(SecureRandom source) {
      random = Objects.requireNonNull(source, "random");
      return this;
    }

    /**
     * Sets the executor that completes stages and calls listeners. The default is the common pool.
     */
    public Builder executor(Executor callbacks) {
      executor = Objects.requireNonNull(callbacks, "executor");
      return this;
    }

    /**
     * Sets whether Queries carry the router alert option. The default is true. NetServ's own nodes
     * do not need the option, and some operators drop packets that have it.
     */
    public Builder routerAlert(boolean on) {
      routerAlert = on;
      return this;
    }

    /** Starts the thread; binds no port before the first message. */
    public PublisherClient open() {
      return open(HostEngine.start(routerAlert, random));
    }

    /** Opens a client on another engine. */
    PublisherClient open(Engine engine) {
      Exchange exchange = new Exchange(engine, random);
      Author author = new Author(user, key, delegation, clock, random);
      return new PublisherClient(engine, exchange, author, known, random, executor);
    }
  }
}
