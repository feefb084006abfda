package dev.damask.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.damask.check.Diagnostic;
import dev.damask.check.TermCheck;
import dev.damask.compile.Compiler;
import dev.damask.document.DocumentProblem;
import dev.damask.document.DocumentReader;
import dev.damask.document.DocumentWriter;
import dev.damask.document.WorkflowDocument;
import dev.damask.scenario.ScenarioReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/// Workflow and scenario documents: read, or refused with a `DocumentProblem` and nothing else.
class DocumentFuzzTest {
  private static final Quickly QUICKLY = new Quickly();
  private static final Path NOWHERE = Path.of("no", "such", "folder");

  @FuzzTest
  void workflows(byte[] data) {
    QUICKLY.run(() -> {
      read("w.yaml", data);
      read("w.json", data);
    });
  }

  /// What can be read can be checked and compiled; written and read again it says the same.
  private static void read(String name, byte[] data) {
    WorkflowDocument document;
    try {
      document = new DocumentReader().read(name, data);
    } catch (DocumentProblem expected) {
      return;
    }
    compile(document);
    String written;
    try {
      written = DocumentWriter.canonical(document);
    } catch (DocumentWriter.NotWritable expected) {
      return; // an expression that is just `java` looks like one written in Java
    }
    WorkflowDocument again = new DocumentReader().read("again.json", written);
    compile(again);
    if (!DocumentWriter.canonical(again).equals(written)) {
      throw new AssertionError("written and read it is another document: " + written);
    }
  }

  /// What the check finds no error in can be compiled.
  private static void compile(WorkflowDocument document) {
    if (TermCheck.check(document.workflow()).stream().noneMatch(Diagnostic::isError)) {
      Compiler.compile(document.workflow());
    }
  }

  @FuzzTest
  void scenarios(byte[] data) {
    String text = new String(data, StandardCharsets.UTF_8);
    QUICKLY.run(() -> {
      try {
        new ScenarioReader().read("s.json", text, NOWHERE);
      } catch (DocumentProblem expected) {
        // refused
      }
      try {
        new ScenarioReader().readEvents("e.yaml", text);
      } catch (DocumentProblem expected) {
        // refused
      }
    });
  }
}
