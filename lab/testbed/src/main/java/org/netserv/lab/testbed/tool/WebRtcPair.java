// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import dev.onvoid.webrtc.CreateSessionDescriptionObserver;
import dev.onvoid.webrtc.PeerConnectionFactory;
import dev.onvoid.webrtc.PeerConnectionObserver;
import dev.onvoid.webrtc.RTCAnswerOptions;
import dev.onvoid.webrtc.RTCConfiguration;
import dev.onvoid.webrtc.RTCDataChannel;
import dev.onvoid.webrtc.RTCDataChannelBuffer;
import dev.onvoid.webrtc.RTCDataChannelInit;
import dev.onvoid.webrtc.RTCDataChannelObserver;
import dev.onvoid.webrtc.RTCDataChannelState;
import dev.onvoid.webrtc.RTCIceCandidate;
import dev.onvoid.webrtc.RTCIceServer;
import dev.onvoid.webrtc.RTCIceTransportPolicy;
import dev.onvoid.webrtc.RTCOfferOptions;
import dev.onvoid.webrtc.RTCPeerConnection;
import dev.onvoid.webrtc.RTCSessionDescription;
import dev.onvoid.webrtc.SetSessionDescriptionObserver;
import dev.onvoid.webrtc.TlsCertPolicy;
import dev.onvoid.webrtc.media.audio.AudioDeviceModule;
import dev.onvoid.webrtc.media.audio.AudioLayer;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Two ends of a data channel on the WebRTC stack that browsers have. Each end has candidates from a
 * TURN server alone, so whatever they say to each other is relayed, twice.
 *
 * <pre>
 *   WebRtcPair URL SECRET MESSAGES        turn:198.51.101.1:3478?transport=udp
 *
 *   end A --TURN client--> server --relayed address of A, relayed address of B--> server --> end B
 * </pre>
 *
 * <p>It says {@code sent=N back=N relayed=N}: messages, echoes, and candidates, all of which are
 * relayed.
 */
public final class WebRtcPair {
  private static final int PATIENCE_SECONDS = 20;

  private final PeerConnectionFactory factory;
  private final AtomicInteger relayed = new AtomicInteger();

  private WebRtcPair() {
    factory = new PeerConnectionFactory(new AudioDeviceModule(AudioLayer.kDummyAudio));
  }

  public static void main(String[] args) throws Exception {
    new WebRtcPair().play(server(args[0], args[1]), Integer.parseInt(args[2]));
    System.exit(0); // past the threads of the stack
  }

  private static RTCIceServer server(String url, String secret) {
    TurnUser user = TurnUser.of(secret, "browser");
    RTCIceServer server = new RTCIceServer();
    server.urls = List.of(url);
    server.username = user.name();
    server.password = user.password();
    server.tlsCertPolicy = TlsCertPolicy.INSECURE_NO_CHECK; // the lab's keys have no authority
    return server;
  }

  private void play(RTCIceServer server, int messages) throws Exception {
    End a = new End(server);
    End b = new End(server);
    a.other = b;
    b.other = a;
    RTCDataChannel channel = a.connection.createDataChannel("lab", new RTCDataChannelInit());
    Sender sender = new Sender(channel, messages);
    channel.registerObserver(sender);
    agree(a, b);
    int sent = sender.play();
    System.out.println("sent=" + sent + " back=" + sender.back + " relayed=" + relayed.get());
  }

  /** Exchanges offer and answer; candidates follow as they are found. */
  private static void agree(End a, End b) throws Exception {
    RTCSessionDescription offer = made(to -> a.connection.createOffer(new RTCOfferOptions(), to));
    set(to -> a.connection.setLocalDescription(offer, to));
    set(to -> b.connection.setRemoteDescription(offer, to));
    RTCSessionDescription answer =
        made(to -> b.connection.createAnswer(new RTCAnswerOptions(), to));
    set(to -> b.connection.setLocalDescription(answer, to));
    set(to -> a.connection.setRemoteDescription(answer, to));
    a.agreed.countDown();
    b.agreed.countDown();
  }

