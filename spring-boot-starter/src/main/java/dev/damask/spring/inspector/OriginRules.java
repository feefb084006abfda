package dev.damask.spring.inspector;

import dev.damask.api.Exchange;
import dev.damask.api.Problem;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// Which pages may send changes. A browser adds the cookies of the application to what the page of
/// another site sends, so a change must come from a page of the application, or have a header that
/// the form of another site cannot have.
///
/// @param origins further origins of the application
record OriginRules(List<String> origins) {
  private static final Set<String> READS = Set.of("GET", "HEAD", "OPTIONS");
  private static final Set<String> OWN_SITES = Set.of("same-origin", "none");
  private static final int HTTP = 80;
  private static final int HTTPS = 443;

  /// Throws [Problem] for a change of another site.
  void require(HttpServletRequest request, Exchange exchange) {
    Map<String, String> headers = exchange.headers();
    String origin = headers.get("origin");
    if (origin != null && !isOwn(request, origin)) {
      throw foreign("requests from pages of other sites are refused");
    }
    if (READS.contains(exchange.method()) || hasToken(headers)) {
      return;
    }
    if (!OWN_SITES.contains(headers.getOrDefault("sec-fetch-site", "same-origin"))) {
      throw foreign("requests from pages of other sites are refused");
    }
    boolean isDeliberate =
        headers.containsKey("idempotency-key") || headers.containsKey("x-requested-with");
    if (origin == null && !isDeliberate) {
      throw foreign("a change without 'Origin' needs the header 'Idempotency-Key'");
    }
  }

  /// No browser adds a bearer token by itself.
  private static boolean hasToken(Map<String, String> headers) {
    return headers.getOrDefault("authorization", "").regionMatches(true, 0, "Bearer ", 0, 7);
  }

  private boolean isOwn(HttpServletRequest request, String origin) {
    String host = request.getServerName().toLowerCase(Locale.ROOT);
    int port = request.getServerPort();
    String authority = port == HTTP || port == HTTPS ? host : host + ":" + port;
    return origin.equalsIgnoreCase("https://" + authority)
        || (!request.isSecure() && origin.equalsIgnoreCase("http://" + authority))
        || origins.stream().anyMatch(origin::equalsIgnoreCase);
  }

  private static Problem foreign(String detail) {
    return new Problem(Problem.Kind.WRONG_ORIGIN, detail);
  }
}
