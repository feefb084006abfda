package dev.damask.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.damask.compile.Compiler;
import dev.damask.document.DocumentProblem;
import dev.damask.document.DocumentReader;
import dev.damask.document.DocumentWriter;
import dev.damask.document.ScenarioReader;
import dev.damask.document.WorkflowDocument;
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

  /// What can be read is well formed and can be compiled; written again it says the same.
  private static void read(String name, byte[] data) {
    WorkflowDocument document;
    try {
      document = new DocumentReader().read(name, data);
    } catch (DocumentProblem expected) {
      return;
    }
    Compiler.compile(document.workflow());
    String written = DocumentWriter.canonical(document);
    WorkflowDocument again = new DocumentReader().read("again.json", written);
    Compiler.compile(again.workflow());
    if (!DocumentWriter.canonical(again).equals(written)) {
      throw new AssertionError("written and read it is another document: " + written);
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
