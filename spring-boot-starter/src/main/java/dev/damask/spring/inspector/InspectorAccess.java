package dev.damask.spring.inspector;

/// How the inspector finds out who sends a request.
public enum InspectorAccess {
  /// By the `Authentication` of Spring Security and its authorities.
  SECURITY,
  /// By the principal and the roles that the servlet container or a filter of the application has
  /// set.
  PRINCIPAL,
  /// By bearer tokens from a file, as `damask serve --tokens` does. The page asks for one.
  TOKENS,
  /// Every request from this machine is an admin's. For development only.
  LOOPBACK
}
