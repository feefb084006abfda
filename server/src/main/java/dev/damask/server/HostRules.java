package dev.damask.server;

import dev.damask.api.Problem;
import java.net.URI;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Which hosts and origins a request may name. A page of another site can neither read nor send
/// anything: its origin is refused, and a host name that resolves to this machine is too.
///
/// @param publicUrl how clients outside of this host address the server
record HostRules(Optional<URI> publicUrl) {
  private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]", "::1");

  /// Throws [Problem] if the request names another host or comes from another site.
  void require(Map<String, String> headers) {
    String host = headers.getOrDefault("host", "");
    if (!isOwnHost(host)) {
      throw new Problem(
          Problem.Kind.WRONG_HOST, "the host must be loopback or the one of --public-url");
    }
    String origin = headers.get("origin");
    if (origin != null && !isOwnOrigin(origin, host)) {
      throw new Problem(
          Problem.Kind.WRONG_ORIGIN, "requests from pages of other sites are refused");
    }
  }

  private boolean isOwnHost(String host) {
    String name = name(host);
    return LOOPBACK.contains(name)
        || (publicUrl.isPresent()
            && authority(publicUrl.get()).equals(host.toLowerCase(Locale.ROOT)));
  }

  private boolean isOwnOrigin(String origin, String host) {
    if (publicUrl.isPresent()
        && origin.equalsIgnoreCase(
            publicUrl.get().getScheme() + "://" + authority(publicUrl.get()))) {
      return true;
    }
    boolean isLoopback = LOOPBACK.contains(name(host));
    return isLoopback
        && (origin.equalsIgnoreCase("http://" + host)
            || origin.equalsIgnoreCase("https://" + host));
  }

  /// The host without its port, in lower case.
  private static String name(String host) {
    int colon = host.lastIndexOf(':');
    boolean hasPort = colon > 0 && host.indexOf(']') < colon;
    return (hasPort ? host.substring(0, colon) : host).toLowerCase(Locale.ROOT);
  }

  private static String authority(URI url) {
    return String.valueOf(url.getRawAuthority()).toLowerCase(Locale.ROOT);
  }
}
