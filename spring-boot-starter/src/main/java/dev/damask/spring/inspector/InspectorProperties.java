package dev.damask.spring.inspector;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/// The properties `damask.inspector.*` of an application.
///
/// @param enabled false for an application without the inspector; true refuses to start if it
///   cannot be served
/// @param path where the inspector is served; the API is below it
/// @param access how the sender of a request is found out; Spring Security if it is on the class
///   path
/// @param tokens the file of hashed tokens for the access `tokens`
/// @param origins further origins whose pages may send changes, such as
///   `https://orders.example.com` behind a proxy that changes the host
/// @param streams how many event streams may be open; each holds a thread of the web server
/// @param requestsPerSecond how many requests one caller may send; 0 for no limit
/// @param authorities what makes a user a viewer, a worker, an operator or an admin
@ConfigurationProperties("damask.inspector")
public record InspectorProperties(
    @Nullable Boolean enabled,
    @DefaultValue("/damask") String path,
    @Nullable InspectorAccess access,
    @Nullable Path tokens,
    @DefaultValue List<String> origins,
    @DefaultValue("50") int streams,
    @DefaultValue("100") int requestsPerSecond,
    @DefaultValue Authorities authorities) {
  private static final Pattern PATH = Pattern.compile("(/[A-Za-z0-9_-][A-Za-z0-9._-]*)+");

  /// The authorities or roles that users need, each with or without the prefix `ROLE_`.
  ///
  /// @param viewer reads workflows and cases
  /// @param worker claims and answers tasks
  /// @param operator sends signals, answers tasks, cancels cases and resolves incidents
  /// @param admin does everything
  public record Authorities(
      @DefaultValue("DAMASK_VIEWER") String viewer,
      @DefaultValue("DAMASK_WORKER") String worker,
      @DefaultValue("DAMASK_OPERATOR") String operator,
      @DefaultValue("DAMASK_ADMIN") String admin) {}

  public InspectorProperties {
    origins = List.copyOf(origins);
    if (!PATH.matcher(path).matches()) {
      throw new IllegalArgumentException(
          "damask.inspector.path: must be a path such as /damask, without a slash at its end, got '"
              + path
              + "'");
    }
  }
}
