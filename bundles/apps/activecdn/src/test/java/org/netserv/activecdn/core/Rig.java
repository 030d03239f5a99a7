// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.netserv.activecdn.disk.DiskLog;
import org.netserv.activecdn.disk.Jobs;
import org.netserv.activecdn.disk.LogDirectory;
import org.netserv.http.Body;
import org.netserv.http.Field;
import org.netserv.http.HeadError;
import org.netserv.http.HeadLimits;
import org.netserv.http.HeadWriter;
import org.netserv.http.RequestHead;
import org.netserv.http.ResponseHead;
import org.netserv.http.cache.CacheSettings;
import org.netserv.http.cache.SliceGrid;
import org.netserv.packet.Tally;

/** A cache with clients, an origin and clocks that a test moves by hand. */
public final class Rig implements Time {
  /** A second after Sun, 06 Nov 1994 08:49:37 GMT, in milliseconds. */
  public static final long NOW = 784_111_778_000L;

  public static final String SECRET = "0123456789abcdef";
  public static final int ENTRY = 100_000;

  /** About the bytes of the access log. */
  public static final int LOG = 1 << 14;

  public final Tally<Why> tally = new Tally<>(Why.class);
  public final List<Asked> asked = new ArrayList<>();
  public final MemoryStore store;
  public final Edge edge;
  private final EdgeSettings settings;
  public long wall = NOW;
  public long ticks;

  public Rig() {
    this(
        new CacheSettings(List.of("cdn-cache-control"), 10, 86_400, 9, true, 0, 8, 2_048), 1 << 20);
  }

  Rig(CacheSettings cache, long bytes) {
    this(cache, bytes, SignedUrls.NONE);
  }

  Rig(CacheSettings cache, long bytes, SignedUrls signed) {
    this(cache, bytes, signed, LOG);
  }

  Rig(CacheSettings cache, long bytes, SignedUrls signed, long logBytes) {
    this(cache, bytes, signed, logBytes, null);
  }

  /** Makes a cache that keeps larger contents in slices. */
  static Rig sliced(CacheSettings cache, long bytes, int slice) {
    return new Rig(cache, bytes, SignedUrls.NONE, 0, new SliceGrid(slice));
  }

  private Rig(CacheSettings cache, long bytes, SignedUrls signed, long logBytes, SliceGrid slices) {
    store = new MemoryStore(bytes, tally);
    settings =
        new EdgeSettings(
            cache,
            HeadLimits.USUAL,
            "edge",
            "edge-1",
            Set.of("a", "b"),
            ENTRY,
            slices,
            signed,
            new EdgeSettings.Orders("/.cdn", SECRET, logBytes));
    edge = new Edge(settings, store, this::ask, this, tally, new Random(1));
  }

  /** Puts a disk below the store, with what another rig has left in the directory. */
  Rig disk(Path directory, long bytes, Jobs jobs) throws IOException {
    LogDirectory<Entry> log = new LogDirectory<>(directory, "192.0.2.1:80");
    DiskLog.Bounds bounds = new DiskLog.Bounds(bytes, 1 << 20);
    DiskShelf.below(store, log, bounds, jobs.threads(), settings, tally);
    return this;
  }

  @Override
  public long wall() {
    return wall;
  }

  @Override
  public long ticks() {
    return ticks;
  }

  /** Lets both clocks run. */
  public void pass(long millis) {
    wall += millis;
    ticks += millis;
  }

