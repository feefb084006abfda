package dev.damask.http;

import dev.damask.effect.EffectException;
import dev.damask.effect.Payload;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;

/// The target of a request, parsed from its URL. Messages about it never repeat the URL, which may
/// contain a secret.
///
/// @param path the path and query as they are sent
record HttpTarget(boolean isSecure, HttpHost host, int port, String path, URI uri) {
  private static final int URL_MAX = 8_192;
  private static final int PORT_MAX = 65_535;

  static HttpTarget parse(String url) throws EffectException {
    if (url.length() > URL_MAX) {
      throw problem("a URL must have at most " + URL_MAX + " characters");
    }
    try {
      return of(new URI(new URI(url).toASCIIString()));
    } catch (URISyntaxException e) {
      // The message of the exception repeats the URL, its reason does not.
      throw problem("the URL is malformed: " + e.getReason());
    }
  }

  /// Returns the target of a redirect.
  HttpTarget redirected(String location) throws EffectException {
    try {
      URI next = uri.resolve(new URI(location));
      HttpTarget target = of(new URI(next.toASCIIString()));
      if (isSecure && !target.isSecure) {
        throw EgressGuard.refused("redirects from https to http are not followed");
      }
      return target;
    } catch (URISyntaxException e) {
      throw new EffectException(HttpEffect.ANSWER, "the Location of the redirect is malformed");
    }
  }

  private static HttpTarget of(URI uri) throws EffectException {
    String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
    if (!scheme.equals("http") && !scheme.equals("https")) {
      throw EgressGuard.refused("the scheme of the URL must be http or https");
    }
    boolean isSecure = scheme.equals("https");
    String authority = uri.getRawAuthority() == null ? "" : uri.getRawAuthority();
    if (authority.contains("@")) {
      throw EgressGuard.refused("user information in a URL is not allowed; use a header");
    }
    int split = portAt(authority);
    HttpHost host =
        HttpHost.parse(split < 0 ? authority : authority.substring(0, split))
            .orElseThrow(() ->
                EgressGuard.refused(
                    "the host of the URL is not a plain name or address; write names in other"
                        + " scripts as xn--…"));
    int port = split < 0 ? (isSecure ? 443 : 80) : port(authority.substring(split + 1));
    String path = uri.getRawPath() == null || uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
    String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
    return new HttpTarget(isSecure, host, port, path + query, uri);
  }

  /// Returns the index of the colon before the port, or -1 if there is none.
  private static int portAt(String authority) {
    int colon = authority.lastIndexOf(':');
    return colon > authority.lastIndexOf(']') ? colon : -1;
  }

  private static int port(String digits) throws EffectException {
    int port = digits.matches("[0-9]{1,5}") ? Integer.parseInt(digits) : 0;
    if (port < 1 || port > PORT_MAX) {
      throw EgressGuard.refused("the port of the URL must be between 1 and " + PORT_MAX);
    }
    return port;
  }

  private static EffectException problem(String sentence) {
    return new EffectException(Payload.REASON, "http: " + sentence);
  }

  /// Returns host and port, for messages.
  String place() {
    return host.name() + ":" + port;
  }

  /// Returns the value of the header `Host`.
  String hostHeader() {
    return port == (isSecure ? 443 : 80) ? host.name() : place();
  }

  boolean isSameOrigin(HttpTarget other) {
    return isSecure == other.isSecure
        && port == other.port
        && host.name().equals(other.host.name());
  }
}
