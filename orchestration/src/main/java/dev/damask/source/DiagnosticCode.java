package dev.damask.source;

import dev.damask.check.Diagnostic;
import dev.damask.check.Diagnostic.Severity;
import dev.damask.json.Position;

public enum DiagnosticCode {
  // Any document.
  NOT_JSON("The text is no JSON.", "Look at the place that is named: what stands there or before."),
  WRONG_TYPE(
      "Something is of another kind than it must be, such as a text where a list belongs.",
      "Write what the message expects."),
  UNKNOWN_KEY("An object has a key that nobody reads.", "Correct its spelling, or leave it out."),
  KEY_MISSING("A key that must be there is not, or is empty.", "Add it."),
  LIMIT_EXCEEDED(
      "Something is longer, larger or more than a limit lets.",
      "Make it smaller, or share it out among several steps; the limits are above."),
  NUMBER_INVALID(
      "A number is no whole number, or not in its range.", "Write one that the message allows."),

  // Graph documents.
  ID_MISSING("The graph has no id.", "Give it one under 'id'."),
  STRUCTURE_EMPTY("The graph has no steps.", "Describe at least one under 'structure'."),
  INVALID_STEP_ID(
      "The name of a step has other characters than letters, digits, '_' and '-', or does not"
          + " begin with a letter.",
      "Rename the step wherever it is named."),
  STEP_RULE_MISSING("A step has no rule.", "Name under 'rule' the key of its rule document."),
  DRAFT_RULE(
      "The rule of a step is still a placeholder of a draft.",
      "Write the key of the rule; 'damask run' and plans do that by themselves."),
  SPAWN_TARGET_UNKNOWN(
      "A branch spawns a step that the graph does not have.",
      "Correct the name, or describe the step."),
  SELF_SPAWN_RETRY_LOOP(
      "A step spawns itself: it is tried again and again. This is a warning.",
      "Leave it if that is meant, and give the rule a 'waitSec' and a way to end."),
  JOIN_ID_MISSING("A join has no target.", "Name under 'joinid' the step that waits for it."),
  JOIN_TARGET_UNKNOWN(
      "The target of a join is a step that the graph does not have.",
      "Correct 'joinid', or describe the step."),
  JOIN_FROM_EMPTY("A join waits for nobody.", "List under 'from' the steps that deliver to it."),
  JOIN_FROM_UNKNOWN(
      "A source of a join is a step that the graph does not have.",
      "Correct 'node', or describe the step."),
  JOIN_FROM_REPEATED(
      "A step is a source of one join more than once. This is a warning.",
      "Leave one entry; 'when: any' accepts either outcome."),
  JOIN_WHEN_INVALID(
      "A source says when it counts in a word that is not known.", "Write valid, invalid or any."),
  JOIN_THRESHOLD_INVALID(
      "The mode of a join is not known, or its number does not fit the number of sources.",
      "Write any, all, or kofn with a 'k' from 1 to the number of sources."),
  JOIN_WAIT_INVALID(
      "What becomes of the rest of a join is said in a word that is not known.",
      "Write drain or kill under 'waitonjoin'."),
  JOIN_UNFULFILLABLE(
      "So many sources of a join cannot come about from its branch that it would always be given"
          + " up.",
      "Spawn the sources in the branch that declares the join, or from its children without a join"
          + " of their own."),
  JOIN_SOURCE_UNREACHABLE(
      "A source of a join cannot come about from its branch; the others suffice. This is a"
          + " warning.",
      "Spawn it there, or take it out of 'from'."),
  ENTRY_STEP_UNKNOWN(
      "The first step is one that the graph does not have.", "Name a step of the graph."),
  RULE_UNKNOWN(
      "There is no rule document of the key that a step names.",
      "Put the rule into the registry or the folder of rules, or correct the key."),
  ENTRY_INPUT_MISSING(
      "The first step requires an input that the start payload does not have.",
      "Give it, or declare a default in the rule."),
  REQUIRED_INPUT_NOT_PROVIDED(
      "A step requires an input that not every way to it brings; without it the step is invalid."
          + " This is a warning. Branches that cannot be taken do not count.",
      "Put the key into the payloads of the branches before, or declare a default."),

