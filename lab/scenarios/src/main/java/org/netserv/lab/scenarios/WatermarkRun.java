// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;

/**
 * The weather in the corner of a publisher's videos, laid there by ffmpeg beside the publisher's
 * container. The video must play, differ from the original where the text is, and nowhere else.
 * Whatever fails, the user must get the original: the weather service, ffmpeg that is killed, that
 * has too little memory, or that policy does not grant.
 */
public final class WatermarkRun implements Scenario {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String EDGE = "http://10.1.0.1";
  private static final String OTHER = EDGE + ":81";
  private static final String SMALL = EDGE + ":82";
  private static final String REFUSED = "omitted; reason=";
  private static final int CLIENTS = 10;

  /** The header of a response that tells whether the text is there. */
  private static final String HEADER =
      " | grep -i ^watermark: | cut -d \" \" -f 2- | tr -d \"\\r\"";

  private final ResultTable table = new ResultTable("asked", "expected", "answer", "");
  private final Map<String, Bundle> bundles = new HashMap<>();
  private Stage stage;
  private Testbed testbed;
  private WatermarkOrigin origin;
  private boolean holds = true;

  @Override
  public String topology() {
    return "watermark";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    testbed = stage.testbed();
    stage.step("ffmpeg makes the videos, nginx serves them and the weather");
    origin = WatermarkOrigin.start(testbed);
    Wait.until(
        "nginx",
        PATIENCE,
        () ->
            user("curl -fsS -o /dev/null -w %{response_code} " + origin.url("/clip.mp4"))
                .equals("200"));
    stage.step("SETUP of three publishers");
    for (String publisher : new String[] {Stage.PUBLISHER, "other", "small"}) {
      setUp(publisher);
    }
    stage.step("a video with the weather");
    applied();
    stage.step(CLIENTS + " clients of one cold video");
    crowd();
    stage.step("the process: its rights, and its end by kill -9");
    killed();
    stage.step("too little memory, and no grant");
    outOfMemory();
    refused();
    stage.step("the weather service ends");
    origin.endWeather();
    original("without weather", EDGE + "/four.mp4", REFUSED + "weather");
    stage.step("REMOVE while ffmpeg runs");
    removed();
    stage.show(table);
    return holds;
  }

  private void setUp(String publisher) throws IOException {
    Path app = LabHome.dist().resolve("apps/watermark.jar");
    bundles.put(
        publisher,
        stage.deployServer(
            "node",
            publisher,
            app,
            Map.of(
                "origin",
                origin.url("/"),
                "weather",
                "http://192.0.2.10:8081/",
                "latitude",
                "40.8075",
                "longitude",
                "-73.9626",
                "scale",
                "2")));
  }

  private void applied() throws IOException {
    expect(
        "the header", "applied", user("curl -fsS -D - -o clip.mp4 " + EDGE + "/clip.mp4" + HEADER));
    expect(
        "its streams",
        "h264 aac ",
        user(
            "ffprobe -v error -show_entries stream=codec_name -of csv=p=0 clip.mp4 | tr \"\\n\" \" \""));
    expect(
        "its frames",
        "60",
        user(
            "ffprobe -v error -count_frames -select_streams v -show_entries stream=nb_read_frames"
                + " -of csv=p=0 clip.mp4"));
    user("curl -fsS -o original.mp4 " + origin.url("/clip.mp4"));
    expect("where the text is", "differs", likeness("crop=180:30:16:16"));
    expect("elsewhere", "alike", likeness("crop=iw:ih/2:0:ih/2"));
    expect(
        "asked again",
        "applied",
        user("curl -fsS -D - -o /dev/null " + EDGE + "/clip.mp4" + HEADER));
    expect("processes until now", "1", started(Stage.PUBLISHER));
  }

