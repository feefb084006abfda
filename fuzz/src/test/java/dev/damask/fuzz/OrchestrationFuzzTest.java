package dev.damask.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.damask.check.Diagnostic;
import dev.damask.compile.Compiler;
import dev.damask.graph.GraphDocument;
import dev.damask.registry.Bundle;
import dev.damask.registry.Orchestration;
import dev.damask.source.Rejected;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/// Graphs, rules and bundles: read, or refused with diagnostics and nothing else.
class OrchestrationFuzzTest {
  private static final Quickly QUICKLY = new Quickly();
  private static final String ONE_STEP =
      """
      {"id": "g", "structure": {"A": {"rule": "r"}}}
      """;

  @FuzzTest
  void graphs(byte[] data) {
    String text = new String(data, StandardCharsets.UTF_8);
    QUICKLY.run(() -> {
      Orchestration orchestration = new Orchestration(text, Map.of());
      if (orchestration.check(null, null).stream().noneMatch(Diagnostic::isError)) {
        Compiler.compile(orchestration.workflow());
      }
      String canonical;
      try {
        canonical = GraphDocument.read(text).canonical();
      } catch (Rejected expected) {
        return;
      }
      if (!GraphDocument.read(canonical).canonical().equals(canonical)) {
        throw new AssertionError("written and read it is another graph: " + canonical);
      }
    });
  }

  @FuzzTest
  void rules(byte[] data) {
    String text = new String(data, StandardCharsets.UTF_8);
    QUICKLY.run(() -> {
      Orchestration orchestration = new Orchestration(ONE_STEP, Map.of("r", text));
      if (orchestration.check("A", null).stream().noneMatch(Diagnostic::isError)) {
        Compiler.compile(orchestration.workflow());
      }
    });
  }

  @FuzzTest
  void bundles(byte[] data) {
    String text = new String(data, StandardCharsets.UTF_8);
    QUICKLY.run(() -> {
      try {
        Bundle.read(text).orchestrations().values().forEach(each -> each.check(null, null));
      } catch (Rejected expected) {
        // refused
      }
    });
  }
}
