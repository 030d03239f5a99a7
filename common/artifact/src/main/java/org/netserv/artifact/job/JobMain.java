// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.job;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.function.Function;
import org.netserv.artifact.fetch.FetchRules;
import org.netserv.artifact.fetch.GuardedFetcher;

/**
 * {@code JobMain <directory>}: reads request.json, does it, writes result.json. The exit code is
 * for the log; the result is in the file, and there is one however the job ends, short of being
 * killed.
 */
public final class JobMain {
  /** Done. */
  public static final int OK = 0;

  /** Refused, or the other side failed: the result says which. */
  public static final int REFUSED = 1;

  /** The request does not read, or something here failed. */
  public static final int INTERNAL = 2;

  private final Clock clock;
  private final Function<FetchRules, GuardedFetcher> fetchers;

  JobMain(Clock clock, Function<FetchRules, GuardedFetcher> fetchers) {
    this.clock = clock;
    this.fetchers = fetchers;
  }

  public static void main(String[] args) {
    if (args.length != 1) {
      System.err.println("usage: JobMain <directory>");
      System.exit(INTERNAL);
    }
    System.exit(new JobMain(Clock.systemUTC(), GuardedFetcher::new).run(Path.of(args[0])));
  }

  int run(Path directory) {
    JobResult result;
    try {
      result = new Job(clock, fetchers).run(JobRequest.read(directory), directory);
    } catch (IOException e) {
      result = JobResults.request(e);
    } catch (RuntimeException | Error e) {
      // The last line of defence: a bug of ours, or no memory, is a result, too.
      result = JobResults.internal(e);
    }
    try {
      result.write(directory);
    } catch (IOException e) {
      System.err.println("no result written: " + e.getMessage());
      return INTERNAL;
    }
    return result.ok() ? OK : result.status() == JobResults.INTERNAL_ERROR ? INTERNAL : REFUSED;
  }
}
