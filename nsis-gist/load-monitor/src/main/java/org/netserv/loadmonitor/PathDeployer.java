// SPDX-License-Identifier: Apache-2.0
package org.netserv.loadmonitor;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import org.netserv.loadmonitor.MonitorConfig.Module;
import org.netserv.loadmonitor.MonitorConfig.PathRules;
import org.netserv.ncm.Activate;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.ProbeKind;
import org.netserv.ncm.ResponseStack.Signer;
import org.netserv.ncm.Sealed;
import org.netserv.publisher.Deployment;
import org.netserv.publisher.Destination;
import org.netserv.publisher.KnownNodes;
import org.netserv.publisher.NodeAnswer;
import org.netserv.publisher.PathAnswer;
import org.netserv.publisher.PublisherClient;
import org.netserv.values.BadValueException;
import org.netserv.values.PublisherKeys;

/**
 * Deploys the module with the publisher's library, and keeps it alive on each path. The feedback
 * key is sealed to the nodes that a PROBE has found on the path. Safe for several threads.
 */
final class PathDeployer implements Deployer {
  private static final System.Logger LOG = System.getLogger(PathDeployer.class.getName());
  private static final int BUDGET = 30;

  /** Seconds for which a node keeps the fetched bundle at least, some calls of {@link #prepare}. */
  private static final int FETCHED_TTL = 300;

  private final PublisherClient client;
  private final Module module;
  private final String name;
  private final String version;
  private final String digest;
  private final List<Integer> ports = new ArrayList<>();
  private final List<Destination> paths = new ArrayList<>();
  private final Deployment[] deployments;
  private final Set<Integer> probing = ConcurrentHashMap.newKeySet();

  /** Times of the monotonic clock until which no other SETUP for later is sent, by edge. */
  private final Map<Integer, Long> fetchedUntil = new ConcurrentHashMap<>();

  private final boolean anyNode; // whoever answers is trusted: there is no file of known nodes

  /** Keys of the nodes that were seen on each path, by node-id, the one learned first in front. */
  private final List<Map<String, PublicKey>> nodes = new ArrayList<>();

  private PathDeployer(MonitorConfig config, PublisherClient client, boolean anyNode)
      throws IOException {
    this.client = client;
    this.anyNode = anyNode;
    module = config.module();
    try (JarFile jar = new JarFile(module.bundle().toFile())) {
      Attributes manifest = jar.getManifest().getMainAttributes();
      name = manifest.getValue("Bundle-SymbolicName");
      version = manifest.getValue("Bundle-Version");
    }
    digest = digest(module.bundle());
    for (MonitorConfig.EdgeAddress edge : config.edges()) {
      paths.add(destination(InetAddress.getByName(edge.users()), config.path()));
      ports.add(FeedbackSocket.address(edge.feedback()).getPort());
    }
    deployments = new Deployment[paths.size()];
    paths.forEach(path -> nodes.add(new LinkedHashMap<>()));
  }

  /** Opens the publisher's client. */
  static PathDeployer open(MonitorConfig config) throws IOException {
    PathRules rules = config.path();
    PublisherClient client =
        PublisherClient.builder()
            .user(config.publisher().name(), key(config.publisher().key()))
            .known(
                rules.knownNodes() == null
                    ? KnownNodes.NONE
                    : KnownNodes.firstUse(rules.knownNodes()))
            .routerAlert(!rules.noRouterAlert())
            .open();
    return new PathDeployer(config, client, rules.knownNodes() == null);
  }

  /** Takes a client that somebody else closes. */
  static PathDeployer with(PublisherClient client, MonitorConfig config) throws IOException {
    return new PathDeployer(config, client, false);
  }

  private static PrivateKey key(Path file) throws IOException {
    try {
      return PublisherKeys.readPrivate(file);
    } catch (BadValueException e) {
      throw new IOException("publisher.key: " + file + ": " + e.getMessage(), e);
    }
  }

  private static String digest(Path bundle) throws IOException {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(bundle));
      return HexFormat.of().formatHex(hash);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private static Destination destination(InetAddress to, PathRules rules) throws IOException {
    int budget = rules.budget() == null ? BUDGET : rules.budget();
    Destination path = Destination.of(to).within(Duration.ofSeconds(budget));
    path = rules.from() == null ? path : path.from(InetAddress.getByName(rules.from()));
    return rules.tls() ? path.overTls() : path;
  }

  /** Probes, and has the nodes that answer fetch the bundle for later. */
  @Override
  public boolean prepare(int edge) {
    if (probing.add(edge)) {
      var unused =
          probe(edge)
              .thenCompose(found -> found ? fetch(edge) : CompletableFuture.completedStage(false))
              .whenComplete(
                  (done, failure) -> {
                    probing.remove(edge);
                    if (failure != null) {
                      LOG.log(System.Logger.Level.DEBUG, "not prepared: {0}", failure.getMessage());
                    }
                  });
    }
    return !sealedTo(edge).isEmpty();
  }

  /**
   * Has the nodes of a path fetch the bundle, so that the SETUP of an overload only starts it. A
   * node that refuses that fetches it at the SETUP. If no node has it, the next call asks again.
   */
  private CompletionStage<Boolean> fetch(int edge) {
    long now = System.nanoTime();
    Long until = fetchedUntil.get(edge);
    if (until != null && now - until < 0) {
      return CompletableFuture.completedStage(true);
    }
    try {
      int ttl = Math.max(module.ttl(), FETCHED_TTL);
      Ncm later =
          message(edge, "").toBuilder()
              .set(Header.ACTIVATE, Activate.LATER.text())
              .set(Header.TTL, ttl)
              .build();
      fetchedUntil.put(edge, now + TimeUnit.SECONDS.toNanos(ttl) / 2);
      return client
          .setup(later, paths.get(edge))
          .thenApply(answer -> runs(edge, "SETUP for later", answer))
          .whenComplete(
              (done, failure) -> {
                if (failure != null || !done) {
                  fetchedUntil.remove(edge);
                }
              });
    } catch (NcmException | BadValueException e) {
      return CompletableFuture.failedStage(e);
    }
  }

