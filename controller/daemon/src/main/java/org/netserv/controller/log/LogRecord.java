// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.log;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;
import java.util.Optional;
import org.netserv.process.ForeignText;

/**
 * One record of the log, a JSON object ({@code kind} names the type). A record holds the facts that
 * the fold needs beside the message itself, so that an old log stays readable when the parser
 * learns new headers. Times are milliseconds since 1970 by the node's wall clock when the record
 * was written.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
@JsonSubTypes({
  @JsonSubTypes.Type(value = LogRecord.Setup.class, name = "setup"),
  @JsonSubTypes.Type(value = LogRecord.Fetch.class, name = "fetch"),
  @JsonSubTypes.Type(value = LogRecord.Fetched.class, name = "fetched"),
  @JsonSubTypes.Type(value = LogRecord.Dropped.class, name = "dropped"),
  @JsonSubTypes.Type(value = LogRecord.Remove.class, name = "remove"),
  @JsonSubTypes.Type(value = LogRecord.Revoked.class, name = "revoked"),
  @JsonSubTypes.Type(value = LogRecord.Running.class, name = "running"),
  @JsonSubTypes.Type(value = LogRecord.Failed.class, name = "failed"),
  @JsonSubTypes.Type(value = LogRecord.Lapsed.class, name = "lapsed"),
  @JsonSubTypes.Type(value = LogRecord.Ended.class, name = "ended"),
  @JsonSubTypes.Type(value = LogRecord.Quarantined.class, name = "quarantined"),
  @JsonSubTypes.Type(value = LogRecord.Released.class, name = "released"),
  @JsonSubTypes.Type(value = LogRecord.SeqReset.class, name = "seq-reset"),
  @JsonSubTypes.Type(value = LogRecord.Answered.class, name = "answered"),
  @JsonSubTypes.Type(value = LogRecord.Enrolled.class, name = "enrolled"),
  @JsonSubTypes.Type(value = LogRecord.Image.class, name = "image"),
})
public sealed interface LogRecord {

  /** Returns the node's wall clock when the record was written. */
  long time();

  /**
   * A SETUP was accepted. Its claim ends at {@code deadline}.
   *
   * @param session the signaling session that claims the module
   * @param sha256 hex digest of the bundle, or null in a legacy message
   * @param idleMillis 0 = no idle limit
   * @param fresh null in a legacy message
   * @param tlv the whole message, binary form in base64
   * @param delegate that has signed it; null = the publisher itself
   */
  record Setup(
      long time,
      String user,
      String module,
      String version,
      String session,
      String sha256,
      long deadline,
      long ttlMillis,
      long idleMillis,
      Freshness fresh,
      String tlv,
      Delegate delegate)
      implements LogRecord {}

  /**
   * A SETUP was accepted that has its bundle fetched and kept. Its claim on the bundle ends at
   * {@code deadline}. Another bundle of the module is given up for this one.
   *
   * @param session the signaling session that claims the bundle
   * @param tlv the whole message, binary form in base64
   */
  record Fetch(
      long time,
      String user,
      String module,
      String version,
      String session,
      String sha256,
      long deadline,
      long ttlMillis,
      Freshness fresh,
      String tlv)
      implements LogRecord {}

  /**
   * The bundle that a {@link Fetch} asked for is verified and stored.
   *
   * @param bytes its length
   * @param trust digest of the trust by which it was verified
   * @param goodUntil wall clock at which the first certificate behind its signature expires
   */
  record Fetched(
      long time,
      String user,
      String module,
      String sha256,
      long bytes,
      String trust,
      long goodUntil)
      implements LogRecord {}

  /**
   * A claim on a fetched bundle has ended. The bundle goes with its last claim.
   *
   * @param session null for all claims
   * @param fresh of the message that ended it; null if no message did, or another record has it
   */
  record Dropped(
      long time, String user, String module, String session, Freshness fresh, String reason)
      implements LogRecord {
    public Dropped {
      reason = ForeignText.bounded(reason);
    }
  }

  /**
   * A REMOVE was accepted. {@code module} may be {@code *}, which stands for all modules of the
   * user and all its fetched bundles, whichever session claims them.
   *
   * @param delegate that has signed it; null = the publisher itself
   */
  record Remove(
      long time,
      String user,
      String module,
      String session,
      Freshness fresh,
      String tlv,
      Delegate delegate)
      implements LogRecord {}

  /**
   * A publisher has revoked delegations. The claims made by them are dropped, and modules that have
   * no other claim.
   *
   * @param items serial numbers, and ids of delegates behind {@code key:}
   * @param until wall clock until which the items have to be remembered
   */
  record Revoked(long time, String user, List<String> items, long until, Freshness fresh)
      implements LogRecord {}

  /** The module runs in its present version. The version before it is forgotten. */
  record Running(long time, String user, String module, String sha256) implements LogRecord {}

  /**
   * The present version never ran. The version before it is the module again. Without one the
   * module is gone.
   */
  record Failed(long time, String user, String module, String reason) implements LogRecord {
    public Failed {
      reason = ForeignText.bounded(reason);
    }
  }

  /** The claim of one session ran out. The module goes with its last claim. */
  record Lapsed(long time, String user, String module, String session) implements LogRecord {}

  /** The module is gone, with all its claims. */
  record Ended(long time, String user, String module, String reason) implements LogRecord {
    public Ended {
      reason = ForeignText.bounded(reason);
    }
  }

  /** This version of the module threw too often and is shown no packets any more. */
  record Quarantined(long time, String user, String module, String version, String reason)
      implements LogRecord {}

  /** The operator wants a quarantined module to run again. */
  record Released(long time, String user, String module) implements LogRecord {}

  /**
   * The operator has made the node forget the sequence numbers of a publisher.
   *
   * @param module null for all its modules
   */
  record SeqReset(long time, String user, String module) implements LogRecord {}

  /** The answer that a repetition of an accepted message gets from now on. */
  record Answered(long time, String user, String nonce, Answer answer) implements LogRecord {}

  /** A publisher's container index is given once and kept, even when the publisher goes. */
  record Enrolled(long time, String user, int index) implements LogRecord {}

  /** A whole state, written by compaction in place of all records before it. */
  record Image(long time, StateImage state) implements LogRecord {}

  /**
   * The values that make a message fresh.
   *
   * @param seq must grow for each (user, module)
   * @param nonce printable, unique within the window
   * @param until wall clock until which the nonce has to be remembered: the date plus twice the
   *     window
   * @param bytes hex SHA-256 of the signed bytes: tells a repetition from another message with the
   *     same nonce
   */
  record Freshness(long seq, String nonce, long until, String bytes) {}

  /**
   * An NCM status with its explanation. The explanation may quote a container, a job or a server,
   * so it is bounded here, before it reaches the log, memory or a sender.
   *
   * @param header the header to blame, or null
   * @param reason kept to {@link ForeignText#MAX} printable characters
   */
  record Answer(int status, String header, String reason) {
    public Answer {
      reason = ForeignText.bounded(reason);
    }

    public Optional<String> about() {
      return Optional.ofNullable(header);
    }
  }
}
