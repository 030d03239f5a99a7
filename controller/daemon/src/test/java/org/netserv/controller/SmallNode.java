// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.netserv.controller.job.BundleStore;
import org.netserv.controller.log.LogException;
import org.netserv.controller.log.MvStoreLog;
import org.netserv.controller.log.NcmLog;
import org.netserv.controller.log.ReservedLog;
import org.netserv.controller.log.Storage;
import org.netserv.controller.ncm.AuditLog;
import org.netserv.controller.ncm.BlockProfile;
import org.netserv.controller.ncm.HostLoad;
import org.netserv.controller.ncm.NcmReply;
import org.netserv.controller.ncm.NcmRequest;
import org.netserv.controller.ncm.NodeFacts;
import org.netserv.frames.Json;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.NcmSigner;
import org.netserv.values.NodeIdentity;
import org.netserv.values.PublisherKeys;
import org.netserv.values.Version;

/** A whole controller over fakes and virtual time, with a real log in a temporary directory. */
final class SmallNode {
  static final long START = Instant.parse("2026-01-02T03:04:05Z").toEpochMilli();
  static final KeyPair JANE =
      PublisherKeys.generate(PublisherKeys.Algorithm.ED25519, new SecureRandom());
  static final KeyPair JOHN =
      PublisherKeys.generate(PublisherKeys.Algorithm.P256, new SecureRandom());

  final VirtualLoop loop;
  final Path directory;
  final FakeSettings settings;
  final FakeSpawner spawner;
  final BundleStore store;
  final FakeJobs jobs;
  final NcmLog log;
  final AuditLog audit;
  final NodeIdentity identity;
  final Controller controller;

  /** The agent of each container that has greeted. */
  final Map<String, FakeAgent> agents = new HashMap<>();

  /** Sees the new agent of each container that starts, before it greets. */
  Consumer<FakeAgent> born = agent -> {};

  /** True if the agent of a started container greets by itself. */
  boolean greet = true;

  private long seq = 1;

  SmallNode(Path directory, VirtualLoop loop, FakeSettings settings, FakeSpawner spawner)
      throws IOException, LogException {
    this.directory = directory;
    this.loop = loop;
    this.settings = settings;
    this.spawner = spawner;
    Files.createDirectories(directory.resolve("bundles"));
    store = new BundleStore(directory.resolve("bundles"));
    jobs = new FakeJobs(loop, store);
    Storage storage = new Storage(directory, () -> settings.diskReserve);
    log = new ReservedLog(new MvStoreLog(directory.resolve("log.mv"), 50), storage);
    audit = new AuditLog(directory.resolve("audit.log"), 1 << 20, 2);
    identity = NodeIdentity.generate(new SecureRandom());
    BlockProfile profile =
        new BlockProfile("base-1", Map.of("org.netserv.packet-api", new Version(0, 1, 0, "")));
    NodeFacts facts =
        new NodeFacts(
            identity.nodeId(),
            InetAddress.getLoopbackAddress(),
            "0.1.0",
            profile,
            loop.monotonic());
    controller =
        new Controller(
            new Controller.World(
                loop,
                settings,
                log,
                audit,
                storage,
                spawner,
                store,
                identity,
                facts,
                new HostLoad(directory)),
            jobs);
    spawner.started = this::greet;
    spawner.stopped = agents::remove;
  }

  /** A node with two publishers, connected to its spawner. */
  static SmallNode fresh(Path directory) throws IOException, LogException {
    VirtualLoop loop = new VirtualLoop(START);
    FakeSettings settings = new FakeSettings();
    settings.add("jane", JANE.getPublic());
    settings.add("john", JOHN.getPublic());
    return new SmallNode(directory, loop, settings, new FakeSpawner(loop)).begin();
  }

  SmallNode begin() {
    controller.start();
    controller.connected();
    loop.run();
    return this;
  }

  /** Kills the controller, which closes nothing in order. Containers live on, with their agents. */
  SmallNode restart() throws IOException, LogException {
    log.close();
    audit.close();
    VirtualLoop later = new VirtualLoop(loop.wall());
    FakeSpawner same = new FakeSpawner(later);
    same.running.addAll(spawner.running);
    same.uids.putAll(spawner.uids);
    SmallNode next = new SmallNode(directory, later, settings, same);
    next.seq = seq;
    return next;
  }

