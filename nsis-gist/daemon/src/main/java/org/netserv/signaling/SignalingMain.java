// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.netserv.gist.net.NodeCertificate;
import org.netserv.gist.net.SigioPort;
import org.netserv.gist.node.GistRehearsal;
import org.netserv.policy.PolicyException;
import org.netserv.process.LogFormat;
import org.netserv.process.Signals;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process nsis-gist: {@code SignalingMain --root R}. Exit status 1 = it could not start, and
 * one line on standard error says why; 2 = usage. SIGTERM stops it in order; SIGHUP loads {@code
 * node.yaml} again. It runs without sigio and without a controller, and finds them when they come.
 */
public final class SignalingMain {
  private static final Logger LOG = LoggerFactory.getLogger(SignalingMain.class);
  private static final String CERTIFICATE_NAME = "netserv-node";
  private static final int REHEARSED = 10;

  private SignalingMain() {}

  public static void main(String[] arguments) throws InterruptedException {
    LogFormat.install();
    Signals.Remembered hangUp = new Signals.Remembered();
    Signals.on("HUP", hangUp);
    Path root = root(arguments);
    if (root == null) {
      System.err.println("usage: SignalingMain --root DIR");
      System.exit(2);
      return;
    }
    try {
      run(root, hangUp);
    } catch (PolicyException | IOException | ExecutionException e) {
      LOG.error("cannot start: {}", e.getMessage());
      System.exit(1);
    }
  }

  /** Options that only other daemons of the node need are passed over. */
  private static Path root(String[] arguments) {
    Path root = null;
    for (int i = 0; i + 1 < arguments.length; i += 2) {
      switch (arguments[i]) {
        case "--root" -> root = Path.of(arguments[i + 1]);
        case "--dist", "--ids" -> {}
        default -> {
          return null;
        }
      }
    }
    return arguments.length % 2 == 0 ? root : null;
  }

  private static void run(Path root, Signals.Remembered hangUp)
      throws PolicyException, IOException, InterruptedException, ExecutionException {
    Path etc = root.resolve("etc/netserv");
    SignalingFiles files = SignalingFiles.load(etc);
    LogFormat.level(files.logLevel());
    Path lib = Files.createDirectories(root.resolve("var/lib/netserv/signaling"));
    if (files.policy().enabled()) {
      GistRehearsal.run(REHEARSED);
      SigioPort.rehearse();
    }
    NodeCertificate certificate =
        NodeCertificate.loadOrCreate(lib, CERTIFICATE_NAME, new SecureRandom());
    MultiThreadIoEventLoopGroup group =
        new MultiThreadIoEventLoopGroup(1, SignalingMain::gistThread, NioIoHandler.newFactory());
    EventLoop loop = group.next();
    Path run = root.resolve("run/netserv");
    SignalingNode node =
        loop.submit(() -> new SignalingNode(loop, run, files, certificate, build())).get();
    LOG.info("build {}, key {}", build(), certificate.fingerprint());
    CountDownLatch stop = new CountDownLatch(1);
    Signals.on("TERM", stop::countDown);
    Signals.on("INT", stop::countDown);
    hangUp.now(() -> reload(etc, loop, node));
    LOG.info("ready{}", files.policy().enabled() ? "" : "; signaling is switched off");
    stop.await();
    LOG.info("stopping");
    loop.submit(node::close).get();
    group.shutdownGracefully(100, 2_000, TimeUnit.MILLISECONDS).await(3, TimeUnit.SECONDS);
    System.exit(0);
  }

  private static void reload(Path etc, EventLoop loop, SignalingNode node) {
    SignalingFiles files;
    try {
      files = SignalingFiles.load(etc);
    } catch (PolicyException e) {
      LOG.error("reload: {}; the old policy stays", e.getMessage());
      return;
    }
    LogFormat.level(files.logLevel());
    loop.execute(
        () -> {
          boolean more = node.reload(files);
          LOG.info(
              "policy loaded again{}",
              more ? "; ports, security and GIST's own limits change with the next start" : "");
        });
  }

  private static Thread gistThread(Runnable task) {
    return new Thread(task, "gist");
  }

  private static String build() {
    String version = SignalingMain.class.getPackage().getImplementationVersion();
    return version == null ? "0.1.0" : version;
  }
}
