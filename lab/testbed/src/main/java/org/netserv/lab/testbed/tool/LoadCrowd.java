// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Clients of a cache before a {@link LoadOrigin}: {@code LoadCrowd ADDRESS SECONDS CLIENTS SECRET
 * OUTAGES}. Each asks for one random object or range after the other, by HTTP/1.1 or by HTTP/2 over
 * TLS, and compares each byte. Now and then it purges by URL, prefix or surrogate key.
 *
 * <p>A response must be one version: not older than the freshness lifetime allows, nor than the
 * last purge that was answered before the request, nor newer than its end. A cut is counted by its
 * cause: the container was killed meanwhile; the content changed meanwhile; or none, which is
 * {@code failed}. The file OUTAGES has a line {@code down MILLIS} when the container is killed, and
 * {@code up MILLIS} when the cache is back.
 */
public final class LoadCrowd {
  /** Begins a line of the file of outages: the container is killed. */
  public static final String DOWN = "down";

  /** Begins a line of the file of outages: the cache is back. */
  public static final String UP = "up";

  private static final Pattern CONTENT_RANGE =
      Pattern.compile("bytes ([0-9]{1,9})-([0-9]{1,9})/([0-9]{1,9})");
  private static final Pattern TAG = Pattern.compile("\"([0-9]{1,15})\"");

  /** Milliseconds by which Date, Age and clocks are rounded. */
  private static final long SLACK = 2_000;

  private static final int PIECE = 1 << 14;
  private static final int MOST_SHOWN = 20;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Counts that are printed, by their names in lower case. */
  private enum Count {
    WHOLE,
    PARTS,
    NOTMODIFIED,
    UNSATISFIABLE,
    BYTES,
    MULTIPLEXED,
    HITS,
    PURGES,
    PURGED,
    WRONG,
    STALE,
    STATUS,
    CUTBYKILL,
    CUTBYCHANGE,
    FAILED
  }

  /** An exchange that broke. */
  private record Break(long from, long to, boolean changed, String what) {}

  private final String host;
  private final String secret;
  private final long end;
  private final HttpClient plain =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final HttpClient secure;
  private final Map<Count, LongAdder> counts = new EnumMap<>(Count.class);
  private final AtomicInteger shown = new AtomicInteger();
  private final AtomicLongArray floors = new AtomicLongArray(LoadObjects.COUNT);
  private final List<Break> breaks = Collections.synchronizedList(new ArrayList<>());