  private void greet(String user) {
    if (greet) {
      FakeAgent agent = agents.computeIfAbsent(user, u -> newAgent());
      loop.execute(() -> controller.containers().greeted(uid(user), agent, agent.hello()));
    }
  }

  private FakeAgent newAgent() {
    FakeAgent agent = new FakeAgent(loop);
    born.accept(agent);
    return agent;
  }

  long uid(String user) {
    return 700_000L + settings.publishers.get(user).index();
  }

  /** Ends the container and its agent. */
  void die(String user, String report) {
    spawner.end(user);
    agents.remove(user);
    if (!report.isEmpty()) {
      controller.event("report", Map.of("container", user, "text", report));
    }
    controller.event(
        "exited", Map.of("container", user, "status", "exit:7", "held", "0", "oom", "0"));
    loop.run();
  }

  Ncm.Builder setup(String user, String module, String version) {
    return fresh(Ncm.builder(Method.SETUP, module).version(version), user)
        .set(Header.TTL, 3600)
        .set(Header.URL, "http://publisher.example/" + module + ".jar")
        .set(Header.DIGEST, digest(module + version))
        .set(Header.FILTER_PORT, "5060")
        .set(Header.FILTER_PROTO, "udp");
  }

  Ncm.Builder remove(String user, String module) {
    return fresh(Ncm.builder(Method.REMOVE, module), user);
  }

  /** Returns a message of that user with all the headers that make it fresh, except for seq. */
  Ncm.Builder message(Ncm.Builder builder, String user) {
    byte[] nonce = new byte[Ncm.NONCE_BYTES];
    new SecureRandom().nextBytes(nonce);
    return builder
        .set(Header.USER, user)
        .date(Instant.ofEpochMilli(loop.wall()))
        .nonce(nonce)
        .set(Header.TO, "198.51.100.7");
  }

  private Ncm.Builder fresh(Ncm.Builder builder, String user) {
    return message(builder, user).set(Header.SEQ, seq++);
  }

  static String digest(String text) {
    return java.util.HexFormat.of()
        .formatHex(java.util.Arrays.copyOf(text.getBytes(StandardCharsets.UTF_8), 32));
  }

  static Ncm sign(Ncm.Builder builder) throws NcmException {
    Ncm ncm = builder.build();
    return NcmSigner.sign(
        ncm, "john".equals(ncm.get(Header.USER)) ? JOHN.getPrivate() : JANE.getPrivate());
  }

  /** Sends a message and returns the list to which the answer will be added. */
  List<NcmReply> send(Ncm ncm) {
    return send(new NcmRequest(ncm, "test", 15_000, Optional.empty(), true));
  }

  List<NcmReply> send(NcmRequest request) {
    List<NcmReply> replies = new ArrayList<>();
    controller.service().handle(request, replies::add);
    loop.run();
    return replies;
  }

  /** Sends a message and expects the answer without time passing. */
  NcmReply ask(Ncm ncm) {
    List<NcmReply> replies = send(ncm);
    if (replies.size() != 1) {
      throw new AssertionError(replies.size() + " answers to " + ncm);
    }
    return replies.get(0);
  }

  NcmReply ask(Ncm.Builder builder) throws NcmException {
    return ask(sign(builder));
  }

  /** Returns the answer to one op of the admin socket. */
  ObjectNode op(ObjectNode request) {
    List<ObjectNode> replies = new ArrayList<>();
    controller.ops().admin(request, "admin uid=0", replies::add);
    loop.run();
    if (replies.size() != 1) {
      throw new AssertionError(replies.size() + " replies to " + request);
    }
    return replies.get(0);
  }

  /** Returns the answer to one op of the signaling socket, which comes without time passing. */
  ObjectNode signaling(ObjectNode request) {
    List<ObjectNode> replies = new ArrayList<>();
    controller.ops().signaling(request, "signaling uid=9", replies::add);
    loop.run();
    if (replies.size() != 1) {
      throw new AssertionError(replies.size() + " replies to " + request);
    }
    return replies.get(0);
  }

  static ObjectNode request(String op) {
    return Json.object().put("op", op);
  }

  List<String> auditLines() throws IOException {
    return Files.readAllLines(directory.resolve("audit.log"));
  }

  static String base64(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }
}
