package dev.damask.api;

/// How a route is limited to the workflows of a token.
public enum RouteReach {
  /// The route shows nothing of any workflow.
  NONE,
  /// The path names a workflow, `{workflow}`; it is 404 for a token that may not see it.
  WORKFLOW,
  /// The path names a case, `{case}`; it is 404 for a token that may not see its workflow.
  CASE,
  /// The handler leaves out what the token may not see.
  FILTERED,
  /// The route concerns the whole store; it is 404 for a token that is limited to some workflows.
  WHOLE
}