  /** Compares a part of the two videos' pictures. More than 25 dB is a picture encoded anew. */
  private String likeness(String part) throws IOException {
    String graph = "[0:v]" + part + "[a];[1:v]" + part + "[b];[a][b]psnr";
    return user(
        "ffmpeg -nostdin -i clip.mp4 -i original.mp4 -lavfi \""
            + graph
            + "\" -f null - 2>&1 | sed -n \"s/.*average:\\([0-9]*\\).*/\\1/p\""
            + " | awk \"{ print (\\$1 > 25 ? \\\"alike\\\" : \\\"differs\\\") }\"");
  }

  private void crowd() throws IOException {
    String one = "(curl -fsS " + EDGE + "/two.mp4 | sha256sum)";
    expect(
        "different contents",
        CLIENTS + " 1",
        user(
            "for i in $(seq "
                + CLIENTS
                + "); do "
                + one
                + " & done | sort | uniq -c | awk \"{ all += \\$1; kinds++ } END { print all, kinds }\""));
    expect("processes until now", "2", started(Stage.PUBLISHER));
  }

  private void killed() throws IOException {
    long host = pid(Stage.PUBLISHER);
    WatermarkProcess process = ask("/long.mp4", host);
    expect("its cgroup", "the container's", process.cgroup(host));
    expect("its uid", "the container's", process.uid(host));
    expect("its rights", "none", process.rights());
    expect("its interfaces", "lo", process.interfaces());
    process.kill();
    original("its video", EDGE + "/long.mp4", REFUSED + "killed");
    expect("the container", "goes on", pid(Stage.PUBLISHER) == host ? "goes on" : "has ended");
  }

  /** Asks for a video in the background, and returns the process that makes it. */
  private WatermarkProcess ask(String path, long host) throws IOException {
    testbed.spawn(
        "user", stage.unique("curl"), List.of("curl", "-sS", "-o", "/dev/null", EDGE + path));
    return WatermarkProcess.await(host, PATIENCE);
  }

  private void outOfMemory() throws IOException {
    long host = pid("small");
    original("out of memory", SMALL + "/large.mp4", REFUSED + "killed");
    expect("the container", "goes on", pid("small") == host ? "goes on" : "has ended");
  }

  private void refused() throws IOException {
    original("without the grant", OTHER + "/clip.mp4", REFUSED + "not-granted");
    expect("processes", "0", started("other"));
    expect("refused", "1", counter("other", "process-refused"));
  }

  private void removed() throws IOException {
    origin.startWeather();
    WatermarkProcess process = ask("/last.mp4", pid(Stage.PUBLISHER));
    stage.remove(Stage.PUBLISHER, bundles.get(Stage.PUBLISHER));
    Wait.until("the process to end", PATIENCE, () -> !process.runs());
    table.row("the process", "gone", "gone", "ok");
  }

  /** Checks that a user gets the bytes of the origin, and the reason. */
  private void original(String what, String url, String reason) throws IOException {
    expect(what, reason, user("curl -fsS -D - -o got.mp4 " + url + HEADER));
    String path = url.substring(url.lastIndexOf('/'));
    expect(
        "  its content",
        user("curl -fsS " + origin.url(path) + " | sha256sum | cut -c 1-16"),
        user("sha256sum got.mp4 | cut -c 1-16"));
  }

  private String started(String publisher) throws IOException {
    return counter(publisher, "process-started");
  }

  private String counter(String publisher, String name) throws IOException {
    try (NodeClient client = testbed.client("node")) {
      return Long.toString(Stage.counter(client.counters(publisher), name));
    }
  }

  private long pid(String publisher) throws IOException {
    try (NodeClient client = testbed.client("node")) {
      for (var container : client.status().path("containers")) {
        if (container.path("publisher").asText().equals(publisher)) {
          return container.path("pid").asLong();
        }
      }
    }
    return 0;
  }

  private String user(String command) throws IOException {
    String in = "cd " + testbed.state() + " && ";
    return testbed.run("user", "timeout", "30", "bash", "-c", in + command + " || true").strip();
  }

  private void expect(String asked, String expected, String answer) {
    boolean right = answer.equals(expected.strip());
    holds &= right;
    table.row(asked, expected, answer, right ? "ok" : "WRONG");
  }
}