  private interface Call<T> {
    void with(T observer);
  }

  private static RTCSessionDescription made(Call<CreateSessionDescriptionObserver> call)
      throws Exception {
    CompletableFuture<RTCSessionDescription> done = new CompletableFuture<>();
    call.with(
        new CreateSessionDescriptionObserver() {
          @Override
          public void onSuccess(RTCSessionDescription description) {
            done.complete(description);
          }

          @Override
          public void onFailure(String why) {
            done.completeExceptionally(new IllegalStateException(why));
          }
        });
    return done.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  private static void set(Call<SetSessionDescriptionObserver> call) throws Exception {
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    call.with(
        new SetSessionDescriptionObserver() {
          @Override
          public void onSuccess() {
            done.complete(true);
          }

          @Override
          public void onFailure(String why) {
            done.completeExceptionally(new IllegalStateException(why));
          }
        });
    done.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  /** One end. It passes its candidates to the other one, and sends every message back. */
  private final class End implements PeerConnectionObserver {
    private final CountDownLatch agreed = new CountDownLatch(1);
    private final LinkedBlockingQueue<RTCIceCandidate> found = new LinkedBlockingQueue<>();
    private final RTCPeerConnection connection;
    private End other;

    End(RTCIceServer server) {
      RTCConfiguration configuration = new RTCConfiguration();
      configuration.iceServers.add(server);
      configuration.iceTransportPolicy = RTCIceTransportPolicy.RELAY;
      connection = factory.createPeerConnection(configuration, this);
      Thread passes = new Thread(this::pass, "candidates");
      passes.setDaemon(true);
      passes.start();
    }

    /** Passes candidates on, on a thread of its own, because the stack must not be called by it. */
    private void pass() {
      try {
        agreed.await();
        while (true) {
          other.connection.addIceCandidate(found.take());
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void onIceCandidate(RTCIceCandidate candidate) {
      if (!candidate.sdp.contains(" typ relay ")) {
        throw new IllegalStateException("not relayed: " + candidate.sdp);
      }
      relayed.incrementAndGet();
      found.add(candidate);
    }

    @Override
    public void onDataChannel(RTCDataChannel channel) {
      channel.registerObserver(
          new RTCDataChannelObserver() {
            @Override
            public void onBufferedAmountChange(long previous) {}

            @Override
            public void onStateChange() {}

            @Override
            public void onMessage(RTCDataChannelBuffer message) {
              send(channel, message.data);
            }
          });
    }
  }

  private static void send(RTCDataChannel channel, ByteBuffer bytes) {
    ByteBuffer copy = ByteBuffer.allocateDirect(bytes.remaining()).put(bytes).flip();
    try {
      channel.send(new RTCDataChannelBuffer(copy, true));
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** Sends numbered messages one after the other, each when the one before has come back. */
  private static final class Sender implements RTCDataChannelObserver {
    private final RTCDataChannel channel;
    private final int messages;
    private final CountDownLatch open = new CountDownLatch(1);
    private final LinkedBlockingQueue<Integer> echoes = new LinkedBlockingQueue<>();
    private int back;

    Sender(RTCDataChannel channel, int messages) {
      this.channel = channel;
      this.messages = messages;
    }

    @Override
    public void onBufferedAmountChange(long previous) {}

    @Override
    public void onStateChange() {
      if (channel.getState() == RTCDataChannelState.OPEN) {
        open.countDown();
      }
    }

    @Override
    public void onMessage(RTCDataChannelBuffer message) {
      echoes.add(message.data.getInt(message.data.position()));
    }

    int play() throws Exception {
      if (!open.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException("the channel does not open");
      }
      for (int i = 0; i < messages; i++) {
        send(channel, ByteBuffer.allocate(160).putInt(0, i));
        Integer echo = echoes.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (echo == null || echo != i) {
          return i + 1;
        }
        back++;
      }
      return messages;
    }
  }
}
