// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import java.nio.charset.StandardCharsets;
import org.netserv.http.Field;
import org.netserv.http.HeadWriter;
import org.netserv.http.structured.BareItem;
import org.netserv.http.structured.Item;
import org.netserv.http.structured.StructuredWriter;

/**
 * Writes a member of Cache-Status (RFC 9211) as a line of its own behind the lines of the caches
 * nearer to the origin, which stay as they are.
 *
 * <pre>
 *   Cache-Status: edge; hit; ttl=376
 *   Cache-Status: edge; fwd=stale; fwd-status=304; stored; ttl=60
 * </pre>
 *
 * The methods add up; {@link #write} writes and forgets. Allocates nothing after its construction.
 * One thread.
 */
public final class CacheStatus {
  private final byte[] name;
  private boolean hit;
  private Forward forward;
  private int status;
  private boolean timed;
  private long ttl;
  private boolean stored;
  private int collapsed; // 0 not said, 1 true, -1 false
  private String detail;

  /** Reasons to forward a request (2.2), from the most to the least specific. */
  public enum Forward {
    BYPASS("bypass"),
    METHOD("method"),
    URI_MISS("uri-miss"),
    VARY_MISS("vary-miss"),
    MISS("miss"),
    REQUEST("request"),
    STALE("stale"),
    PARTIAL("partial");

    private final String token;

    Forward(String token) {
      this.token = token;
    }

    /** Returns the reason for a result of {@link Selection#choose} that is below 0. */
    public static Forward ofMiss(int selection) {
      return selection == Selection.URI_MISS ? URI_MISS : VARY_MISS;
    }

    /** Returns the reason for a decision that does not send the stored response. */
    public static Forward of(Reuse reuse) {
      return reuse == Reuse.VALIDATE_FOR_REQUEST ? REQUEST : STALE;
    }
  }

  /**
   * Makes a writer.
   *
   * @param name of this cache, printable ASCII; written as a Token if it is one, else as a String
   * @throws IllegalArgumentException if the name has other characters
   */
  public CacheStatus(String name) {
    this.name = StructuredWriter.item(Item.of(id(name))).getBytes(StandardCharsets.US_ASCII);
  }

  private static BareItem id(String name) {
    try {
      return new BareItem.Token(name);
    } catch (IllegalArgumentException e) {
      return new BareItem.Text(name);
    }
  }

  /** Says that the response comes from the cache, without a forwarded request. */
  public CacheStatus hit() {
    hit = true;
    return this;
  }

  /** Says that the request was forwarded. */
  public CacheStatus forward(Forward reason) {
    forward = reason;
    return this;
  }

  /** Says which status code the next hop answered; left out where it is the one that is sent. */
  public CacheStatus forwardStatus(int code) {
    status = code;
    return this;
  }

  /** Says how long the response stays fresh, in milliseconds, negative for a stale one. */
  public CacheStatus ttl(long milliseconds) {
    timed = true;
    ttl = Math.floorDiv(milliseconds, 1000L);
    return this;
  }

  /** Says that the response was stored. */
  public CacheStatus stored() {
    stored = true;
    return this;
  }

  /** Says that the request waited for another one, and whether that helped. */
  public CacheStatus collapsed(boolean reused) {
    collapsed = reused ? 1 : -1;
    return this;
  }

  /**
   * Adds a detail.
   *
   * @param token of RFC 9651, a constant of the caller
   */
  public CacheStatus detail(String token) {
    detail = token;
    return this;
  }

  /**
   * Words of a member that is written later.
   *
   * @param collapsed 0 not said, 1 true, -1 false
   */
  public record Words(
      boolean hit,
      Forward forward,
      int status,
      boolean timed,
      long ttl,
      boolean stored,
      int collapsed,
      String detail) {}

  /** Takes the words out, and forgets them. */
  public Words take() {
    Words words = new Words(hit, forward, status, timed, ttl, stored, collapsed, detail);
    reset();
    return words;
  }

  /** Puts words back that were taken out. */
  public void put(Words words) {
    hit = words.hit;
    forward = words.forward;
    status = words.status;
    timed = words.timed;
    ttl = words.ttl;
    stored = words.stored;
    collapsed = words.collapsed;
    detail = words.detail;
  }

  /**
   * Writes the member. With a reason to forward, hit is left out, because they exclude each other.
   *
   * @return the place of the words behind the name, up to the end of the line
   */
  public int write(HeadWriter out) {
    out.name(Field.CACHE_STATUS).raw(name, 0, name.length);
    int words = out.length() + "; ".length();
    if (forward != null) {
      forwarded(out);
    } else if (hit) {
      out.text("; hit");
    }
    if (timed) {
      out.text("; ttl=").number(ttl);
    }
    if (detail != null) {
      out.text("; detail=").text(detail);
    }
    out.line();
    reset();
    return words;
  }

  private void forwarded(HeadWriter out) {
    out.text("; fwd=").text(forward.token);
    if (status > 0) {
      out.text("; fwd-status=").number(status);
    }
    if (stored) {
      out.text("; stored");
    }
    if (collapsed != 0) {
      out.text(collapsed > 0 ? "; collapsed" : "; collapsed=?0");
    }
  }

  private void reset() {
    hit = false;
    forward = null;
    status = 0;
    timed = false;
    stored = false;
    collapsed = 0;
    detail = null;
  }
}
