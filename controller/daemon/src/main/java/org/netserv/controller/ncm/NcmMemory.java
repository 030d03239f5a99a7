// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.netserv.controller.log.DesiredModule;
import org.netserv.controller.log.LogException;
import org.netserv.controller.log.LogRecord;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.controller.log.ModuleKey;
import org.netserv.controller.log.NcmLog;
import org.netserv.controller.log.StateImage;
import org.netserv.controller.loop.Loop;
import org.netserv.ncm.Delegation;
import org.netserv.ncm.Header;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmBinary;
import org.netserv.ncm.NcmException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node's memory of messages. Each accepted message is in the log before anything is done about
 * it, and its answer is logged later. Lives on the loop.
 */
final class NcmMemory {
  private static final Logger LOG = LoggerFactory.getLogger(NcmMemory.class);

  private final Loop loop;
  private final NcmLog log;
  private final Publishers publishers;

  NcmMemory(Loop loop, NcmLog log, Publishers publishers) {
    this.loop = loop;
    this.log = log;
    this.publishers = publishers;
  }

  /**
   * Remembers an accepted SETUP, and with the first SETUP of a publisher its index.
   *
   * @param bytes SHA-256 of the signed bytes
   * @throws NcmException 507, and nothing is remembered
   */
  void setup(Ncm ncm, Publisher publisher, String bytes) throws NcmException {
    long now = loop.wall();
    long ttl = ncm.ttl().orElse(0) * 1000L;
    LogRecord setup =
        new LogRecord.Setup(
            now,
            ncm.get(Header.USER),
            ncm.name(),
            ncm.version(),
            NcmAdmission.session(ncm),
            ncm.digest().orElse(null),
            now + ttl,
            ttl,
            ncm.idleTtl().orElse(0) * 1000L,
            freshness(ncm, bytes),
            tlv(ncm),
            Delegates.of(ncm));
    accept(
        log.snapshot().index(publisher.name()).isPresent()
            ? List.of(setup)
            : List.of(new LogRecord.Enrolled(now, publisher.name(), publisher.index()), setup));
  }

  /**
   * Remembers an accepted SETUP that has its bundle fetched only. It gives the publisher no index,
   * because it needs no container.
   *
   * @param bytes SHA-256 of the signed bytes
   * @throws NcmException 507, and nothing is remembered
   */
  void fetch(Ncm ncm, String bytes) throws NcmException {
    long now = loop.wall();
    long ttl = ncm.ttl().orElse(0) * 1000L;
    accept(
        List.of(
            new LogRecord.Fetch(
                now,
                ncm.get(Header.USER),
                ncm.name(),
                ncm.version(),
                NcmAdmission.session(ncm),
                ncm.get(Header.DIGEST),
                now + ttl,
                ttl,
                freshness(ncm, bytes),
                tlv(ncm))));
  }

  /**
   * Remembers an accepted SETUP of a delegate for a version that is here. It claims the module and
   * leaves the settings of the version as they are.
   *
   * @param bytes SHA-256 of the signed bytes
   * @throws NcmException 507, and nothing is remembered
   */
  void claim(Ncm ncm, StateImage.Version version, String bytes) throws NcmException {
    long now = loop.wall();
    long ttl = ncm.ttl().orElse(0) * 1000L;
    accept(
        List.of(
            new LogRecord.Setup(
                now,
                ncm.get(Header.USER),
                ncm.name(),
                version.version(),
                NcmAdmission.session(ncm),
                version.sha256(),
                now + ttl,
                ttl,
                version.idleMillis(),
                freshness(ncm, bytes),
                version.tlv(),
                Delegates.of(ncm))));
  }

  /**
   * Remembers accepted revocations for as long as a delegation can live.
   *
   * @param bytes SHA-256 of the signed bytes
   * @throws NcmException 507, and nothing is remembered
   */
  void revoke(Ncm ncm, String bytes) throws NcmException {
    long until = loop.wall() + Delegation.MAX_LIFETIME * 1000L + 2 * publishers.window();
    accept(
        List.of(
            new LogRecord.Revoked(
                loop.wall(), ncm.get(Header.USER), ncm.revoked(), until, freshness(ncm, bytes))));
  }

