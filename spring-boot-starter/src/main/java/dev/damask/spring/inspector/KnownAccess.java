package dev.damask.spring.inspector;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.ClassUtils;

/// Matches if it is known how to find out who sends a request. An application without Spring
/// Security must say so; until then nothing is served.
public final class KnownAccess extends SpringBootCondition {
  private static final System.Logger LOG = System.getLogger(KnownAccess.class.getName());
  private static final String ADVICE =
      "damask.inspector.access: the inspector is not served, because Spring Security is not on the"
          + " class path; set it to 'principal', 'tokens' or 'loopback', or set"
          + " damask.inspector.enabled=false";

  /// Returns the access of an application.
  static InspectorAccess of(@Nullable InspectorAccess wanted) {
    if (wanted == null ? !hasSecurity() : wanted == InspectorAccess.SECURITY && !hasSecurity()) {
      throw new IllegalStateException(ADVICE);
    }
    return wanted == null ? InspectorAccess.SECURITY : wanted;
  }

  private static boolean hasSecurity() {
    return ClassUtils.isPresent(
        "org.springframework.security.web.SecurityFilterChain", ClassUtils.getDefaultClassLoader());
  }

  @Override
  public ConditionOutcome getMatchOutcome(
      ConditionContext context, AnnotatedTypeMetadata metadata) {
    Environment environment = context.getEnvironment();
    boolean isAsked =
        environment.containsProperty("damask.inspector.enabled")
            || environment.containsProperty("damask.inspector.access");
    if (isAsked || hasSecurity()) {
      return ConditionOutcome.match();
    }
    LOG.log(System.Logger.Level.WARNING, ADVICE);
    return ConditionOutcome.noMatch(ADVICE);
  }
}
