// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.job;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.function.Function;
import org.netserv.artifact.fetch.FetchRules;
import org.netserv.artifact.fetch.GuardedFetcher;

/**
 * {@code JobMain <directory> [spare]}: reads request.json, does it, writes result.json. With {@code
 * spare} it first warms up and waits ({@link SpareJob}). The exit code is for the log; the result
 * is in the file, and there is one however the job ends, short of being killed.
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

  public static void main(String[] args) throws IOException {
    boolean spare = args.length == 2 && args[1].equals(SpareJob.WORD);
    if (args.length != 1 && !spare) {
      System.err.println("usage: JobMain <directory> [spare]");
      System.exit(INTERNAL);
    }
    Path directory = Path.of(args[0]);
    if (spare && !await(directory)) {
      System.exit(OK);
    }
    int exit = new JobMain(Clock.systemUTC(), GuardedFetcher::new).run(directory);
    // The result is whole, and nobody else waits for anything: no time for an orderly end.
    Runtime.getRuntime().halt(exit);
  }

  private static boolean await(Path directory) throws IOException {
    SpareJob job =
        new SpareJob(
            directory, System.in, why -> System.err.println("the spare job stays cold: " + why));
    return job.await();
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
