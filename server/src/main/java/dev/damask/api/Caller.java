package dev.damask.api;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Who sends a request.
///
/// @param name the name of the token, or the subject of a JWT; decisions are made under this name
/// @param role what the caller may do
/// @param workflows patterns of the workflows that exist for the caller; `*` stands for any text
/// @param types the task types that a worker may claim, as patterns
/// @param seesSecrets whether values that workflows redact are shown to a viewer, and claims
///   contain secrets
/// @param expires when the token ends; empty if it does not
public record Caller(
    String name,
    Role role,
    List<String> workflows,
    List<String> types,
    boolean seesSecrets,
    Optional<Instant> expires) {
  /// Every workflow or type.
  public static final List<String> ALL = List.of("*");

  public Caller {
    workflows = List.copyOf(workflows);
    types = List.copyOf(types);
  }

  /// Creates a caller that sees all workflows and claims all types.
  public static Caller of(String name, Role role) {
    return new Caller(name, role, ALL, ALL, false, Optional.empty());
  }

  /// Returns whether a workflow exists for the caller.
  public boolean sees(String workflow) {
    return workflows.stream().anyMatch(each -> matches(each, workflow));
  }

  /// Returns whether every workflow exists for the caller.
  public boolean seesAll() {
    return workflows.contains("*");
  }

  /// Returns whether the caller may claim tasks of a type.
  public boolean claims(String type) {
    return types.stream().anyMatch(each -> matches(each, type));
  }

  /// Returns whether the caller is shown values that workflows redact.
  public boolean seesRedacted() {
    return seesSecrets || role == Role.OPERATOR || role == Role.ADMIN;
  }

  /// Returns whether a string matches a pattern in which `*` stands for any text. Takes time
  /// proportional to the product of both lengths at most.
  static boolean matches(String pattern, String text) {
    int p = 0;
    int t = 0;
    int star = -1;
    int mark = 0;
    while (t < text.length()) {
      if (p < pattern.length() && pattern.charAt(p) == '*') {
        star = p++;
        mark = t;
      } else if (p < pattern.length() && pattern.charAt(p) == text.charAt(t)) {
        p++;
        t++;
      } else if (star >= 0) {
        p = star + 1;
        t = ++mark;
      } else {
        return false;
      }
    }
    while (p < pattern.length() && pattern.charAt(p) == '*') {
      p++;
    }
    return p == pattern.length();
  }
}
