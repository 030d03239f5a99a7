// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;
import org.netserv.values.PublisherKeys;

/**
 * Writes publishers and trust anchors. {@code node.yaml} is written by people. A file appears whole
 * or not at all, and is on the disk before a method returns. The writer checks a file by reading it
 * before the file takes its place, so {@link NodePolicy#load} can read every file. One writer at a
 * time.
 */
public final class PolicyWriter {
  private static final ObjectMapper YAML =
      new ObjectMapper(
          new YAMLFactory()
              .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
              .disable(YAMLGenerator.Feature.SPLIT_LINES)
              .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES));

  private final Path etcDir;

  /**
   * @param etcDir {@code <root>/etc/netserv}; made when needed
   */
  public PolicyWriter(Path etcDir) {
    this.etcDir = etcDir;
  }

  /**
   * Adds a publisher with the lowest index that no other has had.
   *
   * @param force permit prefixes that overlap another publisher's; a filter on the longer prefix
   *     then wins
   * @return the publisher as the node will read it
   * @throws PolicyException when the name is taken or not a name, a value is bad, or a prefix
   *     overlaps
   */
  public PublisherPolicy addPublisher(PublisherDraft draft, boolean force)
      throws PolicyException, IOException {
    Path file = publisherFile(draft.name());
    NodePolicy node = NodePolicy.load(etcDir);
    Collection<PublisherPolicy> others = node.publishers().values();
    if (node.publisher(draft.name()).isPresent()) {
      throw new PolicyException(file, "there is a publisher " + draft.name() + " already");
    }
    byte[] content = content(draft, freeIndex(file, others));
    PublisherPolicy publisher = PolicyFile.PUBLISHER.read(file, content, draft.name());
    PublisherRules.checkAlone(file, publisher, node.anchors());
    PublisherRules.checkAmong(file, publisher, others);
    if (!force) {
      PublisherRules.checkOverlap(file, publisher.prefixes(), others);
    }
    create(file, content);
    return publisher;
  }

  /**
   * Revokes a publisher: everything of it is refused from the next reload on. Its file and its
   * index stay, so that nobody else gets its user id and its files.
   *
   * @throws PolicyException when there is no such publisher
   */
  public PublisherPolicy revoke(String name) throws PolicyException, IOException {
    Path file = publisherFile(name);
    if (!Files.exists(file)) {
      throw new PolicyException(file, "there is no publisher " + name);
    }
    ObjectNode tree = (ObjectNode) YAML.readTree(PolicyFile.bytes(file));
    tree.put("revoked", true);
    byte[] content = YAML.writeValueAsBytes(tree);
    PublisherPolicy publisher = PolicyFile.PUBLISHER.read(file, content, name);
    replace(file, content);
    return publisher;
  }

  /**
   * Adds a trust anchor.
   *
   * @param pem one certificate
   * @throws PolicyException when the name is taken or not a name, or the text is not one
   *     certificate
   */
  public Anchor addAnchor(String name, String pem) throws PolicyException, IOException {
    Path file = etcDir.resolve(NodePolicy.ANCHORS).resolve(name + NodePolicy.PEM);
    Anchor anchor = AnchorFile.parse(file, name, pem);
    if (Files.exists(file)) {
      throw new PolicyException(file, "there is an anchor " + name + " already");
    }
    create(file, anchor.pem().getBytes(StandardCharsets.US_ASCII));
    return anchor;
  }

  private Path publisherFile(String name) throws PolicyException {
    Path directory = etcDir.resolve(NodePolicy.PUBLISHERS);
    if (!name.matches(PublisherPolicy.NAME)) {
      throw new PolicyException(directory, "not a publisher's name (" + PublisherPolicy.NAME + ")");
    }
    return directory.resolve(name + NodePolicy.YAML);
  }

  private static int freeIndex(Path file, Collection<PublisherPolicy> others)
      throws PolicyException {
    List<Integer> taken = others.stream().map(PublisherPolicy::index).toList();
    return IntStream.rangeClosed(0, PublisherPolicy.MAX_INDEX)
        .filter(index -> !taken.contains(index))
        .findFirst()
        .orElseThrow(() -> new PolicyException(file, "all indices are taken"));
  }

  private static byte[] content(PublisherDraft draft, int index) throws JsonProcessingException {
    ObjectNode tree = YAML.createObjectNode();
    tree.put("index", index);
    strings(tree, "keys", draft.keys().stream().map(PublisherKeys::printLine).toList());
    strings(tree, "prefixes", draft.prefixes());
    strings(tree, "ports", draft.ports());
    strings(tree, "connect", draft.connect());
    strings(tree, "listen", draft.listen());
    strings(tree, "take", draft.take());
    if (!draft.serval().isEmpty()) {
      strings(tree.putObject("serval"), "prefixes", draft.serval());
    }
    if (draft.operator()) {
      tree.put("operator", true);
    }
    strings(tree, "grants", draft.grants().stream().map(Grant::text).sorted().toList());
    strings(tree, "signers", draft.signers());
    return YAML.writeValueAsBytes(tree);
  }

  private static void strings(ObjectNode tree, String key, Collection<?> values) {
    if (!values.isEmpty()) {
      ArrayNode list = tree.putArray(key);
      values.forEach(value -> list.add(value.toString()));
    }
  }

  private void create(Path file, byte[] content) throws IOException, PolicyException {
    Path part = writePart(file, content);
    try {
      // A hard link is refused when the name is taken meanwhile; a rename would overwrite.
      Files.createLink(file, part);
    } catch (FileAlreadyExistsException e) {
      throw new PolicyException(file, "there is such a file already");
    } finally {
      Files.deleteIfExists(part);
    }
    sync(directory(file));
  }

  private static void replace(Path file, byte[] content) throws IOException {
    Files.move(
        writePart(file, content),
        file,
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
    sync(directory(file));
  }

  /**
   * Writes the content to a file beside the target. Its name begins with a dot and does not end
   * like a policy file's, so that a concurrent load does not see the file.
   */
  private static Path writePart(Path file, byte[] content) throws IOException {
    Files.createDirectories(directory(file));
    Path part = file.resolveSibling("." + file.getFileName() + ".part");
    try (FileChannel out =
        FileChannel.open(
            part,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer buffer = ByteBuffer.wrap(content);
      while (buffer.hasRemaining()) {
        out.write(buffer);
      }
      out.force(true);
    }
    return part;
  }

  private static Path directory(Path file) {
    return file.toAbsolutePath().getParent();
  }

  /** Syncs the directory, because only then is the rename itself on the disk. */
  private static void sync(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
