// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * All of a node's policy at the time of loading. Immutable. A reload loads another object.
 *
 * <pre>
 *   etc/netserv/node.yaml               may be absent or empty
 *   etc/netserv/publishers.d/NAME.yaml
 *   etc/netserv/anchors.d/NAME.pem
 * </pre>
 */
public final class NodePolicy {
  static final String NODE_FILE = "node.yaml";
  static final String PUBLISHERS = "publishers.d";
  static final String ANCHORS = "anchors.d";
  static final String YAML = ".yaml";
  static final String PEM = ".pem";

  private final NodeConfig config;
  private final Map<String, PublisherPolicy> publishers;
  private final Map<String, Anchor> anchors;

  private NodePolicy(
      NodeConfig config, Map<String, PublisherPolicy> publishers, Map<String, Anchor> anchors) {
    this.config = config;
    this.publishers = Collections.unmodifiableMap(publishers);
    this.anchors = Collections.unmodifiableMap(anchors);
  }

  /**
   * Loads everything or nothing.
   *
   * @param etcDir {@code <root>/etc/netserv}; need not exist
   * @throws PolicyException for the first file that is wrong, or cannot be read
   */
  public static NodePolicy load(Path etcDir) throws PolicyException {
    NodeConfig config = NodeConfig.load(etcDir);
    Map<String, Anchor> anchors = new TreeMap<>();
    for (Path file : files(etcDir.resolve(ANCHORS), PEM)) {
      Anchor anchor = AnchorFile.read(file, name(file, PEM));
      anchors.put(anchor.name(), anchor);
    }
    Map<String, PublisherPolicy> publishers = new TreeMap<>();
    for (Path file : files(etcDir.resolve(PUBLISHERS), YAML)) {
      PublisherPolicy publisher = readPublisher(file);
      PublisherRules.checkAlone(file, publisher, anchors);
      PublisherRules.checkAmong(file, publisher, publishers.values());
      publishers.put(publisher.name(), publisher);
    }
    return new NodePolicy(config, publishers, anchors);
  }

  static PublisherPolicy readPublisher(Path file) throws PolicyException {
    String name = name(file, YAML);
    if (!name.matches(PublisherPolicy.NAME)) {
      throw new PolicyException(
          file, "the file's name is not a publisher's name (" + PublisherPolicy.NAME + ")");
    }
    return PolicyFile.PUBLISHER.read(file, PolicyFile.trusted(file), name);
  }

  /** Returns the interfaces with packets that may be queued; empty = all. */
  public List<String> interfaces() {
    return config.interfaces();
  }

  public SysctlMode sysctlMode() {
    return config.sysctl();
  }

  /** Returns the largest difference between a message's date and the node's clock. */
  public Duration freshness() {
    return config.freshnessWindow();
  }

  /** Returns the PROBEs per minute that the node answers to strangers. */
  public int probesPerMinute() {
    return config.probesPerMinute();
  }

  public FetchPolicy fetch() {
    return config.fetch();
  }

  public LogPolicy log() {
    return config.log();
  }

  /** Returns the bytes that must be free under the node's state for a new SETUP. */
  public long diskReserve() {
    return config.diskReserve();
  }

  public SignalingPolicy signaling() {
    return config.signaling();
  }

  public IsolationPolicy isolation() {
    return config.isolation();
  }

  /** Returns the number of containers that are kept ready and belong to nobody yet. */
  public int spares() {
    return config.spares();
  }

  public int spareJobs() {
    return config.spareJobs();
  }

  /** Returns the most containers that are kept for fetched bundles alone. */
  public int standby() {
    return config.standby();
  }

  /** Returns the prefixes from which containers get their networks. */
  public ContainerPrefixes containers() {
    return config.containers();
  }

  /** Processors that are set apart for packets, by number; empty = none. */
  public List<Integer> packetProcessors() {
    return config.packetProcessors();
  }

  public FastPathPolicy fastPath() {
    return config.fastPath();
  }

  /** By name, in the order of names, revoked ones included. */
  public Map<String, PublisherPolicy> publishers() {
    return publishers;
  }

  public Optional<PublisherPolicy> publisher(String name) {
    return Optional.ofNullable(publishers.get(name));
  }

  /** By name, in the order of names. */
  public Map<String, Anchor> anchors() {
    return anchors;
  }

  /** The anchors that may vouch for this publisher's bundles. */
  public List<Anchor> anchorsOf(PublisherPolicy publisher) {
    if (publisher.signers().isEmpty()) {
      return List.copyOf(anchors.values());
    }
    return publisher.signers().stream().map(anchors::get).toList();
  }

  private static List<Path> files(Path directory, String suffix) throws PolicyException {
    List<Path> files = new ArrayList<>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory, "*" + suffix)) {
      stream.forEach(files::add);
    } catch (NoSuchFileException e) {
      return files;
    } catch (IOException | DirectoryIteratorException e) {
      throw new PolicyException(directory, "cannot be read: " + e.getMessage());
    }
    Collections.sort(files);
    return files;
  }

  private static String name(Path file, String suffix) {
    String name = String.valueOf(file.getFileName());
    return name.substring(0, name.length() - suffix.length());
  }
}
