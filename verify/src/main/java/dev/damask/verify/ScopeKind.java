package dev.damask.verify;

/// What kind of activation a token is in.
enum ScopeKind {
  CASE,
  BRANCH,
  CALL,
  NET,
  INSTANCE
}
