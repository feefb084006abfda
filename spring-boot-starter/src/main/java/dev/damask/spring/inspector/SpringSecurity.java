package dev.damask.spring.inspector;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;
import org.springframework.security.core.Authentication;
import org.springframework.security.web.csrf.CsrfToken;

/// What the inspector asks Spring Security. Loaded only if it is on the class path.
final class SpringSecurity {
  private SpringSecurity() {}

  /// Returns whether the sender of a request is authenticated and has an authority.
  static boolean has(HttpServletRequest request, String authority) {
    return request.getUserPrincipal() instanceof Authentication sender
        && sender.isAuthenticated()
        && sender.getAuthorities().stream()
            .map(each -> each.getAuthority())
            .anyMatch(each -> authority.equals(each) || ("ROLE_" + authority).equals(each));
  }

  /// Returns the token that Spring Security wants in changes, for the page; empty if it wants none.
  static Map<String, String> csrf(HttpServletRequest request) {
    return request.getAttribute(CsrfToken.class.getName()) instanceof CsrfToken token
        ? Map.of("Damask-Csrf-Header", token.getHeaderName(), "Damask-Csrf-Token", token.getToken())
        : Map.of();
  }
}
