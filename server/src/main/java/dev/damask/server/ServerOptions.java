package dev.damask.server;

import dev.damask.api.Audit;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;

/// How a server listens, whom it knows and what it limits.
///
/// @param address where it listens; loopback by default
/// @param port 0 for any free one
/// @param publicUrl how clients outside of this host address it; empty for loopback only
/// @param tokens what is known about tokens
/// @param limits the limits of requests
/// @param tls the certificate and the key, as PEM files; empty for plain HTTP
/// @param audit receives what callers have done and tried
/// @param clock the time of tokens and jobs
public record ServerOptions(
    InetAddress address,
    int port,
    Optional<URI> publicUrl,
    Tokens tokens,
    Limits limits,
    Optional<Tls> tls,
    Audit audit,
    Clock clock) {
  /// The port without an option.
  public static final int PORT = 8470;

  /// The certificate chain and the private key.
  public record Tls(Path certificate, Path key) {}

  /// The limits of requests.
  ///
  /// @param perSecond requests per second and token; 0 for no limit
  /// @param connections open connections
  /// @param streams open event streams
  /// @param head how long the server waits for the whole head of a request, for the next request,
  ///   and for a client that does not read
  /// @param body how long it waits for the whole body of a request
  public record Limits(
      double perSecond, int connections, int streams, Duration head, Duration body) {
    /// The limits without an option.
    public static final Limits DEFAULT = new Limits(1_000, 4_096, 3_000);

    /// Creates limits with the usual times: a minute for a head, half a minute for a body.
    public Limits(double perSecond, int connections, int streams) {
      this(perSecond, connections, streams, Duration.ofMinutes(1), Duration.ofSeconds(30));
    }
  }

  public ServerOptions {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("port must be between 0 and 65535, got " + port);
    }
  }

  /// Returns options for loopback, without tokens and without an audit log.
  public static ServerOptions defaults() {
    Clock clock = Clock.systemUTC();
    return new ServerOptions(
        InetAddress.getLoopbackAddress(),
        PORT,
        Optional.empty(),
        new Tokens(clock),
        Limits.DEFAULT,
        Optional.empty(),
        _ -> {},
        clock);
  }

  /// Returns these options with another port.
  public ServerOptions withPort(int value) {
    return new ServerOptions(address, value, publicUrl, tokens, limits, tls, audit, clock);
  }

  /// Returns these options for another address.
  public ServerOptions withAddress(InetAddress value) {
    return new ServerOptions(value, port, publicUrl, tokens, limits, tls, audit, clock);
  }

  /// Returns these options with the URL that clients use.
  public ServerOptions withPublicUrl(URI value) {
    return new ServerOptions(address, port, Optional.of(value), tokens, limits, tls, audit, clock);
  }

  /// Returns these options with other tokens.
  public ServerOptions withTokens(Tokens value) {
    return new ServerOptions(address, port, publicUrl, value, limits, tls, audit, clock);
  }

  /// Returns these options with other limits.
  public ServerOptions withLimits(Limits value) {
    return new ServerOptions(address, port, publicUrl, tokens, value, tls, audit, clock);
  }

  /// Returns these options with a certificate.
  public ServerOptions withTls(Path certificate, Path key) {
    return new ServerOptions(
        address,
        port,
        publicUrl,
        tokens,
        limits,
        Optional.of(new Tls(certificate, key)),
        audit,
        clock);
  }

  /// Returns these options with an audit log.
  public ServerOptions withAudit(Audit value) {
    return new ServerOptions(address, port, publicUrl, tokens, limits, tls, value, clock);
  }
}
