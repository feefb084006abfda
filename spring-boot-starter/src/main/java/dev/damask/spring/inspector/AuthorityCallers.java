package dev.damask.spring.inspector;

import dev.damask.api.Caller;
import dev.damask.api.Role;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.Optional;
import java.util.function.BiPredicate;

/// Callers by the authorities of the request's principal. Somebody with several has the first of
/// admin, operator, viewer and worker.
///
/// @param has whether the sender of a request has an authority
record AuthorityCallers(
    InspectorProperties.Authorities authorities, BiPredicate<HttpServletRequest, String> has)
    implements InspectorCallers {
  @Override
  public Optional<Caller> caller(HttpServletRequest request) {
    Principal principal = request.getUserPrincipal();
    String name = principal == null ? null : principal.getName();
    return name == null || name.isBlank()
        ? Optional.empty()
        : role(request).map(role -> Caller.of(name, role));
  }

  private Optional<Role> role(HttpServletRequest request) {
    if (has.test(request, authorities.admin())) {
      return Optional.of(Role.ADMIN);
    }
    if (has.test(request, authorities.operator())) {
      return Optional.of(Role.OPERATOR);
    }
    if (has.test(request, authorities.viewer())) {
      return Optional.of(Role.VIEWER);
    }
    return has.test(request, authorities.worker()) ? Optional.of(Role.WORKER) : Optional.empty();
  }
}
