// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.job;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.netserv.artifact.refusal.VerifyLimits;

/**
 * The order for a job: {@code request.json}.
 *
 * @param kind {@link #FETCH} or {@link #NOTIFY}
 * @param digest fetch: SHA-256 of the bundle in lower-case hex; null = any (a message of the
 *     paper's form)
 * @param anchors fetch: trust anchors as PEM
 * @param revoked fetch: see {@link org.netserv.artifact.VerifyRules#revoked()}
 * @param symbolicName fetch: the bundle's name
 * @param version fetch: the bundle's version, null = any
 * @param javaRelease fetch: Java release of the node's containers, 0 = of this process
 * @param limits fetch: null = {@link VerifyLimits#DEFAULT}; its file size is that of the rules
 * @param method notify: the XML-RPC method's name
 * @param params notify: members of the one struct the method is called with
 * @param rules permitted targets and time limits of the request
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record JobRequest(
    String kind,
    String url,
    JobRules rules,
    String digest,
    List<String> anchors,
    Set<String> revoked,
    String symbolicName,
    String version,
    int javaRelease,
    VerifyLimits limits,
    String method,
    Map<String, String> params) {

  public static final String FETCH = "fetch";
  public static final String NOTIFY = "notify";

  /** The file's name in the job's directory. */
  public static final String FILE = "request.json";

  public static JobRequest fetch(
      String url,
      JobRules rules,
      String digest,
      List<String> anchors,
      Set<String> revoked,
      String symbolicName,
      String version,
      int javaRelease) {
    return new JobRequest(
        FETCH,
        url,
        rules,
        digest,
        anchors,
        revoked,
        symbolicName,
        version,
        javaRelease,
        null,
        null,
        null);
  }

  public static JobRequest notify(
      String url, JobRules rules, String method, Map<String, String> params) {
    return new JobRequest(
        NOTIFY, url, rules, null, null, null, null, null, 0, null, method, params);
  }

  /** Puts the request into a job's directory. */
  public void write(Path directory) throws IOException {
    JobFiles.write(directory.resolve(FILE), JobFiles.JSON.writeValueAsBytes(this));
  }

  static JobRequest read(Path directory) throws IOException {
    return JobFiles.JSON.readValue(JobFiles.read(directory.resolve(FILE)), JobRequest.class);
  }
}
