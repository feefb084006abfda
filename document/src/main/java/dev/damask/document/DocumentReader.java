package dev.damask.document;

import dev.damask.json.Json;
import dev.damask.json.Json.Fields;
import dev.damask.json.JsonLimits;
import dev.damask.task.TaskFunction;
import dev.damask.term.TermPath;
import dev.damask.value.Bytes;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;

/// Reads workflow documents in YAML or JSON.
///
/// Throws [DocumentProblem] for every error in a document; its message is one line. Untrusted
/// documents are safe to read: every size is limited before it can cost time or memory.
public final class DocumentReader {
  static final TermPath ROOT = new TermPath(null, "");

  private final JsonLimits limits;
  private final Map<String, TaskFunction> functions;

  /// Creates a reader with the default limits and without functions.
  public DocumentReader() {
    this(JsonLimits.DEFAULT, Map.of());
  }

  /// Creates a reader for which the named tasks are pure functions that run inside the machine.
  public DocumentReader(JsonLimits limits, Map<String, TaskFunction> functions) {
    this.limits = limits;
    this.functions = Map.copyOf(functions);
  }

  /// Reads a file.
  public WorkflowDocument read(Path file) {
    return workflow(file.toString(), DocumentTree.read(file, limits));
  }

  /// Reads a string. The name appears in messages, and its extension may distinguish JSON from
  /// YAML.
  public WorkflowDocument read(String name, String text) {
    return workflow(name, DocumentTree.read(name, text, limits));
  }

  /// Interprets a parsed document.
  public WorkflowDocument read(DocumentSource source) {
    return workflow(source.name(), source.root());
  }

  /// Reads bytes. The name appears in messages, and its extension may distinguish JSON from YAML.
  public WorkflowDocument read(String name, byte[] bytes) {
    return workflow(name, DocumentTree.read(name, bytes, limits));
  }

  /// Reads and parses a file with the limits of this reader.
  public DocumentSource parse(Path file) {
    return DocumentSource.read(file, limits);
  }

  /// Parses a string with the limits of this reader.
  public DocumentSource parse(String name, String text) {
    Json root = DocumentTree.read(name, text, limits);
    return new DocumentSource(name, Bytes.of(text.getBytes(StandardCharsets.UTF_8)), root);
  }

  /// Interprets a workflow inside another document, whose shape has been checked.
  public WorkflowDocument readNested(FieldReader outer, String key) {
    return checked(outer.diagnostics(), (Fields) outer.require(key));
  }

  private WorkflowDocument workflow(String name, Json root) {
    if (root instanceof Fields fields && fields.get("scenario") != null) {
      throw DocumentTree.problem(name, "a scenario, not a workflow; 'damask test' runs scenarios");
    }
    Diagnostics diagnostics = new Diagnostics(name);
    new GrammarCheck(diagnostics).check(root, new ValueRule.Shaped(Grammar.WORKFLOW), ROOT);
    diagnostics.throwIfAny();
    return checked(diagnostics, (Fields) root);
  }

  /// Creates the workflow from a tree that fits the grammar.
  private WorkflowDocument checked(Diagnostics diagnostics, Fields root) {
    return new WorkflowReader(diagnostics, functions, root).read();
  }
}
