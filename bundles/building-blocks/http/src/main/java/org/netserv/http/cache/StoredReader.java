// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import org.netserv.http.EntityTag;
import org.netserv.http.Field;
import org.netserv.http.FieldSection;
import org.netserv.http.HeadError;
import org.netserv.http.HeadLimits;
import org.netserv.http.HttpDate;
import org.netserv.http.ResponseHead;

/**
 * Makes a {@link StoredResponse} from its head, for a response that was just received, freshened,
 * or read back from a disk. Keeps no reference to its own state. One thread.
 */
public final class StoredReader {
  private final CacheSettings settings;
  private final ResponseHead view;
  private final Policy policy;

  /** Makes a reader of heads within limits. */
  public StoredReader(CacheSettings settings, HeadLimits limits) {
    this.settings = settings;
    this.view = new ResponseHead(limits);
    this.policy = new Policy(settings);
  }

  /**
   * Reads a head.
   *
   * @param head kept, never to be changed
   * @param key the secondary key, kept
   * @param length of the whole content, or -1
   * @param ageSeconds the value of Age with which the response came
   * @return null if the octets are not exactly one sound head
   */
  public StoredResponse read(
      byte[] head, byte[] key, long length, long ageSeconds, long requestTime, long responseTime) {
    if (view.reset(head, 0, head.length) != HeadError.OK || view.end() != head.length) {
      return null;
    }
    FieldSection fields = view.fields();
    long date = Freshness.date(fields, responseTime);
    long initial = Age.initial(ageSeconds, date, requestTime, responseTime);
    return new StoredResponse(
        head,
        key,
        view.status(),
        length,
        new StoredResponse.Times(date, ageSeconds, requestTime, responseTime, initial),
        rules(fields, date),
        validators(fields, date),
        false);
  }

  private StoredResponse.Rules rules(FieldSection fields, long date) {
    policy.reset(fields);
    CacheControl directives = policy.directives();
    Freshness.Source source = Freshness.source(policy, fields, view.status());
    return new StoredResponse.Rules(
        source,
        Freshness.lifetime(source, policy, fields, date, settings),
        directives.isNoCache(),
        directives.mustRevalidate(),
        directives.seconds(Directive.STALE_WHILE_REVALIDATE),
        directives.seconds(Directive.STALE_IF_ERROR));
  }

  private static StoredResponse.Validators validators(FieldSection fields, long date) {
    int tag = 0;
    int tagEnd = 0;
    int line = fields.first(Field.ETAG);
    if (line >= 0
        && EntityTag.isTag(fields.bytes(), fields.valueStart(line), fields.valueEnd(line))) {
      tag = fields.valueStart(line);
      tagEnd = fields.valueEnd(line);
    }
    long modified = HttpDate.read(fields, Field.LAST_MODIFIED, date / 1000);
    int lastModified = modified == HttpDate.NONE ? -1 : fields.first(Field.LAST_MODIFIED);
    return new StoredResponse.Validators(
        tag,
        tagEnd,
        lastModified < 0 ? 0 : fields.valueStart(lastModified),
        lastModified < 0 ? 0 : fields.valueEnd(lastModified),
        modified);
  }
}
