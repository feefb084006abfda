package dev.damask.api;

import java.util.Locale;

/// The least that a caller must be to use a route.
public enum RouteAccess {
  /// Every client, without a token.
  ANONYMOUS,
  /// Every token.
  ANY,
  VIEWER,
  WORKER,
  OPERATOR,
  ADMIN;

  /// Returns whether a role may use the route. A worker reads no cases; an operator does what
  /// viewers and workers do.
  public boolean permits(Role role) {
    return switch (this) {
      case ANONYMOUS, ANY -> true;
      case VIEWER -> role != Role.WORKER;
      case WORKER -> role != Role.VIEWER;
      case OPERATOR -> role == Role.OPERATOR || role == Role.ADMIN;
      case ADMIN -> role == Role.ADMIN;
    };
  }

  /// Returns the word for the reference page.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