  // Rule documents.
  PAYLOAD_MISSING("The rule does not declare its inputs.", "Add 'payload'; {} stands for none."),
  PAYLOAD_FIELD_KEY_INVALID(
      "An input has a name that expressions cannot use.",
      "Use letters, digits and '_', and no digit first."),
  TYPE_INVALID("A type is missing or not known.", "Write one of the types above."),
  DEFAULT_INVALID("A default cannot be cast to its type.", "Correct the default or the type."),
  RULE_EXPR_INVALID(
      "A rule is no condition: it has no 'expression', other keys besides 'type', or a text that"
          + " cannot be compiled.",
      "Write a text, or an object with 'expression' and perhaps 'type'."),
  RULE_TYPE_INVALID(
      "A rule has a type that is not known.", "Write validate, abortStep or cancelSession."),
  RULE_WEAK_PROSE(
      "A rule reads like a sentence and not like a condition. This is a warning.",
      "Write an expression over placeholders, such as [amount] > 0."),
  EXPRESSION_INVALID(
      "A text that is taken for an expression cannot be compiled.",
      "Correct it; if it is meant as a text, put it into quotes."),
  EXPRESSION_TYPE_MISMATCH(
      "An operator has operands of types that do not fit together, such as int64 and double.",
      "Convert one of them, such as double([n]); a literal takes the type of its neighbour."),
  ENGINE_KEY(
      "A rule declares a name that the engine sets: from or pid. This is a warning.",
      "Choose another name; the engine's value is the one that expressions see."),
  PLACEHOLDER_UNKNOWN(
      "A placeholder names something that has no value there.",
      "Declare it in 'payload', read or extract it before, or correct the name."),
  PLACEHOLDER_MALFORMED(
      "The brackets of a template do not fit together.",
      "Write [name] for a placeholder and [[ or ]] for a bracket."),
  DOLLAR_PLACEHOLDER("A text has a placeholder with a dollar.", "Write [name] and not ${name}."),
  SAVEAS_SLOT_INVALID(
      "A slot of 'saveAs' is no number.", "Write \"0\" for the first output of the read."),
  SAVEAS_KEY_INVALID(
      "The key under which a read is kept has a name that expressions cannot use.",
      "Use letters, digits and '_', and no digit first."),
  SAVEAS_KEY_REPEATED(
      "Two reads or extracts are kept under one key.", "Give each a key of its own."),
  API_NAME_REPEATED("Two calls of a rule have one name.", "Give each a name of its own."),
  API_METHOD_INVALID("A call has a method that is not known.", "Write GET, POST, PUT or PATCH."),
  API_CONTENT_INVALID(
      "A call sends something else than JSON.", "Write json under 'contentType', or leave it out."),
  API_HEADER_INVALID(
      "A header has a name or a value that cannot be sent, or is one that frames the message.",
      "Leave out host, content-length and their like, and control characters."),
  API_TIMEOUT_INVALID(
      "A time-out is no whole number from 1 on.", "Write milliseconds, at most 8000."),
  EXTRACTMAP_KEY_INVALID(
      "An extract has a name that expressions cannot use.",
      "Use letters, digits and '_', and no digit first."),
  EXTRACTMAP_ALIAS_REPEATED(
      "Two extracts or reads of a rule are kept under one key.", "Give each a key of its own."),
  EXTRACTMAP_VALUE_INVALID(
      "An extract has no 'value', has 'expr' besides, or one that cannot be compiled.",
      "Write one expression over resp, such as resp.items[0].price."),
  TYPED_VALUE_INVALID(
      "A typed value has neither 'value' nor 'expr', or both.", "Leave one of them."),
  BRANCH_PAYLOAD_SCHEMA_INVALID(
      "The payload of a branch has a key that expressions cannot use, or one of the engine.",
      "Use letters, digits and '_', no digit first, and no two '_' first."),
  ENCRYPT_LOGS_UNSUPPORTED(
      "The rule asks for encrypted logs, which are not built.",
      "Leave 'encryptLogs' out or set it to false, and keep secrets in __secret keys."),
  GRANT_INVALID(
      "A grant has no address, or no rights.", "Write an address and a sum of 1, 2 and 4."),
  WAKEUP_INVALID(
      "A wake-up does not say whom it wakes.",
      "Write 'runner', the owner of the session; 'sessionId', from 1 on or an expression; and"
          + " 'stepId'."),
  WAIT_INVALID(
      "A wait is neither a whole number from 0 on nor an expression.",
      "Write seconds under 'waitSec', or milliseconds since 1970 under 'waitUntilMs'."),

  // Bundles.
  BUNDLE_FORMAT_INVALID(
      "The file does not say that it is a bundle.", "Write xgr-multi-bundle@1 under 'format'."),
  BUNDLE_TIME_INVALID(
      "The time of a bundle is missing or no time.",
      "Write one such as 2026-01-31T12:00:00Z under 'createdAt'."),
  BUNDLE_ITEMS_INVALID(
      "A bundle has no id, not exactly one graph, or no rule.",
      "Give it a 'bundleId', one item of type xrc729 and one of type xrc137 for each rule."),
  BUNDLE_ITEM_INVALID(
      "An item of a bundle has no document or a type that is not known.",
      "Write xrc729 for the graph or xrc137 for a rule, and the object under 'document'."),
  ALIAS_INVALID(
      "An alias is missing, repeated, or has other characters than letters, digits, '_' and '-'.",
      "Give every rule an alias of its own of 2 to 128 characters."),
  ALIAS_UNRESOLVED(
      "A step names an alias that no rule of the bundle has.",
      "Correct the alias behind cm:xrc137:, or add the rule."),
  RULE_UNUSED(
      "No step of the bundle's graph uses a rule. This is a warning.",
      "Take the rule out, or name it in a step."),

  // Plans.
  PLAN_INVALID("A test plan cannot be read.", "Correct what stands at the place that is named.");

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

  /// What is wrong, in a sentence.
  public String wrong() {
    return wrong;
  }

  /// What to do about it, in a sentence.
  public String remedy() {
    return remedy;
  }
}
