package dev.damask.source;

import dev.damask.check.Diagnostic;
import dev.damask.check.Diagnostic.Severity;
import dev.damask.json.Position;

/// The codes of [Diagnostic]s about graph documents, rule documents, bundles and plans, each with
/// its meaning and a remedy.
public enum DiagnosticCode {
  // Any document.
  NOT_JSON("The text is not valid JSON.", "Correct the text at or before the reported position."),
  WRONG_TYPE(
      "A value has the wrong JSON type, such as a string in place of a list.",
      "Use the type that the message expects."),
  UNKNOWN_KEY("An object has an unknown key.", "Correct its spelling, or remove it."),
  KEY_MISSING("A required key is missing or empty.", "Add it."),
  LIMIT_EXCEEDED(
      "A length, size or number exceeds a limit.",
      "Reduce it, or divide it among several steps. The limits are listed above."),
  NUMBER_INVALID(
      "A number is not an integer, or is out of range.",
      "Use a number in the range that the message names."),

  // Graph documents.
  ID_MISSING("The graph has no id.", "Set 'id'."),
  STRUCTURE_EMPTY("The graph has no steps.", "Add at least one step to 'structure'."),
  INVALID_STEP_ID(
      "The id of a step does not begin with a letter, or has characters other than letters,"
          + " digits, '_' and '-'.",
      "Rename the step wherever it is used."),
  STEP_RULE_MISSING("A step has no rule.", "Set 'rule' to the key of its rule document."),
  DRAFT_RULE(
      "The rule of a step is the placeholder of a draft.",
      "Set 'rule' to a key. 'damask run' and test plans replace placeholders themselves."),
  SPAWN_TARGET_UNKNOWN(
      "A branch spawns a step that does not exist.", "Correct the name, or add the step."),
  SELF_SPAWN_RETRY_LOOP(
      "A step spawns itself and may repeat without end. This is a warning.",
      "If this is intended, add a 'waitSec' and a condition that ends it to the rule."),
  JOIN_ID_MISSING("A join has no target.", "Set 'joinid' to the step that waits for the join."),
  JOIN_TARGET_UNKNOWN(
      "The target of a join is a step that does not exist.", "Correct 'joinid', or add the step."),
  JOIN_FROM_EMPTY("A join has no sources.", "List in 'from' the steps that deliver to the join."),
  JOIN_FROM_UNKNOWN(
      "A source of a join is a step that does not exist.", "Correct 'node', or add the step."),
  JOIN_FROM_REPEATED(
      "A join lists a source more than once. This is a warning.",
      "Keep one entry; 'when: any' accepts either outcome."),
  JOIN_WHEN_INVALID("The 'when' of a source is unknown.", "Use valid, invalid or any."),
  JOIN_THRESHOLD_INVALID(
      "The mode of a join is unknown, or its 'k' does not match the number of sources.",
      "Use any, all, or kofn with a 'k' between 1 and the number of sources."),
  JOIN_WAIT_INVALID("The 'waitonjoin' of a join is unknown.", "Use drain or kill."),
  JOIN_UNFULFILLABLE(
      "The branch that declares a join cannot produce enough of its sources, so the join"
          + " always fails.",
      "Spawn the sources in this branch, or from its children that have no join of their own."),
  JOIN_SOURCE_UNREACHABLE(
      "The branch that declares a join cannot produce one of its sources; the others suffice."
          + " This is a warning.",
      "Spawn the source there, or remove it from 'from'."),
  ENTRY_STEP_UNKNOWN("The first step does not exist in the graph.", "Use a step of the graph."),
  RULE_UNKNOWN(
      "No rule document has the key that a step names.",
      "Add the rule to the registry or the rules directory, or correct the key."),
  ENTRY_INPUT_MISSING(
      "The start payload lacks an input that the first step requires.",
      "Add it to the payload, or declare a default in the rule."),
  REQUIRED_INPUT_NOT_PROVIDED(
      "A step requires an input that some path to it does not provide; without it the step is"
          + " invalid. This is a warning. Branches that are never taken are ignored.",
      "Add the key to the payloads of the preceding branches, or declare a default."),

