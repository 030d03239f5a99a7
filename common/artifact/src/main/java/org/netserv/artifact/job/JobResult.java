// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.job;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The outcome of a job: {@code result.json}.
 *
 * @param status 200, or the NCM status of the refusal
 * @param reason {@code ok}; a name of {@link org.netserv.artifact.refusal.VerifyException.Reason}
 *     or {@link org.netserv.artifact.fetch.FetchException.Reason} in lower case with dashes, after
 *     {@code bundle-} or {@code fetch-}; {@code fault}, {@code request} or {@code internal}
 * @param text for people; printable, without any byte of the server's answer
 * @param bundle fetch: the verified bundle; the file is {@link #BUNDLE}
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record JobResult(int status, String reason, String text, Bundle bundle) {

  /** The file's name in the job's directory. */
  public static final String FILE = "result.json";

  /** The verified bundle's name in the job's directory. */
  public static final String BUNDLE = "bundle.jar";

  /**
   * A verified bundle.
   *
   * @param sha256 lower-case hex
   * @param signer the signer's distinguished name, for display
   * @param signerKey hex SHA-256 of the signer's public key info
   * @param serial of the signer's certificate, lower-case hex
   * @param goodUntil end of the first certificate of the chain to expire, milliseconds since 1970
   */
  public record Bundle(
      String sha256,
      long size,
      String symbolicName,
      String version,
      String signer,
      String signerKey,
      String serial,
      long goodUntil,
      List<String> imports,
      List<String> requiredBundles,
      List<String> requires,
      List<String> warnings) {}

  /** Reads the result that a job has left. */
  public static JobResult read(Path directory) throws IOException {
    return JobFiles.JSON.readValue(JobFiles.read(directory.resolve(FILE)), JobResult.class);
  }

  public boolean ok() {
    return status == 200;
  }

  void write(Path directory) throws IOException {
    JobFiles.write(directory.resolve(FILE), JobFiles.JSON.writeValueAsBytes(this));
  }
}
