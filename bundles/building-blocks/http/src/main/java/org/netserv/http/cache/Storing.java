// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import java.util.Arrays;
import org.netserv.http.EntityTag;
import org.netserv.http.Field;
import org.netserv.http.FieldSection;
import org.netserv.http.HeadLimits;
import org.netserv.http.HeadWriter;
import org.netserv.http.HttpDate;
import org.netserv.http.HttpMethod;
import org.netserv.http.RequestHead;
import org.netserv.http.ResponseHead;

/**
 * Decides whether a response is stored (RFC 9111, 3), and makes the {@link StoredResponse}. One
 * thread.
 */
public final class Storing {
  private final Policy policy;
  private final CacheControl request = new CacheControl();
  private final ContentRange range = new ContentRange();
  private final SecondaryKey key;
  private final HeadWriter out;
  private final StoredReader reader;
  private final CacheSettings settings;

  public Storing(CacheSettings settings, HeadLimits limits) {
    this.settings = settings;
    this.policy = new Policy(settings);
    this.key = new SecondaryKey(settings);
    this.out = new HeadWriter(limits.bytes());
    this.reader = new StoredReader(settings, limits);
  }

  /** Decides by the first rule that forbids storing. */
  public StoreVerdict decide(RequestHead head, ResponseHead response, long responseTime) {
    return decide(head, response, responseTime, head.fields().has(Field.RANGE));
  }

  /**
   * Decides about the response to a request for a {@link Slice}.
   *
   * @param head of the client's request, with or without Range of its own
   */
  public StoreVerdict decideSlice(RequestHead head, ResponseHead response, long responseTime) {
    return decide(head, response, responseTime, true);
  }

  private StoreVerdict decide(
      RequestHead head, ResponseHead response, long responseTime, boolean ranged) {
    policy.reset(response.fields());
    request.reset(head.fields());
    StoreVerdict verdict = message(head, response);
    if (verdict.isStored()) {
      verdict = directives(head, response);
    }
    if (verdict.isStored()) {
      verdict = vary(head, response);
    }
    if (verdict.isStored() && isUseless(response, responseTime)) {
      return StoreVerdict.USELESS;
    }
    return verdict.isStored() && response.status() == 206 ? part(ranged, response) : verdict;
  }

  private static StoreVerdict message(RequestHead head, ResponseHead response) {
    if (head.method() != HttpMethod.GET) {
      return StoreVerdict.METHOD;
    }
    if (response.isInterim()) {
      return StoreVerdict.NOT_FINAL;
    }
    return switch (response.status()) {
      case 304 -> StoreVerdict.NOT_MODIFIED;
      case 412, 416 -> StoreVerdict.REQUESTED; // others ask without that Range
      default -> StoreVerdict.STORE;
    };
  }

  private StoreVerdict directives(RequestHead head, ResponseHead response) {
    CacheControl directives = policy.directives();
    boolean understood = StatusCodes.isUnderstood(response.status());
    boolean mustUnderstand = directives.has(Directive.MUST_UNDERSTAND);
    if (mustUnderstand && !understood) {
      return StoreVerdict.NOT_UNDERSTOOD;
    }
    if (directives.has(Directive.NO_STORE) && !mustUnderstand) {
      return StoreVerdict.NO_STORE;
    }
    if (request.has(Directive.NO_STORE)) {
      return StoreVerdict.REQUEST_NO_STORE;
    }
    if (directives.isPrivate()) {
      return StoreVerdict.PRIVATE;
    }
    if (head.fields().has(Field.AUTHORIZATION) && !allowsSharing(directives)) {
      return StoreVerdict.AUTHORIZATION;
    }
    return isAllowed(response) ? StoreVerdict.STORE : StoreVerdict.NOT_ALLOWED;
  }

  /** Tells whether a directive lets the answer to an authenticated request be shared (3.5). */
  private static boolean allowsSharing(CacheControl directives) {
    return directives.has(Directive.MUST_REVALIDATE)
        || directives.has(Directive.PUBLIC)
        || directives.has(Directive.S_MAXAGE);
  }

  private boolean isAllowed(ResponseHead response) {
    CacheControl directives = policy.directives();
    return directives.has(Directive.PUBLIC)
        || directives.has(Directive.MAX_AGE)
        || directives.has(Directive.S_MAXAGE)
        || (!policy.isTargeted() && response.fields().has(Field.EXPIRES))
        || StatusCodes.isHeuristic(response.status());
  }

  private StoreVerdict vary(RequestHead head, ResponseHead response) {
    return switch (key.compute(response.fields(), head.fields())) {
      case OK -> StoreVerdict.STORE;
      case STAR -> StoreVerdict.VARY_STAR;
      case SYNTAX -> StoreVerdict.VARY_SYNTAX;
      case LIMIT -> StoreVerdict.VARY_LIMIT;
    };
  }

  private boolean isUseless(ResponseHead response, long responseTime) {
    FieldSection fields = response.fields();
    CacheControl directives = policy.directives();
    long date = Freshness.date(fields, responseTime);
    Freshness.Source source = Freshness.source(policy, fields, response.status());
    boolean lives =
        !directives.isNoCache() && Freshness.lifetime(source, policy, fields, date, settings) > 0;
    boolean stale =
        !directives.isNoCache()
            && (directives.seconds(Directive.STALE_WHILE_REVALIDATE) > 0
                || directives.seconds(Directive.STALE_IF_ERROR) > 0);
    boolean validator =
        isTag(fields) || HttpDate.read(fields, Field.LAST_MODIFIED, date / 1000) != HttpDate.NONE;
    return !lives && !stale && !validator;
  }

  private static boolean isTag(FieldSection fields) {
    int line = fields.first(Field.ETAG);
    return line >= 0
        && EntityTag.isTag(fields.bytes(), fields.valueStart(line), fields.valueEnd(line));
  }

  private StoreVerdict part(boolean ranged, ResponseHead response) {
    if (!ranged) {
      return StoreVerdict.PART_UNREQUESTED;
    }
    if (!range.reset(response.fields())) {
      return StoreVerdict.PART_RANGE;
    }
    long length = range.last() - range.first() + 1;
    boolean lies = response.contentLength() >= 0 && response.contentLength() != length;
    return lies ? StoreVerdict.PART_LENGTH : StoreVerdict.STORE_PART;
  }

  /**
   * Makes the stored response, right behind a {@link #decide} that said so, for the same heads.
   *
   * @return null if the stored head does not fit the limits
   */
  public StoredResponse store(ResponseHead response, long requestTime, long responseTime) {
    boolean part = response.status() == 206;
    out.begin().status(part ? 200 : response.status());
    StoredHead.write(out, response.fields(), policy.directives(), part);
    StoredHead.date(out, response.fields(), responseTime);
    out.end();
    if (!out.fits()) {
      return null;
    }
    long length = part ? range.complete() : response.contentLength();
    return reader.read(
        Arrays.copyOf(out.bytes(), out.length()),
        key.copy(),
        length,
        Age.value(response.fields()),
        requestTime,
        responseTime);
  }
}
