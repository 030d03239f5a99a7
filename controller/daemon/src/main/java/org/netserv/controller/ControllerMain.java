// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import org.netserv.controller.admin.AdminServer;
import org.netserv.controller.container.AgentServer;
import org.netserv.controller.job.BundleStore;
import org.netserv.controller.job.SpawnerJobs;
import org.netserv.controller.log.LogException;
import org.netserv.controller.log.MvStoreLog;
import org.netserv.controller.log.NcmLog;
import org.netserv.controller.log.ReservedLog;
import org.netserv.controller.log.Storage;
import org.netserv.controller.loop.ControllerLoop;
import org.netserv.controller.ncm.AuditLog;
import org.netserv.controller.ncm.BlockProfile;
import org.netserv.controller.ncm.HostLoad;
import org.netserv.controller.ncm.NcmWarmUp;
import org.netserv.controller.ncm.NodeFacts;
import org.netserv.controller.spawner.SpawnerClient;
import org.netserv.controller.spawner.SpawnerListener;
import org.netserv.policy.NodePolicy;
import org.netserv.policy.PolicyException;
import org.netserv.process.LogFormat;
import org.netserv.process.Signals;
import org.netserv.values.BadValueException;
import org.netserv.values.NodeIdentity;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The controller's process: {@code ControllerMain --root R --dist D [--ids N]}. Exit status 1 means
 * that it could not start, and one line on standard error gives the reason. Exit status 2 means
 * wrong usage. SIGTERM stops it in order, and containers live on. SIGHUP loads policy again and
 * opens the audit log by its name again.
 */
public final class ControllerMain {
  private static final Logger LOG = LoggerFactory.getLogger(ControllerMain.class);
  private static final int FIRST_ID = 690_000;
  private static final int CONTAINERS_GROUP = 3;
  private static final int SIGNALING_GROUP = 4;
  private static final int COMPACT_AFTER = 1_000;

  private ControllerMain() {}

  public static void main(String[] arguments) throws InterruptedException {
    LogFormat.install();
    Signals.Remembered hangUp = new Signals.Remembered();
    Signals.on("HUP", hangUp);
    Options options = Options.parse(arguments);
    if (options == null) {
      System.err.println("usage: ControllerMain --root DIR --dist DIR [--ids N]");
      System.exit(2);
      return;
    }
    try {
      run(options, hangUp);
    } catch (PolicyException | LogException | BadValueException | IOException e) {
      LOG.error("cannot start: {}", e.getMessage());
      System.exit(1);
    }
  }

  private record Options(NodePaths paths, int firstId) {
    /** Parses the arguments. Returns null if they do not match the usage. */
    static Options parse(String[] arguments) {
      String root = null;
      String dist = null;
      int ids = FIRST_ID;
      for (int i = 0; i + 1 < arguments.length; i += 2) {
        switch (arguments[i]) {
          case "--root" -> root = arguments[i + 1];
          case "--dist" -> dist = arguments[i + 1];
          case "--ids" ->
              ids =
                  arguments[i + 1].matches("[1-9][0-9]{0,8}")
                      ? Integer.parseInt(arguments[i + 1])
                      : -1;
          default -> ids = -1;
        }
      }
      boolean complete = root != null && dist != null && ids > 0 && arguments.length % 2 == 0;
      return complete ? new Options(new NodePaths(Path.of(root), Path.of(dist)), ids) : null;
    }
  }

