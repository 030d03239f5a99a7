// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.netserv.lab.testbed.Testbed;

/**
 * A publisher's web server, and a weather service with recorded answers of api.weather.gov. Both
 * are nginx. The videos are made by ffmpeg.
 */
final class WatermarkOrigin {
  private static final String ADDRESS = "192.0.2.10";
  private static final int VIDEOS = 8080;
  private static final int WEATHER = 8081;

  private static final String POINT =
      """
      {"id": "https://api.weather.gov/points/40.8075,-73.9626", "type": "Feature",
       "geometry": {"type": "Point", "coordinates": [-73.9626, 40.8075]},
       "properties": {"gridId": "OKX", "gridX": 34, "gridY": 38,
        "forecast": "http://192.0.2.10:8081/gridpoints/OKX/34,38/forecast",
        "forecastHourly": "http://192.0.2.10:8081/gridpoints/OKX/34,38/forecast/hourly"}}
      """;
  private static final String FORECAST =
      """
      {"type": "Feature", "properties": {"units": "us", "periods": [
        {"number": 1, "name": "Today", "isDaytime": true, "temperature": 72,
         "temperatureUnit": "F", "temperatureTrend": null,
         "probabilityOfPrecipitation": {"unitCode": "wmoUnit:percent", "value": 5},
         "windSpeed": "5 mph", "shortForecast": "Partly Sunny"},
        {"number": 2, "name": "Tonight", "isDaytime": false, "temperature": 58,
         "temperatureUnit": "F", "shortForecast": "Clear"}]}}
      """;

  private final Testbed testbed;
  private final Path files;
  private Process weather;

  private WatermarkOrigin(Testbed testbed) {
    this.testbed = testbed;
    this.files = testbed.state().resolve("origin");
  }

  static WatermarkOrigin start(Testbed testbed) throws IOException {
    WatermarkOrigin origin = new WatermarkOrigin(testbed);
    origin.makeVideos();
    origin.recordWeather();
    origin.nginx("videos", VIDEOS);
    origin.startWeather();
    return origin;
  }

  String url(String path) {
    return "http://" + ADDRESS + ":" + VIDEOS + path;
  }

  private void makeVideos() throws IOException {
    Path videos = Files.createDirectories(files.resolve("videos"));
    make(videos.resolve("clip.mp4"), "320x180", 10, 6);
    make(videos.resolve("long.mp4"), "640x360", 30, 10);
    make(videos.resolve("large.mp4"), "1920x1080", 10, 2);
    for (String name : new String[] {"two", "four"}) {
      Files.copy(videos.resolve("clip.mp4"), videos.resolve(name + ".mp4"));
    }
    Files.copy(videos.resolve("long.mp4"), videos.resolve("last.mp4"));
  }

  /** Makes a test picture with a tone. Its index comes first, as in a file for the web. */
  private void make(Path file, String size, int rate, int seconds) throws IOException {
    String picture = "testsrc2=size=" + size + ":rate=" + rate + ":duration=" + seconds;
    String command =
        "ffmpeg -nostdin -loglevel error -f lavfi -i "
            + picture
            + " -f lavfi -i sine=duration="
            + seconds
            + " -c:v libx264 -preset ultrafast -pix_fmt yuv420p -c:a aac -movflags +faststart "
            + file;
    testbed.run("server", command.split(" "));
  }

  private void recordWeather() throws IOException {
    Path root = files.resolve("weather");
    Path grid = Files.createDirectories(root.resolve("gridpoints/OKX/34,38"));
    Path points = Files.createDirectories(root.resolve("points"));
    Files.writeString(points.resolve("40.8075,-73.9626"), POINT);
    Files.writeString(grid.resolve("forecast"), FORECAST);
  }

  void startWeather() throws IOException {
    weather = nginx("weather", WEATHER);
  }

  void endWeather() {
    weather.descendants().forEach(ProcessHandle::destroy);
    weather.destroy();
    weather.onExit().join();
  }

  private Process nginx(String name, int port) throws IOException {
    Path directory = Files.createDirectories(files.resolve("nginx-" + name));
    Path file = directory.resolve("nginx.conf");
    Files.writeString(
        file,
        """
        daemon off;
        master_process off;
        user root;
        pid %1$s/nginx.pid;
        error_log %1$s/error.log;
        events {}
        http {
          access_log off;
          client_body_temp_path %1$s/body;
          proxy_temp_path %1$s/proxy;
          fastcgi_temp_path %1$s/fastcgi;
          uwsgi_temp_path %1$s/uwsgi;
          scgi_temp_path %1$s/scgi;
          server {
            listen %2$s:%3$d;
            root %4$s;
          }
        }
        """
            .formatted(directory, ADDRESS, port, files.resolve(name)));
    return testbed.spawn(
        "server", "nginx-" + name, List.of("nginx", "-e", "stderr", "-c", file.toString()));
  }
}
