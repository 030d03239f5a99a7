// SPDX-License-Identifier: Apache-2.0
package org.netserv.host;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleException;
import org.osgi.framework.connect.ConnectContent;
import org.osgi.framework.connect.ConnectModule;
import org.osgi.framework.connect.ModuleConnector;

/**
 * Connects the building blocks to the framework. To the framework a block is a bundle like any
 * other, with wires and versions. Its classes, however, are the classes of the class path (OSGi
 * Core 8, chapter 60). They therefore come out of the class data archive without a look into the
 * jar, and nothing is copied. To the layer {@code java} a block has the same rights as the
 * framework.
 */
final class Blocks implements ModuleConnector {
  private static final String LOCATION = "block:";
  private static final String CLASS = ".class";

  private final Path directory;
  private final String features;

  /**
   * @param features of the node's fast path, for the one bundle that is no jar ({@link Offer})
   */
  Blocks(Path directory, String features) {
    this.directory = directory;
    this.features = features;
  }

  /** Returns the locations of all blocks, in the order of the files' names. */
  List<String> locations() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".jar"))
          .sorted()
          .map(LOCATION::concat)
          .toList();
    }
  }

  /**
   * Loads a class of each block. The virtual machine asks for a jar's real path when the first
   * archived class of the jar is loaded. It asks on the stack of the caller, and a module may not
   * read there.
   */
  void touch() throws IOException {
    for (String location : locations()) {
      try (ZipFile jar = new ZipFile(file(location))) {
        load(firstClass(jar.entries()));
      }
    }
  }

  private static String firstClass(Enumeration<? extends ZipEntry> entries) {
    while (entries.hasMoreElements()) {
      String name = entries.nextElement().getName();
      if (name.endsWith(CLASS) && name.indexOf('-') < 0) { // package-info, META-INF
        return name;
      }
    }
    return null;
  }

  private static void load(String entry) {
    if (entry == null) {
      return;
    }
    String name = entry.substring(0, entry.length() - CLASS.length()).replace('/', '.');
    try {
      Class.forName(name, false, Blocks.class.getClassLoader());
    } catch (ClassNotFoundException | LinkageError e) {
      System.err.println("host: " + e);
    }
  }

  private File file(String location) {
    return directory.resolve(location.substring(LOCATION.length())).toFile();
  }

  @Override
  public void initialize(File storage, Map<String, String> configuration) {}

  @Override
  public Optional<ConnectModule> connect(String location) throws BundleException {
    if (location.equals(Offer.LOCATION)) {
      Offer offer = new Offer(features);
      return Optional.of(() -> offer);
    }
    if (!location.startsWith(LOCATION)) {
      return Optional.empty();
    }
    if (location.contains("/")) {
      throw new BundleException(location + " is no building block");
    }
    Content content = new Content(file(location));
    return Optional.of(() -> content);
  }

  @Override
  public Optional<BundleActivator> newBundleActivator() {
    return Optional.empty();
  }

  /**
   * Gives the framework the headers and entries of a jar; the framework opens and closes it freely.
   */
  private static final class Content implements ConnectContent {
    private final File file;
    private JarFile jar;

    Content(File file) {
      this.file = file;
    }

    @Override
    public synchronized void open() throws IOException {
      if (jar == null) {
        jar = new JarFile(file, false);
      }
    }

    @Override
    public synchronized void close() throws IOException {
      if (jar != null) {
        jar.close();
        jar = null;
      }
    }

    @Override
    public Optional<Map<String, String>> getHeaders() {
      Map<String, String> headers = new HashMap<>();
      try {
        opened()
            .getManifest()
            .getMainAttributes()
            .forEach((name, value) -> headers.put(name.toString(), value.toString()));
      } catch (IOException e) {
        throw new IllegalStateException(file + ": " + e.getMessage(), e);
      }
      return Optional.of(headers);
    }

    @Override
    public Iterable<String> getEntries() {
      return opened().stream().map(ZipEntry::getName).toList();
    }

    @Override
    public Optional<ConnectEntry> getEntry(String path) {
      JarFile from = opened();
      return Optional.ofNullable(from.getEntry(path)).map(entry -> new Entry(from, entry));
    }

    @Override
    public Optional<ClassLoader> getClassLoader() {
      return Optional.of(Blocks.class.getClassLoader());
    }

    private synchronized JarFile opened() {
      if (jar == null) {
        throw new IllegalStateException(file + " is closed");
      }
      return jar;
    }
  }

  private record Entry(JarFile jar, ZipEntry entry) implements ConnectContent.ConnectEntry {
    @Override
    public String getName() {
      return entry.getName();
    }

    @Override
    public long getContentLength() {
      return entry.getSize();
    }

    @Override
    public long getLastModified() {
      return entry.getTime();
    }

    @Override
    public InputStream getInputStream() throws IOException {
      return jar.getInputStream(entry);
    }
  }
}
