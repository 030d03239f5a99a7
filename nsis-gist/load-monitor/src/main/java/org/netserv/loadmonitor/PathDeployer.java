// SPDX-License-Identifier: Apache-2.0
package org.netserv.loadmonitor;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import org.netserv.loadmonitor.MonitorConfig.Module;
import org.netserv.loadmonitor.MonitorConfig.PathRules;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;
import org.netserv.publisher.Deployment;
import org.netserv.publisher.Destination;
import org.netserv.publisher.KnownNodes;
import org.netserv.publisher.NodeAnswer;
import org.netserv.publisher.PathAnswer;
import org.netserv.publisher.PublisherClient;
import org.netserv.values.BadValueException;
import org.netserv.values.PublisherKeys;

/** Deploys the module with the publisher's library, and keeps it alive on each path. */
final class PathDeployer implements Deployer {
  private static final System.Logger LOG = System.getLogger(PathDeployer.class.getName());
  private static final int BUDGET = 30;

  private final PublisherClient client;
  private final Module module;
  private final String name;
  private final String version;
  private final String digest;
  private final List<Integer> ports = new ArrayList<>();
  private final List<Destination> paths = new ArrayList<>();
  private final Deployment[] deployments;

  private PathDeployer(MonitorConfig config, PublisherClient client) throws IOException {
    this.client = client;
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
    return new PathDeployer(config, client);
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

  @Override
  public CompletionStage<Boolean> deploy(int edge, String key) {
    try {
      Deployment deployment = client.deploy(setup(edge, key), paths.get(edge), new Watcher(edge));
      deployments[edge] = deployment;
      return deployment.first().thenApply(answer -> runs(edge, "SETUP", answer));
    } catch (NcmException e) {
      return CompletableFuture.failedStage(e);
    }
  }

  private Ncm setup(int edge, String key) throws NcmException {
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
    properties.put("feedback-key", key);
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
  public CompletionStage<Boolean> remove(int edge) {
    Deployment deployment = deployments[edge];
    return deployment == null
        ? CompletableFuture.completedStage(true)
        : deployment.remove().thenApply(answer -> runs(edge, "REMOVE", answer));
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
        answer.nodes());
    return done;
  }

  /** Logs route changes. */
  private final class Watcher implements Deployment.Listener {
    private final int edge;

    Watcher(int edge) {
      this.edge = edge;
    }

    @Override
    public void changed(Deployment.Change change) {
      LOG.log(
          System.Logger.Level.INFO,
          "toward {0}: joined {1}, left {2}",
          paths.get(edge).to().getHostAddress(),
          change.joined(),
          change.left());
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
