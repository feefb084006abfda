package dev.damask.document;

import dev.damask.document.DocumentNode.Fields;
import dev.damask.task.TaskFunction;
import dev.damask.term.TermPath;
import java.nio.file.Path;
import java.util.Map;

/// Reads workflow documents, in YAML or JSON, into workflows.
///
/// Whatever is wrong with a document comes as a [DocumentProblem] whose message is one line. Texts
/// from strangers are welcome: every size is bounded before it can cost anything.
public final class DocumentReader {
  static final TermPath ROOT = new TermPath(null, "");

  private final DocumentLimits limits;
  private final Map<String, TaskFunction> functions;

  public DocumentReader() {
    this(DocumentLimits.DEFAULT, Map.of());
  }

  /// A reader for which the named tasks are pure functions that run inside the machine.
  public DocumentReader(DocumentLimits limits, Map<String, TaskFunction> functions) {
    this.limits = limits;
    this.functions = Map.copyOf(functions);
  }

  public WorkflowDocument read(Path file) {
    return workflow(file.toString(), DocumentTree.read(file, limits));
  }

  /// Reads a text; the name appears in messages, and its ending may tell JSON from YAML.
  public WorkflowDocument read(String name, String text) {
    return workflow(name, DocumentTree.read(name, text, limits));
  }

  public WorkflowDocument read(String name, byte[] bytes) {
    return workflow(name, DocumentTree.read(name, bytes, limits));
  }

  private WorkflowDocument workflow(String name, DocumentNode root) {
    Findings findings = new Findings(name);
    new GrammarCheck(findings).check(root, new ValueRule.Shaped(Grammar.WORKFLOW), ROOT);
    findings.throwIfAny();
    return checked(findings, (Fields) root);
  }

  /// Makes the workflow out of a tree that is known to fit the grammar.
  WorkflowDocument checked(Findings findings, Fields root) {
    return new WorkflowReader(findings, functions, root).read();
  }

  DocumentLimits limits() {
    return limits;
  }
}
