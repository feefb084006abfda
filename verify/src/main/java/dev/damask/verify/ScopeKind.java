package dev.damask.verify;

/// The kind of a token's activation.
enum ScopeKind {
  CASE,
  BRANCH,
  CALL,
  NET,
  INSTANCE
}