  private static void run(Options options, Signals.Remembered hangUp)
      throws PolicyException, LogException, BadValueException, IOException, InterruptedException {
    NodePaths paths = options.paths();
    paths.make();
    NodePolicy policy = NodePolicy.load(paths.etc());
    LogFormat.level(policy.log().level());
    NodeIdentity identity = NodeIdentity.loadOrCreate(paths.key());
    PolicySettings settings =
        new PolicySettings(paths.etc(), policy, options.firstId(), identity.nodeId());
    BundleStore store = new BundleStore(paths.bundles());
    store.clean();
    SpawnerJobs.clean(paths.jobs());
    ExecutorService files = Executors.newFixedThreadPool(2, ControllerMain::daemon);
    ControllerLoop loop = new ControllerLoop();
    Late listener = new Late();
    SpawnerClient spawner = new SpawnerClient(paths.socket("spawner"), build(), loop, listener);
    NodeFacts facts =
        new NodeFacts(
            identity.nodeId(),
            OwnAddress.choose(OwnAddress.all(), policy.containers().all()),
            build(),
            BlockProfile.read(paths.blocks()),
            loop.monotonic());
    Storage storage = new Storage(paths.log().getParent(), settings::diskReserve);
    NcmLog log = new ReservedLog(new MvStoreLog(paths.log(), COMPACT_AFTER), storage);
    AuditLog audit = new AuditLog(paths.audit(), policy.log().maxBytes(), policy.log().files());
    SpawnerJobs jobs =
        new SpawnerJobs(loop, files, spawner, paths.jobs(), store, settings, new SecureRandom());
    Controller controller =
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
                new HostLoad(Path.of("/proc"))),
            jobs);
    listener.controller = controller;
    onLoop(loop, controller::start);
    LOG.info(
        "node {}, build {}, {} modules in the log",
        identity.nodeId(),
        build(),
        log.snapshot().modules().size());
    spawner.start();
    CountDownLatch stop = new CountDownLatch(1);
    hangUp.now(
        () ->
            loop.execute(
                () -> {
                  audit.reopen();
                  controller.reload();
                }));
    Signals.on("TERM", stop::countDown);
    Signals.on("INT", stop::countDown);
    List<AutoCloseable> sockets = serve(options, loop, controller);
    LOG.info("ready");
    Thread warmUp = new Thread(() -> NcmWarmUp.run(identity), "controller-warm-up");
    warmUp.setDaemon(true);
    warmUp.start();
    stop.await();
    LOG.info("stopping; containers live on");
    for (AutoCloseable socket : sockets) {
      close(socket);
    }
    onLoop(loop, spawner::close);
    loop.close();
    log.close();
    audit.close();
    System.exit(0);
  }

  private static List<AutoCloseable> serve(
      Options options, ControllerLoop loop, Controller controller) throws IOException {
    NodePaths paths = options.paths();
    AgentServer agents =
        new AgentServer(
            paths.containerSocket(),
            options.firstId() + CONTAINERS_GROUP,
            build(),
            loop,
            controller.misdeeds(),
            controller.load().overload(),
            controller.containers());
    controller.load().containerConnections(agents::connections, AgentServer.MOST);
    return List.of(
        new AdminServer(
            paths.socket("admin"),
            -1,
            "admin",
            build(),
            loop,
            controller.misdeeds()::count,
            controller.ops()::admin),
        new AdminServer(
            paths.socket("signaling"),
            options.firstId() + SIGNALING_GROUP,
            "signaling",
            build(),
            loop,
            controller.misdeeds()::count,
            controller.ops()::signaling),
        agents);
  }

  private static void close(AutoCloseable socket) {
    try {
      socket.close();
    } catch (Exception e) {
      LOG.warn("close: {}", e.getMessage());
    }
  }

  /** Runs a task on the loop and waits for its end. */
  private static void onLoop(ControllerLoop loop, Runnable task)
      throws InterruptedException, IOException {
    FutureTask<Void> done = new FutureTask<>(task, null);
    loop.execute(done);
    try {
      done.get();
    } catch (ExecutionException e) {
      throw new IOException("controller loop: " + e.getCause(), e);
    }
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "controller-files");
    thread.setDaemon(true);
    return thread;
  }

  private static String build() {
    String version = ControllerMain.class.getPackage().getImplementationVersion();
    return version == null ? "0.1.0" : version;
  }

  /**
   * Passes the spawner's news on to the controller. The spawner's client is made before the
   * controller that listens to it, and started after it.
   */
  private static final class Late implements SpawnerListener {
    private Controller controller;

    @Override
    public void connected() {
      controller.connected();
    }

    @Override
    public void disconnected() {
      controller.disconnected();
    }

    @Override
    public void event(String name, Map<String, String> values) {
      controller.event(name, values);
    }
  }
}
