// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.netserv.coverage.Coverage;
import org.netserv.coverage.count.Counters;
import org.netserv.coverage.path.ClientPort;
import org.netserv.coverage.path.ModuleDraft;
import org.netserv.coverage.path.PathBudget;
import org.netserv.coverage.process.Loop;
import org.netserv.coverage.process.StatusSocket;
import org.netserv.coverage.settings.PathSettings;
import org.netserv.coverage.settings.SocketText;
import org.netserv.coverage.store.StateFile;
import org.netserv.frames.Json;
import org.netserv.loadmonitor.MonitorConfig;
import org.netserv.provider.base.Counter;
import org.netserv.provider.config.ProviderConfig;
import org.netserv.provider.kamailio.KamailioLink;
import org.netserv.provider.report.ReportDoor;
import org.netserv.provider.report.ReportSocket;
import org.netserv.provider.store.AgentStore;
import org.netserv.publisher.PublisherClient;
import org.netserv.values.BadValueException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The provider. One thread has all of its state. Other threads do what waits for the network, for
 * Kamailio, for reports and for the status socket, and talk to it by tasks:
 *
 * <pre>
 *   Kamailio --events--> [ kamailio ] --lines--> [ provider: agents -> parts -> coverage ]
 *       ^                     ^                        |  ^            |  ^
 *       +------- RPC ---------+---------- calls -------+  |            v  |
 *                                                  status.sock    [ publisher's client ] -> paths
 * </pre>
 */
public final class Provider implements AutoCloseable {
  /** The role of the status socket in its hello. */
  public static final String ROLE = "provider";

  private static final Logger LOG = LoggerFactory.getLogger(Provider.class);
  private static final long TURN_MILLIS = 100;
  private static final int TURNS_PER_COMMIT = 5;
  private static final int MOST_SECRET = 4096;
  private static final long DEFAULT_LIFETIME = 3600;

  private final ProviderConfig config;
  private final String build;
  private final Clock clock;
  private final Counters counters = new Counters(Counter.values());
  private final Loop loop = new Loop("provider");
  private final PathBudget budget;
  private final List<Part> parts = new ArrayList<>();
  private StateFile store;
  private Agents agents;
  private PublisherClient client;
  private KamailioLink kamailio;
  private StatusSocket socket;
  private ReportSocket reportSocket;
  private int turns;

  private Provider(ProviderConfig config, String build, Clock clock) {
    this.config = config;
    this.build = build;
    this.clock = clock;
    this.budget =
        new PathBudget(
            config.limits().inFlight(), config.limits().messagesPerMinute(), clock.millis());
  }

  /**
   * Starts a provider.
   *
   * @param build of this program, for the status socket's hello
   * @throws IOException when a file cannot be used, naming the file and the reason
   */
  public static Provider start(ProviderConfig config, String build, Clock clock)
      throws IOException {
    Provider provider = new Provider(config, build, clock);
    try {
      provider.open();
      return provider;
    } catch (IOException | RuntimeException e) {
      provider.close();
      throw e;
    }
  }

  private void open() throws IOException {
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
    long lifetime =
        config.keepalive() == null ? DEFAULT_LIFETIME : config.keepalive().agentLifetime();
    agents = new Agents(config.limits().agents(), new AgentStore(store), counters, lifetime * 1000);
    kamailio =
        new KamailioLink(
            config.kamailio().socket(),
            config.kamailio().queue(),
            config.kamailio().pollMs(),
            counters,
            loop,
            listener());
    if (config.keepalive() != null) {
      parts.add(keepAlive());
    }
    if (config.mediaRelay() != null) {
      parts.add(mediaRelay());
    }
    if (config.overload() != null) {
      parts.add(overload());
    }
    agents.tell(parts);
    loop.execute(this::restore);
    socket = StatusSocket.listen(config.state(), build, ROLE, this::status);
    kamailio.start();
    loop.every(TURN_MILLIS, this::turn);
    client.limits().forEach(limit -> LOG.warn("on this host {}", limit));
    LOG.info("ready: {}", parts.stream().map(Part::name).toList());
  }

  private KeepAlivePart keepAlive() throws IOException {
    ProviderConfig.KeepAlive settings = config.keepalive();
    ModuleDraft draft = ModuleDraft.of(settings.module());
    String module = draft.name() + "_" + draft.version();
    ProviderConfig.Reports reports = settings.reports();
    if (reports == null) {
      return new KeepAlivePart(coverage("keepalive", draft, (ip, now) -> {}), module, null);
    }
    String key = hex(reports.key());
    Map<String, String> told = Map.of("report-to", reports.listen(), "report-key", key);
    Coverage coverage = coverage("keepalive", draft.with(told), (ip, now) -> {});
    KeepAlivePart part = new KeepAlivePart(coverage, module, silence(settings, reports));
    ReportDoor door = new ReportDoor(HexFormat.of().parseHex(key), counters);
    reportSocket =
        ReportSocket.open(
            listen(reports.listen()),
            door,
            clock,
            loop,
            report -> part.report(report, clock.millis()));
    return part;
  }

  private Silence silence(ProviderConfig.KeepAlive settings, ProviderConfig.Reports reports) {
    Contacts contacts = new Contacts(kamailio, config.kamailio().location(), counters);
    return new Silence(
        agents.table(),
        reports.silent(),
        settings.agentLifetime() * 1000L,
        counters,
        (agent, registered, since) -> {
          if (reports.removeContacts()) {
            registered.forEach(one -> contacts.remove(one, since));
          }
        });
  }

  private static InetSocketAddress listen(String text) throws IOException {
    try {
      return SocketText.parse(text);
    } catch (BadValueException e) {
      throw new IOException("keepalive.reports.listen: " + e.getMessage(), e);
    }
  }

  private static String hex(Path file) throws IOException {
    String key = secret(file).toLowerCase(Locale.ROOT);
    if (!key.matches("([0-9a-f]{2}){16,64}")) {
      throw new IOException(file + ": not 32 to 128 hexadecimal digits, an even number");
    }
    return key;
  }

  private MediaRelayPart mediaRelay() throws IOException {
    ProviderConfig.MediaRelay settings = config.mediaRelay();
    ModuleDraft draft = ModuleDraft.of(settings.module());
    RelaySecrets secrets = relaySecrets(settings.secret());
    MediaRelayPart[] part = new MediaRelayPart[1];
    Coverage coverage =
        coverage(
            "media-relay",
            draft.with(Map.of("secret", secrets.property())),
            (address, now) -> part[0].moved(address, now));
    long lifetime = settings.credentials() * 1000L;
    part[0] =
        new MediaRelayPart(
            coverage,
            draft.name() + "_" + draft.version(),
            agents.table(),
            kamailio,
            new Credentials(secrets.first(), lifetime),
            new MediaRelayPart.Settings(
                settings.port(), lifetime, settings.own(), settings.table()));
    return part[0];
  }

  private OverloadPart overload() throws IOException {
    PathSettings path = config.path();
    MonitorConfig monitor =
        MonitorConfig.read(
            config.overload().file(),
            new MonitorConfig.Publisher(config.publisher().name(), config.publisher().key()),
            new MonitorConfig.PathRules(
                path.from() == null ? null : path.from().getHostAddress(),
                path.budget(),
                path.tls(),
                config.knownNodes().file(),
                !path.routerAlert()));
    return new OverloadPart(monitor, client);
  }

  private static RelaySecrets relaySecrets(Path file) throws IOException {
    try {
      return RelaySecrets.of(secret(file));
    } catch (IllegalArgumentException e) {
      throw new IOException(file + ": " + e.getMessage(), e);
    }
  }

  private static String secret(Path file) throws IOException {
    if (Files.size(file) > MOST_SECRET) {
      throw new IOException(file + ": a secret longer than " + MOST_SECRET + " bytes");
    }
    String text = Files.readString(file, StandardCharsets.UTF_8).strip();
    if (text.isEmpty()) {
      throw new IOException(file + ": an empty secret");
    }
    return text;
  }

  private Coverage coverage(String part, ModuleDraft draft, Coverage.Listener listener) {
    PathSettings path = config.path();
    return new Coverage(
        new ClientPort(client, draft, path, loop),
        budget,
        store.coverage(part),
        new Coverage.Settings(
            draft.module().ttl() * 1000L,
            path.check() * 1000L,
            path.retry() * 1000L,
            config.limits().addresses()),
        counters,
        new SecureRandom(),
        listener);
  }

  private void restore() {
    long now = clock.millis();
    parts.forEach(part -> part.restore(now));
    agents.restore(now);
    parts.forEach(part -> part.settle(now));
  }

  private KamailioLink.Listener listener() {
    return new KamailioLink.Listener() {
      @Override
      public void lines(List<String> lines) {
        long now = clock.millis();
        lines.forEach(line -> agents.line(line, now));
      }

      @Override
      public void connected() {
        long now = clock.millis();
        parts.forEach(part -> part.connected(now));
      }
    };
  }

  private void turn() {
    long now = clock.millis();
    agents.table().expire(now);
    parts.forEach(part -> part.turn(now));
    if (++turns % TURNS_PER_COMMIT == 0) {
      store.commit();
    }
  }

  /** Returns the status. Called on any thread but the provider's own. */
  public ObjectNode status() throws IOException {
    return loop.ask(this::describe);
  }

  private ObjectNode describe() {
    long now = clock.millis();
    ObjectNode status = Json.object().put("publisher", config.publisher().name());
    status.put("kamailio", kamailio.connected() ? "connected" : "not connected");
    status
        .putObject("agents")
        .put("known", agents.table().size())
        .put("registered", agents.table().registered())
        .put("addresses", agents.table().addresses());
    status.put("in-flight", budget.inFlight());
    ArrayNode limits = status.putArray("host-lacks");
    client.limits().forEach(limits::add);
    ObjectNode sections = status.putObject("parts");
    parts.forEach(part -> sections.set(part.name(), part.status(now)));
    ObjectNode counts = status.putObject("counters");
    counters.snapshot().forEach(counts::put);
    return status;
  }

  /** Ends without a REMOVE: the modules stay until their TTL, for the next process to take up. */
  @Override
  public void close() {
    if (socket != null) {
      socket.close();
    }
    if (kamailio != null) {
      kamailio.close();
    }
    if (reportSocket != null) {
      try {
        reportSocket.close();
      } catch (IOException e) {
        LOG.warn("reports: {}", e.getMessage());
      }
    }
    parts.forEach(Part::close);
    if (client != null) {
      client.close();
    }
    loop.close();
    if (store != null) {
      store.close();
    }
  }
}