  public static byte[] latin(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Returns the only request that the origin has not answered yet. */
  public Asked next() {
    List<Asked> open =
        asked.stream().filter(each -> !each.isAnswered && !each.isCancelled).toList();
    assertEquals(1, open.size(), "requests at the origin");
    return open.get(0);
  }

  private Origin.Call ask(Origin.Question question, Origin.Sink sink) {
    Asked call = new Asked(question, sink);
    asked.add(call);
    return call;
  }

  /** A request at the origin. */
  public static final class Asked implements Origin.Call {
    public final Origin.Question question;
    private final Origin.Sink sink;
    public final ByteArrayOutputStream content = new ByteArrayOutputStream();
    public boolean isContentEnded;
    public boolean isAnswered;
    public boolean isCancelled;
    public boolean isHeld;
    public boolean isWritable = true;

    Asked(Origin.Question question, Origin.Sink sink) {
      this.question = question;
      this.sink = sink;
    }

    /** The request's head, lines ended by \n. */
    public String head() {
      return new String(question.head(), StandardCharsets.ISO_8859_1).replace("\r\n", "\n");
    }

    /** Sends a head. */
    public Asked head(int status, String... fields) {
      StringBuilder text = new StringBuilder("HTTP/1.1 " + status + " \r\n");
      for (String field : fields) {
        text.append(field).append("\r\n");
      }
      byte[] bytes = latin(text.append("\r\n").toString());
      ResponseHead head = new ResponseHead(HeadLimits.USUAL);
      assertEquals(HeadError.OK, head.reset(bytes, 0, bytes.length));
      if (status < 200) {
        sink.interim(head);
      } else {
        isAnswered = true;
        sink.head(head, Body.of(head, question.method()));
      }
      Arrays.fill(bytes, (byte) 0); // the head was valid during the call
      return this;
    }

    /** Sends a piece of content. */
    public Asked send(String text) {
      assertFalse(isHeld, "the origin is read while it is held");
      byte[] bytes = latin(text);
      if (!isCancelled) {
        sink.content(bytes, 0, bytes.length);
      }
      Arrays.fill(bytes, (byte) 0);
      return this;
    }

    public void end() {
      if (!isCancelled) {
        sink.end();
      }
    }

    public void fail(Why why) {
      isAnswered = true;
      sink.failed(why);
    }

    /** Sends a whole response with its length. */
    public void answer(int status, String text, String... fields) {
      String[] all = Arrays.copyOf(fields, fields.length + 1);
      all[fields.length] = "Content-Length: " + text.length();
      head(status, all);
      if (!text.isEmpty()) {
        send(text);
      }
      end();
    }

    public void writable() {
      isWritable = true;
      sink.writable();
    }

    @Override
    public void content(byte[] bytes, int from, int to) {
      content.write(bytes, from, to - from);
    }

    @Override
    public void contentEnd() {
      isContentEnded = true;
    }

    @Override
    public boolean isWritable() {
      return isWritable;
    }

    @Override
    public void hold(boolean held) {
      isHeld = held;
    }

    @Override
    public void cancel() {
      isCancelled = true;
    }
  }

  /** Begins a GET for http://a/x with fields. */
  Asker get(String... fields) {
    return begin("GET /x HTTP/1.1", fields);
  }

  /** Begins a request to host a. */
  Asker begin(String line, String... fields) {
    Asker asker = new Asker(line, fields);
    asker.exchange = edge.exchange(asker);
    asker.exchange.start();
    return asker;
  }

  /** A client. */
  static final class Asker implements Client {
    private final RequestHead request = new RequestHead(HeadLimits.USUAL);
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    Exchange exchange;
    final List<String> interims = new ArrayList<>();
    private ResponseHead head;
    private long length;
    boolean isEnded;
    boolean isAborted;
    boolean isHeld;
    private boolean isBlocked;

    Asker(String line, String... fields) {
      StringBuilder text = new StringBuilder(line + "\r\nHost: a\r\n");
      for (String field : fields) {
        text.append(field).append("\r\n");
      }
      byte[] bytes = latin(text.append("\r\n").toString());
      assertEquals(HeadError.OK, request.reset(bytes, 0, bytes.length), text.toString());
    }

    /** Takes nothing more until {@link #unblock}. */
    void block() {
      isBlocked = true;
    }

    void unblock() {
      isBlocked = false;
      exchange.moved();
    }

    void leave() {
      exchange.gone();
    }

    /** The length of the content that the connection was told. */
    long length() {
      return length;
    }

    /** The status of the response, 0 before its head. */
    int status() {
      return head == null ? 0 : head.status();
    }

    boolean has(Field field) {
      return head.fields().has(field);
    }

    String value(Field field) {
      return head.fields().text(field);
    }

    String said() {
      return value(Field.CACHE_STATUS);
    }

    /** The path of the request. */
    String path() {
      return new String(
          request.bytes(),
          request.pathStart(),
          request.pathEnd() - request.pathStart(),
          StandardCharsets.ISO_8859_1);
    }

    String body() {
      return body.toString(StandardCharsets.ISO_8859_1);
    }

    /** Checks that the response is whole, and returns "status content". */
    String result() {
      assertTrue(isEnded, "the response has not ended");
      assertFalse(isAborted);
      if (length >= 0) {
        assertEquals(length, body.size(), "the length that the head names");
      }
      return status() + " " + body();
    }

    @Override
    public RequestHead request() {
      return request;
    }

    @Override
    public boolean isSecure() {
      return false;
    }

    @Override
    public String protocol() {
      return "HTTP/1.1";
    }

    @Override
    public String address() {
      return "192.0.2.1";
    }

    @Override
    public void interim(HeadWriter out) {
      interims.add(new String(out.bytes(), 0, out.length(), StandardCharsets.ISO_8859_1));
    }

    @Override
    public boolean head(HeadWriter out, long contentLength) {
      assertEquals(0, status(), "a second head");
      out.end();
      head = new ResponseHead(HeadLimits.USUAL);
      byte[] bytes = Arrays.copyOf(out.bytes(), out.length());
      assertEquals(HeadError.OK, head.reset(bytes, 0, bytes.length));
      length = contentLength;
      if (contentLength >= 0) {
        assertEquals(contentLength, head.contentLength());
      }
      return out.fits();
    }

    @Override
    public boolean isWritable() {
      return !isBlocked;
    }

    @Override
    public void write(byte[] bytes, int from, int to) {
      assertFalse(isEnded || isAborted || status() == 0);
      body.write(bytes, from, to - from);
    }

    @Override
    public void flush() {}

    @Override
    public void end() {
      assertFalse(isEnded || isAborted);
      isEnded = true;
    }

    @Override
    public void abort() {
      assertFalse(isEnded || isAborted);
      isAborted = true;
    }

    @Override
    public void holdContent(boolean held) {
      isHeld = held;
    }
  }
}
