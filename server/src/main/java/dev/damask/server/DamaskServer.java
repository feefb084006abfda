package dev.damask.server;

import dev.damask.api.Dispatcher;
import dev.damask.api.Site;
import dev.damask.cases.Engine;
import dev.damask.door.ApiDoor;
import dev.damask.door.DoorOptions;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.WebServerConfig;
import io.helidon.webserver.http1.Http1Config;
import io.helidon.webserver.http1.Http1ConnectionSelector;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/// An HTTP server on an engine: the API under `/v1` and the inspector. It runs in the process of
/// the engine and stores no data. Close it before the engine.
public final class DamaskServer implements AutoCloseable {
  private static final int HEADERS_MAX = 16_384;
  private static final int PROLOGUE_MAX = 8_192;

  /// How often the waits of connections are compared with the longest one, within that time.
  private static final long WATCHED = 10;

  private final WebServer web;
  private final ServerOptions options;
  private final ApiDoor door;

  private DamaskServer(WebServer web, ServerOptions options, ApiDoor door) {
    this.web = web;
    this.options = options;
    this.door = door;
  }

  /// Starts a server. It listens when this method returns. Throws `IllegalStateException` if the
  /// port is taken.
  public static DamaskServer start(Engine engine, ServerOptions options) {
    return start(engine, options, Site.of(version()));
  }

  /// Starts a server and describes where the engine runs. See [#start(Engine, ServerOptions)].
  public static DamaskServer start(Engine engine, ServerOptions options, Site site) {
    ApiDoor door =
        ApiDoor.open(
            engine,
            site,
            new DoorOptions(
                Optional.of(options.tokens()),
                options.limits().perSecond(),
                options.limits().streams(),
                options.audit(),
                options.clock()));
    boolean isStarted = false;
    try {
      DamaskServer server = start(door, options);
      isStarted = true;
      return server;
    } finally {
      if (!isStarted) {
        door.close();
      }
    }
  }

  private static DamaskServer start(ApiDoor door, ServerOptions options) {
    ServerOptions.Limits limits = options.limits();
    HttpDoor handler =
        new HttpDoor(door, options.tokens(), new HostRules(options.publicUrl()), limits.body());
    Http1Config http =
        Http1Config.builder().maxHeadersSize(HEADERS_MAX).maxPrologueLength(PROLOGUE_MAX).build();
    WebServerConfig.Builder builder =
        WebServer.builder()
            .address(options.address())
            .port(options.port())
            .maxTcpConnections(limits.connections())
            .maxPayloadSize(2L * Dispatcher.BODY_MAX)
            .idleConnectionTimeout(limits.head())
            .idleConnectionPeriod(limits.head().dividedBy(WATCHED))
            .shutdownHook(false)
            .shutdownGracePeriod(Duration.ofMillis(500))
            .protocolsDiscoverServices(false)
            .addConnectionSelector(
                new TimedConnections(
                    Http1ConnectionSelector.builder().config(http).build(), limits.head()))
            .directHandlers(RawRefusals.all())
            .routing(rules -> rules.any(handler::handle));
    options.tls().ifPresent(tls -> builder.tls(TlsFiles.of(tls.certificate(), tls.key())));
    WebServer web = builder.build().start();
    if (!web.isRunning()) {
      throw new IllegalStateException(
          "cannot listen on %s:%d; choose another port"
              .formatted(options.address().getHostAddress(), options.port()));
    }
    return new DamaskServer(web, options, door);
  }

  /// Returns the version of this server.
  public static String version() {
    return ApiDoor.version();
  }

  /// Returns the port it listens on.
  public int port() {
    return web.port();
  }

  /// Returns the address of the page and, with `/v1`, of the API.
  public URI url() {
    if (options.publicUrl().isPresent()) {
      return options.publicUrl().get();
    }
    String host = options.address().getHostAddress();
    String scheme = options.tls().isPresent() ? "https" : "http";
    return URI.create(
        scheme + "://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port());
  }

  /// Returns a link that opens the page with an admin's token, once and within five minutes.
  public URI link() {
    return URI.create(url() + "/#code=" + options.tokens().code());
  }

  /// Ends all requests and streams and stops listening. The engine stays open.
  @Override
  public void close() {
    door.close();
    web.stop();
  }
}