  // Rule documents.
  PAYLOAD_MISSING("The rule does not declare its inputs.", "Add 'payload'; {} declares none."),
  PAYLOAD_FIELD_KEY_INVALID(
      "The name of an input cannot be used in expressions.",
      "Use letters, digits and '_', beginning with a letter or '_'."),
  TYPE_INVALID("A type is missing or unknown.", "Use one of the types above."),
  DEFAULT_INVALID("A default cannot be converted to its type.", "Correct the default or the type."),
  RULE_EXPR_INVALID(
      "A rule is not a condition: it has no 'expression', unknown keys, or an expression that"
          + " cannot be compiled.",
      "Use a string, or an object with 'expression' and optionally 'type'."),
  RULE_TYPE_INVALID("A rule has an unknown type.", "Use validate, abortStep or cancelSession."),
  RULE_WEAK_PROSE(
      "A rule looks like a sentence instead of a condition. This is a warning.",
      "Write an expression with placeholders, such as [amount] > 0."),
  EXPRESSION_INVALID(
      "An expression cannot be compiled.", "Correct it; put a string literal in quotes."),
  EXPRESSION_TYPE_MISMATCH(
      "The operands of an operator have incompatible types, such as int64 and double.",
      "Convert one of them, such as double([n]). A literal has the type of the other operand."),
  ENGINE_KEY(
      "A rule reads, extracts or declares a key that the engine sets: from, pid, or one with __ in"
          + " front. For a declared input this is a warning.",
      "Use another name; expressions see the engine's value."),
  PLACEHOLDER_UNKNOWN(
      "A placeholder has no value at this point.",
      "Declare it in 'payload', read or extract it earlier, or correct the name."),
  PLACEHOLDER_MALFORMED(
      "The brackets of a template do not match.",
      "Write [name] for a placeholder, and [[ or ]] for a bracket."),
  DOLLAR_PLACEHOLDER(
      "A string has a placeholder with a dollar sign.", "Write [name] instead of ${name}."),
  SAVEAS_SLOT_INVALID(
      "A slot of 'saveAs' is not a number.", "Use \"0\" for the first output of the read."),
  SAVEAS_KEY_INVALID(
      "The key of a saved output cannot be used in expressions.",
      "Use letters, digits and '_', beginning with a letter or '_'."),
  SAVEAS_KEY_REPEATED("Two reads or extracts use the same key.", "Use a different key for each."),
  API_NAME_REPEATED("Two calls of a rule have the same name.", "Use a different name for each."),
  API_METHOD_INVALID("A call has an unknown method.", "Use GET, POST, PUT or PATCH."),
  API_CONTENT_INVALID(
      "A call has a content type other than JSON.", "Set 'contentType' to json, or remove it."),
  API_HEADER_INVALID(
      "The name or value of a header cannot be sent, or the header controls message framing.",
      "Remove control characters and headers such as host and content-length."),
  API_TIMEOUT_INVALID("A timeout is not a positive integer.", "Use milliseconds, at most 8000."),
  EXTRACTMAP_KEY_INVALID(
      "The name of an extract cannot be used in expressions.",
      "Use letters, digits and '_', beginning with a letter or '_'."),
  EXTRACTMAP_ALIAS_REPEATED(
      "Two extracts or reads of a rule use the same key.", "Use a different key for each."),
  EXTRACTMAP_VALUE_INVALID(
      "An extract has no 'value', has both 'value' and 'expr', or has an expression that"
          + " cannot be compiled.",
      "Write one expression over resp, such as resp.items[0].price."),
  TYPED_VALUE_INVALID(
      "A typed value has neither 'value' nor 'expr', or both.", "Keep one of them."),
  BRANCH_PAYLOAD_SCHEMA_INVALID(
      "The payload of a branch has a key that cannot be used in expressions, or one that the"
          + " engine reserves.",
      "Use letters, digits and '_', not beginning with a digit or with '__'."),
  ENCRYPT_LOGS_UNSUPPORTED(
      "The rule requests encrypted logs, which are not supported.",
      "Remove 'encryptLogs' or set it to false, and keep secrets in __secret keys."),
  GRANT_INVALID(
      "A grant has no address or no rights.", "Set an address, and rights as a sum of 1, 2 and 4."),
  WAKEUP_INVALID(
      "A wake-up does not identify the step to wake.",
      "Set 'runner' (the owner of the session), 'sessionId' (a positive integer or an"
          + " expression) and 'stepId'."),
  WAIT_INVALID(
      "A wait is neither a non-negative integer nor an expression.",
      "Use seconds in 'waitSec', or milliseconds since 1970 in 'waitUntilMs'."),

  // Bundles.
  BUNDLE_FORMAT_INVALID(
      "The file is not marked as a bundle.", "Set 'format' to xgr-multi-bundle@1."),
  BUNDLE_TIME_INVALID(
      "The creation time of a bundle is missing or not a time.",
      "Set 'createdAt' to a time such as 2026-01-31T12:00:00Z."),
  BUNDLE_ITEMS_INVALID(
      "A bundle has no id, no rule, or not exactly one graph.",
      "Set 'bundleId', and add one item of type xrc729 and one of type xrc137 per rule."),
  BUNDLE_ITEM_INVALID(
      "An item of a bundle has no document or an unknown type.",
      "Use type xrc729 for the graph or xrc137 for a rule, and put the object in 'document'."),
  ALIAS_INVALID(
      "An alias is missing, repeated, or has characters other than letters, digits, '_' and"
          + " '-'.",
      "Give every rule a different alias of 2 to 128 characters."),
  ALIAS_UNRESOLVED(
      "A step names an alias that no rule of the bundle has.",
      "Correct the alias after cm:xrc137:, or add the rule."),
  RULE_UNUSED(
      "No step of the bundle's graph uses a rule. This is a warning.",
      "Remove the rule, or name it in a step."),

  // Plans.
  PLAN_INVALID("A test plan cannot be read.", "Correct the value at the reported path.");

  private final String wrong;
  private final String remedy;

  DiagnosticCode(String wrong, String remedy) {
    this.wrong = wrong;
    this.remedy = remedy;
  }

  /// Creates an error.
  ///
  /// @param path where in the document, such as `structure.A1.onValid.spawns[0]`
  public Diagnostic error(String path, Position at, String sentence) {
    return new Diagnostic(Severity.ERROR, name(), "", path, at.line(), at.column(), sentence, "");
  }

  /// Creates a warning.
  ///
  /// @param path where in the document, such as `structure.A1.onValid.spawns[0]`
  public Diagnostic warning(String path, Position at, String sentence) {
    return new Diagnostic(Severity.WARNING, name(), "", path, at.line(), at.column(), sentence, "");
  }

  /// Returns whether a diagnostic has this code.
  public boolean isOf(Diagnostic diagnostic) {
    return diagnostic.code().equals(name());
  }

  /// Returns what is wrong, in a sentence.
  public String wrong() {
    return wrong;
  }

  /// Returns what to do about it, in a sentence.
  public String remedy() {
    return remedy;
  }
}
