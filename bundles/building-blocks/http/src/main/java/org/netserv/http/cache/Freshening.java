// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import java.util.Arrays;
import java.util.List;
import org.netserv.http.EntityTag;
import org.netserv.http.Field;
import org.netserv.http.FieldSection;
import org.netserv.http.HeadError;
import org.netserv.http.HeadLimits;
import org.netserv.http.HeadWriter;
import org.netserv.http.HttpDate;
import org.netserv.http.ResponseHead;

/**
 * Updates stored responses from a 304, a 206 or the response to a HEAD (RFC 9111, 3.2, 4.3.4 and
 * 4.3.5). One thread.
 */
public final class Freshening {
  private final ResponseHead view;
  private final Policy policy;
  private final SecondaryKey matcher;
  private final HeadWriter merged; // before the fields go that a directive lists
  private final HeadWriter out;
  private final StoredReader reader;

  public Freshening(CacheSettings settings, HeadLimits limits) {
    this.view = new ResponseHead(limits);
    this.policy = new Policy(settings);
    this.matcher = new SecondaryKey(settings);
    this.merged = new HeadWriter(limits.bytes());
    this.out = new HeadWriter(limits.bytes());
    this.reader = new StoredReader(settings, limits);
  }

  /** The decision about a stored response after a HEAD. */
  public enum HeadResult {
    UPDATE,
    /** The response to the HEAD differs, so the stored response is to be invalidated. */
    INVALIDATE
  }

  /**
   * Tells which of the stored responses a 304 identifies for update (4.3.4). A 304 without any
   * validator, as some origins send it, can mean nothing but the single response that the request
   * named.
   *
   * @param validated index of the only response whose validators the request had, -1 for several
   * @param fields of the 304
   * @param responseTime when the 304 arrived
   * @return a bit for each index below 64; responses from there on are not updated
   */
  public long identify(
      List<StoredResponse> stored,
      int validated,
      FieldSection request,
      FieldSection fields,
      long responseTime) {
    int tag = fields.first(Field.ETAG);
    boolean tagged =
        tag >= 0 && EntityTag.isTag(fields.bytes(), fields.valueStart(tag), fields.valueEnd(tag));
    if (tagged) {
      boolean weak = EntityTag.isWeak(fields.bytes(), fields.valueStart(tag), fields.valueEnd(tag));
      long same = byTag(stored, request, fields, tag, weak);
      return weak ? latest(stored, same) : same;
    }
    long modified = HttpDate.read(fields, Field.LAST_MODIFIED, responseTime / 1000);
    if (modified != HttpDate.NONE) {
      boolean strong = Freshness.date(fields, responseTime) >= modified * 1000 + 1000;
      long same = byDate(stored, request, modified, strong);
      return strong && same != 0 ? same : latest(stored, byDate(stored, request, modified, false));
    }
    int only = validated < 0 && isSoleWithoutValidator(stored) ? 0 : validated;
    boolean matches = only >= 0 && only < 64 && matcher.matches(stored.get(only).key(), request);
    return matches ? 1L << only : 0;
  }

  private static boolean isSoleWithoutValidator(List<StoredResponse> stored) {
    return stored.size() == 1 && !stored.get(0).hasValidator();
  }

  private long byTag(
      List<StoredResponse> stored,
      FieldSection request,
      FieldSection fields,
      int tag,
      boolean weak) {
    int start = fields.valueStart(tag);
    int end = fields.valueEnd(tag);
    long found = 0;
    for (int i = 0; i < Math.min(64, stored.size()); i++) {
      StoredResponse response = stored.get(i);
      boolean same =
          weak
              ? response.sameTagWeakly(fields.bytes(), start, end)
              : response.sameTagStrongly(fields.bytes(), start, end);
      found |= same && matcher.matches(response.key(), request) ? 1L << i : 0;
    }
    return found;
  }

  private long byDate(
      List<StoredResponse> stored, FieldSection request, long modified, boolean strong) {
    long found = 0;
    for (int i = 0; i < Math.min(64, stored.size()); i++) {
      StoredResponse response = stored.get(i);
      boolean same = response.modified() == modified && (!strong || response.hasStrongModified());
      found |= same && matcher.matches(response.key(), request) ? 1L << i : 0;
    }
    return found;
  }

  private static long latest(List<StoredResponse> stored, long found) {
    int best = -1;
    for (int i = 0; i < Math.min(64, stored.size()); i++) {
      boolean candidate = (found & 1L << i) != 0;
      if (candidate && (best < 0 || stored.get(i).date() > stored.get(best).date())) {
        best = i;
      }
    }
    return best < 0 ? 0 : 1L << best;
  }

  /**
   * Updates a stored response with the fields of a newer one (3.2). The length of the content
   * stays.
   *
   * @return the updated response, no longer invalid, or null if its head does not fit the limits
   */
  public StoredResponse update(
      StoredResponse stored, FieldSection newer, long requestTime, long responseTime) {
    byte[] head = stored.head();
    if (view.reset(head, 0, head.length) != HeadError.OK) {
      return null;
    }
    merged.begin().status(stored.status());
    StoredHead.merge(merged, view.fields(), newer, responseTime);
    merged.end();
    if (!merged.fits() || view.reset(merged.bytes(), 0, merged.length()) != HeadError.OK) {
      return null;
    }
    policy.reset(view.fields());
    out.begin().status(stored.status());
    StoredHead.write(out, view.fields(), policy.directives(), false);
    out.end();
    return reader.read(
        Arrays.copyOf(out.bytes(), out.length()),
        stored.key(),
        stored.length(),
        Age.value(newer),
        requestTime,
        responseTime);
  }

  /** Decides about a stored response to GET after a 200 to HEAD (4.3.5). */
  public static HeadResult afterHead(StoredResponse stored, ResponseHead response) {
    FieldSection fields = response.fields();
    int tag = fields.first(Field.ETAG);
    boolean same =
        tag < 0
            || stored.sameTagStrongly(fields.bytes(), fields.valueStart(tag), fields.valueEnd(tag))
            || (!stored.hasStrongTag()
                && stored.sameTagWeakly(
                    fields.bytes(), fields.valueStart(tag), fields.valueEnd(tag)));
    if (fields.has(Field.LAST_MODIFIED)) {
      same &= HttpDate.read(fields, Field.LAST_MODIFIED, 0) == stored.modified();
    }
    if (response.contentLength() >= 0) {
      same &= response.contentLength() == stored.length();
    }
    return same ? HeadResult.UPDATE : HeadResult.INVALIDATE;
  }
}
