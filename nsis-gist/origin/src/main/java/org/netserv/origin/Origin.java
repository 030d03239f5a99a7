// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.security.SecureRandom;
import java.time.Clock;
import org.netserv.coverage.Coverage;
import org.netserv.coverage.CoverageStatus;
import org.netserv.coverage.count.Counters;
import org.netserv.coverage.path.ClientPort;
import org.netserv.coverage.path.ModuleDraft;
import org.netserv.coverage.path.PathBudget;
import org.netserv.coverage.process.Loop;
import org.netserv.coverage.process.StatusSocket;
import org.netserv.coverage.settings.SocketText;
import org.netserv.coverage.store.StateFile;
import org.netserv.frames.Json;
import org.netserv.origin.count.OriginCounter;
import org.netserv.origin.door.DecisionDoor;
import org.netserv.origin.health.HttpHealth;
import org.netserv.origin.place.CityFile;
import org.netserv.origin.place.Place;
import org.netserv.origin.route.Director;
import org.netserv.origin.settings.OriginConfig;
import org.netserv.origin.users.Grouping;
import org.netserv.origin.users.UserStore;
import org.netserv.origin.users.Users;
import org.netserv.origin.users.Visits;
import org.netserv.publisher.PublisherClient;
import org.netserv.values.Addresses;
import org.netserv.values.BadValueException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The director. One thread has all of its state. Questions of the web server are answered on other
 * threads, from the last {@code Routes} that this thread made:
 *
 * <pre>
 *   web server --/decide--> [ door: Director ] --Visits--> [ director's thread: Users, Coverage,
 *                                 ^                          Health ] --> [ publisher's client ] -> paths
 *                                 +--------- Routes ------------+  \----> [ HTTP ] -> modules
 * </pre>
 */
public final class Origin implements AutoCloseable {
  /** The role of the status socket in its hello. */
  public static final String ROLE = "origin";

  private static final Logger LOG = LoggerFactory.getLogger(Origin.class);
  private static final long TURN_MILLIS = 100;
  private static final int TURNS_PER_COMMIT = 5;
  private static final int TURNS_PER_LOOK = 20;

  private final OriginConfig config;
  private final Clock clock;
  private final Counters counters = new Counters(OriginCounter.values());
  private final Loop loop = new Loop("director");
  private final CityFile places;
  private final Grouping grouping;
  private final Visits visits;
  private final Director director;
  private final PathBudget budget;
  private StateFile store;
  private PublisherClient client;
  private String module;
  private Coverage coverage;
  private Edges edges;
  private StatusSocket socket;
  private DecisionDoor door;
  private int turns;

  private Origin(OriginConfig config, Clock clock) {
    this.config = config;
    this.clock = clock;
    places = new CityFile(config.places(), counters);
    grouping = new Grouping(config.users().ipv4(), config.users().ipv6());
    visits = new Visits(config.limits().addresses(), counters);
    director = new Director(grouping, places, config.edges().nearKm(), visits, counters);
    budget =
        new PathBudget(
            config.limits().inFlight(), config.limits().messagesPerMinute(), clock.millis());
  }

  /**
   * Starts a director.
   *
   * @param build of this program, for the status socket's hello
   * @throws IOException when a file or the address cannot be used, naming it and the reason
   */
  public static Origin start(OriginConfig config, String build, Clock clock) throws IOException {
    Origin origin = new Origin(config, clock);
    try {
      origin.open(build);
      return origin;
    } catch (IOException | RuntimeException e) {
      origin.close();
      throw e;
    }
  }

  private void open(String build) throws IOException {
    InetSocketAddress at = listen(config.listen());
    ModuleDraft draft = ModuleDraft.of(config.module());
    module = draft.name() + "_" + draft.version();
    Files.createDirectories(config.state());
    store = new StateFile(config.state().resolve("state.mv"), counters);
    client =
        PublisherClient.builder()
            .user(config.publisher().name(), config.publisher().read())
            .known(config.knownNodes().read())
            .clock(clock)
            .executor(loop)
            .routerAlert(config.path().routerAlert())
            .open();
    coverage = coverage(draft);
    long idle = config.users().idle() * 1000L;
    Users users = new Users(grouping, coverage, new UserStore(store), idle, counters);
    edges = new Edges(config.edges(), coverage, users, places, new HttpHealth(loop), counters);
    places.look();
    loop.execute(() -> restore(users));
    socket = StatusSocket.listen(config.state(), build, ROLE, () -> loop.ask(this::describe));
    loop.every(TURN_MILLIS, () -> turn(users));
    try {
      door = DecisionDoor.open(at, director, counters);
    } catch (IOException e) {
      throw new IOException("listen: " + config.listen() + ": " + e.getMessage(), e);
    }
    client.limits().forEach(limit -> LOG.warn("on this host {}", limit));
    LOG.info("ready: {}, {}", module, config.listen());
  }

  private static InetSocketAddress listen(String text) throws IOException {
    try {
      return SocketText.parse(text);
    } catch (BadValueException e) {
      throw new IOException("listen: " + e.getMessage(), e);
    }
  }

  private Coverage coverage(ModuleDraft draft) {
    return new Coverage(
        new ClientPort(client, draft, config.path(), loop),
        budget,
        store.coverage("content"),
        new Coverage.Settings(
            draft.module().ttl() * 1000L,
            config.path().check() * 1000L,
            config.path().retry() * 1000L,
            config.limits().addresses()),
        counters,
        new SecureRandom(),
        (address, now) -> edges.changed());
  }

  private void restore(Users users) {
    long now = clock.millis();
    coverage.restore(now);
    users.restore(now);
    coverage.settle(now);
  }

  private void turn(Users users) {
    long now = clock.millis();
    visits.take((prefix, user) -> users.came(prefix, user, now), id -> users.keep(id, now));
    users.expire(now);
    coverage.turn(now);
    if (turns % TURNS_PER_LOOK == 0 && places.look()) {
      edges.changed();
    }
    edges.turn(now).ifPresent(director::use);
    if (++turns % TURNS_PER_COMMIT == 0) {
      store.commit();
    }
  }

  private ObjectNode describe() {
    long now = clock.millis();
    ObjectNode status = Json.object().put("publisher", config.publisher().name());
    status.put("listen", config.listen()).put("places", places.state());
    status.put("prefixes", edges.prefixes()).put("in-flight", budget.inFlight());
    client.limits().forEach(status.putArray("host-lacks")::add);
    ObjectNode content = CoverageStatus.of(coverage, module, now);
    for (JsonNode node : content.path("nodes")) {
      describe((ObjectNode) node);
    }
    status.set("content", content);
    ObjectNode counts = status.putObject("counters");
    counters.snapshot().forEach(counts::put);
    return status;
  }

  /** Adds the view of users to a node: its health, its URL and its place. */
  private void describe(ObjectNode node) {
    String id = node.path("id").asText();
    node.put("health", edges.health(id));
    try {
      InetAddress at = Addresses.parse(node.path("address").asText());
      node.put("url", edges.url(id, at));
      Place place = places.find(at);
      if (place != null) {
        node.put("latitude", place.latitude()).put("longitude", place.longitude());
      }
    } catch (BadValueException e) {
      // A node without an address is not one that users are sent to.
      return;
    }
  }

  /** Ends without a REMOVE: the modules stay until their TTL, for the next process to take up. */
  @Override
  public void close() {
    if (door != null) {
      door.close();
    }
    if (socket != null) {
      socket.close();
    }
    if (client != null) {
      client.close();
    }
    loop.close();
    if (store != null) {
      store.close();
    }
  }
}
