package dev.damask.spring.inspector;

import dev.damask.api.Caller;
import dev.damask.api.Sender;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A sender whom the application has authenticated. A stream asks again whether it is still the
/// same: it ends with the session, and after five minutes in any case. The page then opens it again
/// where it ended, and passes the security of the application again.
final class SessionSender implements Sender {
  /// How long one request is trusted.
  static final Duration TRUST = Duration.ofMinutes(5);

  private static final String CONTEXT = "SPRING_SECURITY_CONTEXT"; // of Spring Security

  private final Optional<Caller> found;
  private final String advice;
  private final @Nullable HttpSession session;
  private final boolean hasContext;
  private final long since = System.nanoTime();

  private SessionSender(Optional<Caller> found, String advice, @Nullable HttpSession session) {
    this.found = found;
    this.advice = advice;
    this.session = session;
    this.hasContext = session != null && session.getAttribute(CONTEXT) != null;
  }

  static SessionSender of(
      HttpServletRequest request, InspectorCallers callers, InspectorProperties properties) {
    Optional<Caller> found = callers.caller(request);
    InspectorProperties.Authorities needed = properties.authorities();
    String advice =
        request.getUserPrincipal() == null
            ? "sign in to the application first"
            : "the inspector needs one of the authorities %s, %s, %s and %s"
                .formatted(needed.viewer(), needed.worker(), needed.operator(), needed.admin());
    return new SessionSender(found, advice, request.getSession(false));
  }

  @Override
  public Optional<Caller> caller() {
    return System.nanoTime() - since < TRUST.toNanos() && isOpen() ? found : Optional.empty();
  }

  private boolean isOpen() {
    try {
      return session == null || hasContext == (session.getAttribute(CONTEXT) != null);
    } catch (IllegalStateException e) {
      return false; // the session has ended
    }
  }

  @Override
  public String advice() {
    return advice;
  }

  /// The application decides how its users sign in.
  @Override
  public String challenge() {
    return "";
  }
}
