// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.LabLock;
import org.netserv.lab.testbed.base.Namespaces;
import org.netserv.lab.testbed.base.Shell;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.topology.Topology;
import org.netserv.lab.testbed.topology.Topology.Node;

/**
 * A lab that is up. Its processes, logs and files are in {@code /run/netserv-lab/<lab>/}:
 *
 * <pre>
 *   log/NODE-DAEMON.log   a daemon's output
 *   bundles/              served by the daemon `files`
 *   NODE/                 the root of a NetServ node: etc, var, run
 * </pre>
 */
public final class Testbed implements AutoCloseable {
  private static final Duration GRACE = Duration.ofSeconds(10);
  private static final int DELETIONS = 20;

  private final Topology topology;
  private final Path java;
  private final PrintStream out;
  private final Map<String, LabPublisher> publishers = new HashMap<>();
  private final AtomicInteger names = new AtomicInteger();
  private Thread hook;
  private LabLock lock;

  private Testbed(Topology topology, Path java, PrintStream out) {
    this.topology = topology;
    this.java = java;
    this.out = out;
  }

  /** Makes everything in the topology. On failure it leaves nothing behind. */
  public static Testbed up(Topology topology, PrintStream out) throws IOException {
    return up(topology, LabHome.java(), out);
  }

  private static Testbed up(Topology topology, Path java, PrintStream out) throws IOException {
    requireRoot();
    if (!Namespaces.of(topology.name()).isEmpty()) {
      throw new LabException("lab " + topology.name() + " is up already");
    }
    Testbed testbed = new Testbed(topology, java, out);
    try {
      testbed.start();
      return testbed;
    } catch (IOException | RuntimeException e) {
      try {
        down(topology.name());
      } catch (IOException again) {
        e.addSuppressed(again);
      }
      throw e;
    }
  }

  /**
   * Makes a testbed that lives at most as long as this JVM. The remains of an earlier run are
   * deleted first.
   */
  public static Testbed temporary(Topology topology, PrintStream out) throws IOException {
    return temporary(topology, LabHome.java(), out);
  }

