package dev.damask.effect;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;

/// Where a request goes, taken apart from its URL. Messages about it never repeat the URL, which
/// may hold a secret.
///
/// @param path the path and query as they are sent
record HttpTarget(boolean isSecure, HttpHost host, int port, String path, URI uri) {
  private static final int URL_MAX = 8_192;
  private static final int PORT_MAX = 65_535;

  static HttpTarget parse(String url) throws EffectFailed {
    if (url.length() > URL_MAX) {
      throw problem("a url has at most " + URL_MAX + " characters");
    }
    try {
      return of(new URI(new URI(url).toASCIIString()));
    } catch (URISyntaxException e) {
      // The exception repeats the text.
      throw problem("the url is not well formed: " + e.getReason());
    }
  }

  /// Where an answer sends the caller to.
  HttpTarget redirected(String location) throws EffectFailed {
    try {
      URI next = uri.resolve(new URI(location));
      HttpTarget target = of(new URI(next.toASCIIString()));
      if (isSecure && !target.isSecure) {
        throw EgressGuard.refused("a redirect from https to http is not followed");
      }
      return target;
    } catch (URISyntaxException e) {
      throw new EffectFailed(HttpEffect.ANSWER, "the redirect is not well formed");
    }
  }

  private static HttpTarget of(URI uri) throws EffectFailed {
    String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
    if (!scheme.equals("http") && !scheme.equals("https")) {
      throw EgressGuard.refused("only http and https are called");
    }
    boolean isSecure = scheme.equals("https");
    String authority = uri.getRawAuthority() == null ? "" : uri.getRawAuthority();
    if (authority.contains("@")) {
      throw EgressGuard.refused("a user in a url is not allowed: use a header");
    }
    int split = portAt(authority);
    HttpHost host =
        HttpHost.parse(split < 0 ? authority : authority.substring(0, split))
            .orElseThrow(() ->
                EgressGuard.refused(
                    "the host of the url is not written as a plain name or address; names in other"
                        + " letters are written as xn--…"));
    int port = split < 0 ? (isSecure ? 443 : 80) : port(authority.substring(split + 1));
    String path = uri.getRawPath() == null || uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
    String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
    return new HttpTarget(isSecure, host, port, path + query, uri);
  }

  /// The colon before the port; -1 when there is none.
  private static int portAt(String authority) {
    int colon = authority.lastIndexOf(':');
    return colon > authority.lastIndexOf(']') ? colon : -1;
  }

  private static int port(String digits) throws EffectFailed {
    int port = digits.matches("[0-9]{1,5}") ? Integer.parseInt(digits) : 0;
    if (port < 1 || port > PORT_MAX) {
      throw EgressGuard.refused("the port of the url is not from 1 to " + PORT_MAX);
    }
    return port;
  }

  private static EffectFailed problem(String sentence) {
    return new EffectFailed(Payload.REASON, "http: " + sentence);
  }

  /// Host and port, for messages.
  String place() {
    return host.name() + ":" + port;
  }

  /// What the header `Host` says.
  String hostHeader() {
    return port == (isSecure ? 443 : 80) ? host.name() : place();
  }

  boolean isSameOrigin(HttpTarget other) {
    return isSecure == other.isSecure
        && port == other.port
        && host.name().equals(other.host.name());
  }
}
