package dev.damask.source;

/// The hard limits of documents and expressions. A breach names the cap, what was observed, and the
/// most that is allowed.
public enum Limit {
  RULE_BYTES("bytes of a rule document", 131_072),
  PAYLOAD_FIELDS("payload fields", 64),
  FIELD_NAME("characters of a field name", 64),
  RULES("rules", 64),
  EXPRESSION_CHARS("characters of an expression", 2_048),
  API_CALLS("API calls", 16),
  URL_CHARS("characters of a urlTemplate", 2_048),
  BODY_CHARS("characters of a bodyTemplate", 8_192),
  EXTRACTS("extract entries of an API call", 64),
  TEXT_CHARS("characters of a string literal or default", 8_192),
  READS("reads", 16),
  SAVES("saveAs targets of a read", 64),
  OUTCOME_KEYS("outcome keys of a branch", 64),
  GRANTS("grants of a branch", 16),
  EXECUTION_ARGS("execution arguments", 16),
  GRAPH_BYTES("bytes of a graph document", 262_144),
  STEPS("steps of a graph", 128),
  STEP_ID("characters of a step id", 64),
  SPAWNS("spawns of a branch", 32),
  JOIN_INPUTS("inputs of a join", 32),
  CEL_BYTES("bytes of an expression at evaluation", 1_024),
  CEL_NODES("nodes of an expression", 4_096),
  LIST_SIZE("elements of a list in the inputs of an expression", 64),
  SECRET_CHARS("characters of a secret", 512);

  private final String what;
  private final int max;

  Limit(String what, int max) {
    this.what = what;
    this.max = max;
  }

  /// Returns the largest allowed value.
  public int max() {
    return max;
  }

  /// Whether a value is within the limit.
  public boolean allows(long observed) {
    return observed <= max;
  }

  /// Returns the message about a value that exceeds the limit.
  public String breach(long observed) {
    return "cap " + name() + " (" + what + "): observed " + observed + ", maximum " + max;
  }
}