  /** Makes a temporary testbed with nodes that run on this JDK. */
  public static Testbed temporary(Topology topology, Path java, PrintStream out)
      throws IOException {
    requireRoot();
    LabLock lock = LabLock.take(topology.name());
    Thread hook = new Thread(() -> downQuietly(topology.name()), "lab-down");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      down(topology.name());
      Testbed testbed = up(topology, java, out);
      testbed.hook = hook;
      testbed.lock = lock;
      return testbed;
    } catch (IOException | RuntimeException e) {
      Runtime.getRuntime().removeShutdownHook(hook);
      lock.close();
      throw e;
    }
  }

  static void requireRoot() throws IOException {
    if (!Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0)) {
      throw new LabException("a lab makes network namespaces: run this as root");
    }
  }

  private void start() throws IOException {
    Files.createDirectories(state().resolve("log"));
    Files.createDirectories(state().resolve("bundles"));
    new Network(topology).up();
    Daemons daemons = new Daemons(this);
    daemons.relays();
    List<NodeDaemon> starting = new ArrayList<>();
    for (Node node : topology.nodes().values()) {
      for (Topology.Daemon daemon : node.daemons()) {
        out.println("  " + node.name() + ": " + daemon.kind());
        if (daemon.kind().equals("netserv")) {
          starting.add(NodeDaemon.start(this, node, daemon.options()));
        } else {
          daemons.start(node, daemon);
        }
      }
    }
    for (NodeDaemon daemon : starting) {
      daemon.await();
    }
  }

  public Topology topology() {
    return topology;
  }

  /** Returns the JDK that the nodes run on. */
  public Path java() {
    return java;
  }

  public Path state() {
    return LabHome.state(topology.name());
  }

  public Path log(String node, String name) {
    return state().resolve("log").resolve(node + "-" + name + ".log");
  }

  /** Returns a name that no log of this testbed has had. */
  public String unique(String name) {
    return name + "-" + names.incrementAndGet();
  }

  /** Returns the publisher of that name. Its keys are made when it is first asked for. */
  public LabPublisher publisher(String name) {
    return publishers.computeIfAbsent(
        name, key -> new LabPublisher(key, this, Clock.systemUTC(), new SecureRandom()));
  }

  /** Connects to the NetServ daemon of a node. */
  public NodeClient client(String node) throws IOException {
    return NodeClient.connect(NodeDaemon.root(this, node));
  }

  /** Runs a short program inside a node and returns its output. */
  public String run(String node, String... program) throws IOException {
    topology.node(node);
    return Shell.run(Namespaces.enter(topology.name(), node, List.of(program)));
  }

  /** Starts a program inside a node, in a session of its own. It logs to NODE-NAME.log. */
  public Process spawn(String node, String name, List<String> program) throws IOException {
    List<String> command = new ArrayList<>(List.of("setsid"));
    command.addAll(Namespaces.enter(topology.name(), node, program));
    return new ProcessBuilder(command)
        .directory(state().toFile())
        .redirectInput(Shell.DEV_NULL)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log(node, name).toFile()))
        .start();
  }

  /**
   * Starts a program inside a node with standard input and output left to the caller. Only its
   * errors are logged.
   */
  public Process converse(String node, String name, List<String> program) throws IOException {
    List<String> command = new ArrayList<>(List.of("setsid"));
    command.addAll(Namespaces.enter(topology.name(), node, program));
    return new ProcessBuilder(command)
        .directory(state().toFile())
        .redirectError(ProcessBuilder.Redirect.appendTo(log(node, name).toFile()))
        .start();
  }

  /** Starts one of the lab's own Java programs inside a node. */
  public Process spawnTool(String node, String name, Class<?> tool, Object... arguments)
      throws IOException {
    return spawn(node, name, tool(tool, arguments));
  }

  /** Returns the command line of one of the lab's own Java programs. */
  public static List<String> tool(Class<?> tool, Object... arguments) {
    String path =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    List<String> command =
        new ArrayList<>(
            List.of(
                LabHome.java().resolve("bin/java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx256m"));
    command.addAll(classData());
    command.addAll(List.of("-cp", absolute(path), tool.getName()));
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    return command;
  }

  /** Returns the options with which a tool shares the class data of the command line. */
  private static List<String> classData() {
    Path archive = LabHome.dist().resolve("cli.jsa").toAbsolutePath();
    return Files.exists(archive)
        ? List.of("-XX:SharedArchiveFile=" + archive, "-Xlog:cds=off", "-Xlog:cds+dynamic=off")
        : List.of();
  }

  /**
   * Makes the class path absolute, because daemons run in the lab's directory and not in the
   * caller's.
   */
  private static String absolute(String classPath) {
    return Stream.of(classPath.split(File.pathSeparator, -1))
        .map(entry -> Path.of(entry).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** Returns the last lines of a log, for a failure's report. */
  public String tail(String node, String name, int lines) {
    return tail(log(node, name), lines);
  }

  /** Returns the last lines of a file, or a note that there is none. */
  public static String tail(Path file, int lines) {
    try {
      List<String> all = Files.readAllLines(file, StandardCharsets.ISO_8859_1);
      return String.join("\n", all.subList(Math.max(0, all.size() - lines), all.size()));
    } catch (IOException e) {
      return "(no log " + file + ")";
    }
  }

  /**
   * Copies the ends of all logs to {@code target/lab/NAME} of the checkout, in place of the logs
   * that were kept there before.
   */
  public void keepLogs(String name) {
    Path to = LabHome.home().resolve("target/lab").resolve(name);
    try {
      KeptLogs.copy(state(), to);
      out.println("logs of the nodes: " + LabHome.home().relativize(to));
    } catch (IOException e) {
      out.println("logs of the nodes: not kept: " + e);
    }
  }

  @Override
  public void close() throws IOException {
    down(topology.name());
    if (hook != null) {
      Runtime.getRuntime().removeShutdownHook(hook);
    }
    if (lock != null) {
      lock.close();
    }
  }

  private static void downQuietly(String lab) {
    try {
      down(lab);
    } catch (IOException e) {
      System.err.println("lab " + lab + ": " + e.getMessage());
    }
  }

  /**
   * Takes a lab away, or whatever is left of it. First it asks the daemons to stop. Then it kills
   * everything in the lab's namespaces, and deletes namespaces and files. A lab that does not exist
   * is no error.
   *
   * @return true if there was anything
   */
  static boolean down(String lab) throws IOException {
    if (!lab.matches("[a-z][a-z0-9-]*")) {
      throw new LabException("'" + lab + "' is not the name of a lab");
    }
    List<String> namespaces = Namespaces.of(lab);
    List<ProcessHandle> running = Namespaces.processes(namespaces);
    running.stream().filter(Namespaces::leads).forEach(ProcessHandle::destroy);
    long end = System.nanoTime() + GRACE.toNanos();
    while (!Namespaces.processes(namespaces).isEmpty() && System.nanoTime() < end) {
      Wait.pause(50);
    }
    Wait.until(
        "the processes of lab " + lab + " to end",
        GRACE,
        () -> {
          List<ProcessHandle> left = Namespaces.processes(namespaces);
          left.forEach(ProcessHandle::destroyForcibly);
          return left.isEmpty();
        });
    for (String namespace : namespaces) {
      Shell.run("ip", "netns", "delete", namespace);
    }
    Path state = LabHome.state(lab);
    boolean files = Files.exists(state);
    keepClassData(state);
    delete(state);
    return files || !namespaces.isEmpty();
  }

  private static void keepClassData(Path state) throws IOException {
    if (!Files.isDirectory(state)) {
      return;
    }
    try (DirectoryStream<Path> nodes = Files.newDirectoryStream(state, Files::isDirectory)) {
      for (Path node : nodes) {
        NodeDaemon.keep(node);
      }
    }
  }

  /**
   * Deletes a directory. It tries again, because a process that was killed a moment ago may still
   * have written to a part that is already deleted.
   */
  private static void delete(Path directory) throws IOException {
    for (int again = DELETIONS; ; again--) {
      try {
        deleteOnce(directory);
        return;
      } catch (DirectoryNotEmptyException e) {
        if (again == 1) {
          throw e;
        }
        Wait.pause(100);
      }
    }
  }

  private static void deleteOnce(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    try {
      Files.walkFileTree(
          directory,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
              Files.delete(file);
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path dir, IOException e) throws IOException {
              Files.delete(dir);
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }
}