  /** Asks who is on the path. Returns whether somebody is to whom the key can be sealed. */
  private CompletionStage<Boolean> probe(int edge) {
    return client
        .probe(paths.get(edge), ProbeKind.NODE)
        .thenApply(
            answer -> {
              learn(edge, answer);
              return !sealedTo(edge).isEmpty();
            });
  }

  private synchronized Map<String, PublicKey> sealedTo(int edge) {
    return Map.copyOf(nodes.get(edge));
  }

  /** Keeps the keys of an answer's nodes. Returns whether there is one that was not known. */
  private synchronized boolean learn(int edge, PathAnswer answer) {
    Map<String, PublicKey> known = nodes.get(edge);
    boolean news = false;
    for (NodeAnswer node : answer.nodes()) {
      boolean trusted = node.signer() == Signer.VERIFIED || (anyNode && node.key() != null);
      if (trusted && !known.containsKey(node.nodeId())) {
        known.put(node.nodeId(), node.key());
        fetchedUntil.remove(edge); // it has to fetch the bundle, too
        news = true;
        LOG.log(
            System.Logger.Level.INFO,
            "toward {0}: there is {1}",
            paths.get(edge).to().getHostAddress(),
            node.nodeId());
      }
    }
    while (known.size() > Sealed.MAX_NODES) {
      known.remove(known.keySet().iterator().next()); // the one that was learned first
    }
    return news;
  }

  @Override
  public CompletionStage<Boolean> deploy(int edge, String key) {
    if (!sealedTo(edge).isEmpty()) {
      return setup(edge, key);
    }
    return probe(edge)
        .thenCompose(
            found -> {
              if (!found) {
                LOG.log(
                    System.Logger.Level.WARNING,
                    "toward {0}: no known node to which the feedback key can be sealed",
                    paths.get(edge).to().getHostAddress());
                return CompletableFuture.completedStage(false);
              }
              return setup(edge, key);
            });
  }

  private synchronized CompletionStage<Boolean> setup(int edge, String key) {
    try {
      Deployment before = deployments[edge];
      if (before != null) {
        before.close();
      }
      Deployment deployment =
          client.deploy(message(edge, key), paths.get(edge), new Watcher(edge, key));
      deployments[edge] = deployment;
      return deployment.first().thenApply(answer -> runs(edge, "SETUP", answer));
    } catch (NcmException | BadValueException e) {
      return CompletableFuture.failedStage(e);
    }
  }

  private Ncm message(int edge, String key) throws NcmException, BadValueException {
    Ncm.Builder builder =
        Ncm.builder(Method.SETUP, name)
            .version(version)
            .set(Header.URL, module.url())
            .set(Header.DIGEST, digest)
            .set(Header.TTL, module.ttl());
    for (Map.Entry<String, String> header : module.headers().entrySet()) {
      builder.set(header(header.getKey()), header.getValue());
    }
    Map<String, String> properties = new HashMap<>(module.properties());
    properties.put("feedback-port", Integer.toString(ports.get(edge)));
    List<PublicKey> readers = List.copyOf(sealedTo(edge).values());
    builder.set(Header.SEALED, Sealed.encrypt(Map.of("feedback-key", key), readers));
    return builder.properties(properties).build();
  }

  private static Header header(String name) throws NcmException {
    for (Header header : Header.values()) {
      if (header.text().equals(name)) {
        return header;
      }
    }
    throw new NcmException(NcmException.BAD_REQUEST, Header.URL, "no such header: " + name);
  }

  @Override
  public synchronized CompletionStage<Boolean> remove(int edge) {
    fetchedUntil.remove(edge); // the REMOVE drops the bundle as well
    Deployment deployment = deployments[edge];
    return deployment == null
        ? CompletableFuture.completedStage(true)
        : deployment.remove().thenApply(answer -> runs(edge, "REMOVE", answer));
  }

  private static String text(List<NodeAnswer> answers) {
    return answers.stream()
        .map(node -> node.nodeId() + " " + node.status() + " " + node.data())
        .collect(Collectors.joining(", ", "[", "]"));
  }

  private boolean runs(int edge, String what, PathAnswer answer) {
    boolean done = answer.nodes().stream().anyMatch(NodeAnswer::done);
    LOG.log(
        done ? System.Logger.Level.INFO : System.Logger.Level.WARNING,
        "{0} toward {1}: {2} {3} {4}",
        what,
        paths.get(edge).to().getHostAddress(),
        answer.outcome(),
        answer.reason(),
        text(answer.nodes()));
    return done;
  }

  /** Logs route changes, and seals the key anew when another node has come into the path. */
  private final class Watcher implements Deployment.Listener {
    private final int edge;
    private final String key;

    Watcher(int edge, String key) {
      this.edge = edge;
      this.key = key;
    }

    @Override
    public void answered(PathAnswer answer) {
      if (learn(edge, answer)) {
        setup(edge, key)
            .exceptionally(
                e -> {
                  LOG.log(System.Logger.Level.WARNING, "no SETUP: {0}", e.getMessage());
                  return false;
                });
      }
    }

    @Override
    public void changed(Deployment.Change change) {
      LOG.log(
          System.Logger.Level.INFO,
          "toward {0}: joined {1}, left {2}",
          paths.get(edge).to().getHostAddress(),
          text(change.joined()),
          text(change.left()));
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