  /**
   * Remembers an accepted REMOVE. It drops the session's claim on the module and on the fetched
   * bundle of that name. A REMOVE with a version drops the claims on that version alone.
   *
   * @param bytes SHA-256 of the signed bytes
   * @throws NcmException 507, and nothing is remembered
   */
  void remove(Ncm ncm, String bytes) throws NcmException {
    long now = loop.wall();
    String session = NcmAdmission.session(ncm);
    LogRecord.Freshness fresh = freshness(ncm, bytes);
    List<LogRecord> records = new ArrayList<>();
    boolean ofBundle = NcmAdmission.claimed(ncm, log.snapshot()).isPresent();
    boolean ofModule =
        !ofBundle
            || log.snapshot()
                .module(NcmAdmission.key(ncm))
                .filter(m -> NcmAdmission.means(ncm, m.current().version()))
                .isPresent();
    if (ofModule) {
      records.add(
          new LogRecord.Remove(
              now, ncm.get(Header.USER), ncm.name(), session, fresh, tlv(ncm), Delegates.of(ncm)));
    }
    if (ofBundle) {
      records.add(
          new LogRecord.Dropped(
              now,
              ncm.get(Header.USER),
              ncm.name(),
              session,
              ofModule ? null : fresh,
              "removed by its publisher"));
    }
    accept(records);
  }

  private void accept(List<LogRecord> records) throws NcmException {
    try {
      log.append(records);
    } catch (LogException e) {
      LOG.error("{}", e.getMessage());
      throw NcmAdmission.refusal(507, null, "this node cannot write its log; nothing was done");
    }
  }

  /** Remembers the answer that a repetition of this message gets from now on. */
  void answered(Ncm ncm, Answer answer) {
    if (ncm.has(Header.NONCE)) {
      append(
          List.of(
              new LogRecord.Answered(
                  loop.wall(), ncm.get(Header.USER), ncm.get(Header.NONCE), answer)));
    }
  }

  /**
   * Returns the records that would take a refresh back: the version's settings and this session's
   * claim as they are now.
   */
  List<LogRecord> asItIs(DesiredModule module, Ncm ncm) {
    String session = NcmAdmission.session(ncm);
    ModuleKey key = module.key();
    StateImage.Version version = module.current();
    Optional<StateImage.Claim> claim = module.claim(session);
    LogRecord.Setup setup =
        new LogRecord.Setup(
            loop.wall(),
            key.user(),
            key.module(),
            version.version(),
            session,
            version.sha256(),
            claim.map(StateImage.Claim::deadline).orElse(0L),
            claim.map(StateImage.Claim::ttlMillis).orElse(0L),
            version.idleMillis(),
            null,
            version.tlv(),
            claim.map(StateImage.Claim::delegate).orElse(null));
    return claim.isPresent()
        ? List.of(setup)
        : List.of(setup, new LogRecord.Lapsed(loop.wall(), key.user(), key.module(), session));
  }

  /** Appends records that nobody waits for. A failure is logged. */
  void append(List<LogRecord> records) {
    try {
      log.append(records);
    } catch (LogException e) {
      LOG.error("{}", e.getMessage());
    }
  }

  private LogRecord.Freshness freshness(Ncm ncm, String bytes) {
    long window = publishers.window();
    return ncm.seq().isEmpty() || !ncm.has(Header.NONCE) || ncm.date().isEmpty()
        ? null
        : new LogRecord.Freshness(
            ncm.seq().getAsLong(),
            ncm.get(Header.NONCE),
            ncm.date().get().toEpochMilli() + 2 * window,
            bytes);
  }

  private static String tlv(Ncm ncm) {
    return Base64.getEncoder().encodeToString(NcmBinary.encode(ncm));
  }
}