  private LoadCrowd(String host, int seconds, String secret) throws GeneralSecurityException {
    for (Count count : Count.values()) {
      counts.put(count, new LongAdder());
    }
    this.host = host;
    this.secret = secret;
    end = System.currentTimeMillis() + 1_000L * seconds;
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {new TrustAll()}, null);
    secure = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).sslContext(context).build();
  }

  public static void main(String[] args) throws Exception {
    LoadCrowd crowd = new LoadCrowd(args[0], Integer.parseInt(args[1]), args[3]);
    List<Thread> clients = new ArrayList<>();
    for (int i = 0; i < Integer.parseInt(args[2]); i++) {
      Random random = new Random(i);
      Thread client = new Thread(() -> crowd.run(random));
      client.start();
      clients.add(client);
    }
    for (Thread client : clients) {
      client.join();
    }
    crowd.judge(Outage.read(Files.readAllLines(Path.of(args[4]))));
    StringBuilder line = new StringBuilder();
    crowd.counts.forEach(
        (count, sum) ->
            line.append(count.name().toLowerCase(Locale.ROOT)).append('=').append(sum).append(' '));
    System.out.println(line);
    System.exit(0); // threads of the clients may be left
  }

  private void add(Count count, long number) {
    counts.get(count).add(number);
  }

  private void run(Random random) {
    while (System.currentTimeMillis() < end) {
      long began = System.currentTimeMillis();
      int number = (int) (LoadObjects.COUNT * random.nextDouble() * random.nextDouble());
      try {
        if (random.nextInt(150) == 0) {
          purge(random, number);
        } else {
          ask(random, number, began);
        }
      } catch (IOException e) {
        broken(number, began, e.toString());
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private void broken(int number, long began, String what) {
    long now = System.currentTimeMillis();
    long before = LoadObjects.version(number, began - 1_000L * LoadObjects.MAX_AGE - SLACK);
    boolean changed = LoadObjects.version(number, now) != before;
    breaks.add(new Break(began, now, changed, LoadObjects.path(number) + " " + what));
    try {
      Thread.sleep(50);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  // ---- requests

  private void ask(Random random, int number, long began) throws IOException, InterruptedException {
    boolean tls = random.nextInt(3) == 0;
    long oldest =
        Math.max(
            floors.get(number),
            LoadObjects.version(number, began - 1_000L * LoadObjects.MAX_AGE - SLACK));
    HttpRequest.Builder request = request(tls, LoadObjects.path(number));
    int size = LoadObjects.size(number, LoadObjects.version(number, began));
    int from = random.nextInt(size);
    String range =
        switch (random.nextInt(6)) {
          case 0, 1 -> "bytes=" + from + "-" + (from + random.nextInt(200_000));
          case 2 -> "bytes=" + from + "-";
          case 3 -> "bytes=-" + (1 + random.nextInt(size));
          default -> null;
        };
    if (range != null) {
      request.header("Range", range);
    } else if (random.nextInt(5) == 0) {
      request.header("If-None-Match", "\"" + LoadObjects.version(number, began) + "\"");
    }
    HttpResponse<byte[]> response = whole(tls ? secure : plain, request.build());
    if (response.version() == HttpClient.Version.HTTP_2) {
      add(Count.MULTIPLEXED, 1);
    }
    try (InputStream body = new ByteArrayInputStream(response.body())) {
      check(number, oldest, from, range, response, body);
    }
  }

  /**
   * Returns a response with its body. The time-out of a request ends with the head, and a container
   * that was killed may say nothing more.
   */
  private static HttpResponse<byte[]> whole(HttpClient client, HttpRequest request)
      throws IOException, InterruptedException {
    CompletableFuture<HttpResponse<byte[]>> response =
        client.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray());
    try {
      return response.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    } catch (TimeoutException e) {
      response.cancel(true);
      throw new IOException("no end within " + PATIENCE.toSeconds() + " s", e);
    }
  }

  private HttpRequest.Builder request(boolean tls, String path) {
    return HttpRequest.newBuilder(URI.create((tls ? "https://" : "http://") + host + path))
        .timeout(PATIENCE);
  }

  private void check(
      int number,
      long oldest,
      int from,
      String range,
      HttpResponse<byte[]> response,
      InputStream body)
      throws IOException {
    int status = response.statusCode();
    if (status == 416) {
      wrongUnless(hasEndedBefore(number, oldest, from), "416 for " + range, number);
      add(Count.UNSATISFIABLE, 1);
      return;
    }
    Matcher tag = TAG.matcher(response.headers().firstValue("ETag").orElse(""));
    if ((status != 200 && status != 206 && status != 304) || !tag.matches()) {
      add(Count.STATUS, 1);
      show("status " + status + " of " + LoadObjects.path(number));
      return;
    }
    if (response.headers().allValues("Cache-Status").toString().contains("; hit")) {
      add(Count.HITS, 1);
    }
    long version = Long.parseLong(tag.group(1));
    if (version < oldest || version > LoadObjects.version(number, System.currentTimeMillis())) {
      add(Count.STALE, 1);
      show(LoadObjects.path(number) + " has version " + version + ", not " + oldest + " or later");
    }
    if (status == 304) {
      add(Count.NOTMODIFIED, 1);
      return;
    }
    int size = LoadObjects.size(number, version);
    int first = 0;
    int behind = size;
    if (status == 206) {
      Matcher told =
          CONTENT_RANGE.matcher(response.headers().firstValue("Content-Range").orElse(""));
      boolean sound = told.matches() && range != null && Integer.parseInt(told.group(3)) == size;
      if (!sound) {
        wrongUnless(false, "Content-Range", number);
        return;
      }
      first = Integer.parseInt(told.group(1));
      behind = Integer.parseInt(told.group(2)) + 1;
      wrongUnless(isAsked(range, size, first, behind), "another range than " + range, number);
    }
    boolean right = compare(number, version, first, behind, body);
    wrongUnless(right, "a byte of version " + version, number);
    if (right) {
      add(status == 200 ? Count.WHOLE : Count.PARTS, 1);
      add(Count.BYTES, behind - first);
    }
  }

  /** Tells whether a version that may be served has no byte at an offset. */
  private static boolean hasEndedBefore(int number, long oldest, int from) {
    boolean ended = false;
    for (long each = oldest;
        each <= LoadObjects.version(number, System.currentTimeMillis());
        each++) {
      ended |= LoadObjects.size(number, each) <= from;
    }
    return ended;
  }

  private static boolean isAsked(String range, int size, int first, int behind) {
    String[] ends = range.substring("bytes=".length()).split("-", 2);
    if (ends[0].isEmpty()) {
      return behind == size && first == Math.max(0, size - Integer.parseInt(ends[1]));
    }
    int last = ends[1].isEmpty() ? size - 1 : Math.min(size - 1, Integer.parseInt(ends[1]));
    return first == Integer.parseInt(ends[0]) && behind == last + 1;
  }

  private static boolean compare(int number, long version, int first, int behind, InputStream body)
      throws IOException {
    byte[] got = new byte[PIECE];
    byte[] wanted = new byte[PIECE];
    int at = first;
    boolean right = true;
    int count = body.read(got);
    while (count >= 0) {
      LoadObjects.fill(number, version, at, wanted, count);
      right &= Arrays.equals(got, 0, count, wanted, 0, count);
      at += count;
      count = body.read(got);
    }
    return right && at == behind;
  }

  private void wrongUnless(boolean right, String what, int number) {
    if (!right) {
      add(Count.WRONG, 1);
      show("wrong: " + what + " of " + LoadObjects.path(number));
    }
  }

  private void show(String what) {
    if (shown.incrementAndGet() <= MOST_SHOWN) {
      System.out.println(System.currentTimeMillis() + " " + what);
    }
  }

  // ---- purges

  /** Purges. Requests that begin after the answer get no version from before the purge. */
  private void purge(Random random, int number) throws IOException, InterruptedException {
    int group = LoadObjects.group(number);
    int by = random.nextInt(3);
    HttpRequest.Builder order =
        request(false, "/.activecdn/purge")
            .header("Authorization", "Bearer " + secret)
            .POST(HttpRequest.BodyPublishers.noBody());
    for (String scheme : List.of("http://", "https://")) {
      switch (by) {
        case 0 -> order.header("Purge-Url", scheme + host + LoadObjects.path(number));
        case 1 -> order.header("Purge-Prefix", scheme + host + "/load/" + group + "/");
        default -> order.setHeader("Surrogate-Key", "group-" + group);
      }
    }
    long began = System.currentTimeMillis();
    HttpResponse<String> answer = plain.send(order.build(), HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() != 200) {
      add(Count.STATUS, 1);
      show("a purge: " + answer.statusCode());
      return;
    }
    add(Count.PURGES, 1);
    add(Count.PURGED, Long.parseLong(answer.body().replaceAll("[^0-9]", "")));
    for (int each = 0; each < LoadObjects.COUNT; each++) {
      if (by == 0 ? each == number : LoadObjects.group(each) == group) {
        long floor = LoadObjects.version(each, began);
        floors.accumulateAndGet(each, floor, Math::max);
      }
    }
  }

  // ---- the verdict

  /** A time without the cache. */
  record Outage(long begin, long end) {
    /** Reads the lines of the file of outages. The last outage may not have ended. */
    static List<Outage> read(List<String> lines) {
      List<Outage> all = new ArrayList<>();
      for (String line : lines) {
        String[] words = line.split(" ", 2);
        long millis = Long.parseLong(words[1]);
        if (words[0].equals(DOWN)) {
          all.add(new Outage(millis, Long.MAX_VALUE));
        } else {
          all.add(new Outage(all.remove(all.size() - 1).begin, millis));
        }
      }
      return all;
    }

    boolean meets(long from, long to) {
      return from <= end && to >= begin;
    }
  }

  /** Finds the cause of each break. */
  private void judge(List<Outage> outages) {
    for (Break each : List.copyOf(breaks)) {
      boolean killed = outages.stream().anyMatch(outage -> outage.meets(each.from, each.to));
      Count cause = killed ? Count.CUTBYKILL : each.changed ? Count.CUTBYCHANGE : Count.FAILED;
      add(cause, 1);
      if (cause == Count.FAILED) {
        show(each.from + " to " + each.to + ": " + each.what);
      }
    }
  }

  /** Trusts every certificate: the lab's server has one of its own making. */
  private static final class TrustAll extends X509ExtendedTrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
