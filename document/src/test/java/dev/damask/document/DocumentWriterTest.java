package dev.damask.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.json.JsonLimits;
import dev.damask.json.JsonWriter;
import dev.damask.term.Flow;
import dev.damask.term.WorkflowDefinition;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class DocumentWriterTest {
  @Test
  void what_is_written_is_read_back_as_the_same_and_written_the_same() {
    Map<Path, WorkflowDocument> workflows = ScenarioWorkflows.all();

    assertThat(workflows).hasSizeGreaterThan(200);
    workflows.forEach((file, document) -> {
      String once = DocumentWriter.canonical(document);

      String twice = DocumentWriter.canonical(new DocumentReader().read("again.json", once));

      assertThat(twice).as("%s", file).isEqualTo(once);
    });
  }

  @Test
  void everything_said_in_a_document_comes_back() {
    String text =
        """
        {"workflow": "w", "version": "2", "description": "d", "mode": "explicit",
         "input": {"type": "object"}, "context": {"n": 1},
         "schedule": {"cron": "0 2 * * MON", "zone": "Europe/Berlin", "overlap": "queue",
          "catchUp": {"within": "PT6H"}, "with": {"n": 2}},
         "assert": [{"atMostOnce": "A"}, {"mayEnd": ["cancelled", "failed"]}],
         "places": {"p": {"external": true, "lifetime": "transient"}, "q": {"init": 2}},
         "definitions": {"F": {"places": {"r": {}}, "do": {"skip": true}}},
         "limits": {"callDepth": 7, "bufferedBytes": 5000, "resultBytes": 600,
          "quantum": 9, "time": "PT1H"},
         "do": {"cancel": "R", "holding": ["q"], "timeout": "PT10S", "onTimeout": {"skip": true},
          "catch": {"fail": "again"}, "undo": true, "allow": ["http"], "notify": "alarm",
          "do": {"seq": [
           {"task": "A", "effect": {"type": "http", "with": {"url": "${u}/x", "k": "${secret.K}"}},
            "key": "n", "delivery": "read", "timeout": "PT1S", "result": "r", "cost": 1.5,
            "retry": {"max": 2, "delay": "PT1S", "backoff": 2.0, "jitter": 0.1},
            "description": "a", "undo": {"set": {"a": "n + 1"}}},
           {"mi": "m", "count": "n", "min": 1, "max": 5, "open": true, "need": "done > 1",
            "rest": "cancel", "collect": "c", "do": {"emit": "p", "with": {"v": "n"}}},
           {"mi": "o", "count": "0", "open": "untilClosed", "do": {"break": "R"}},
           {"par": [{"skip": true}, {"skip": true}], "merge": {"collect": ["a", "b"]}},
           {"milestone": "z", "do": {"skip": true}},
           {"cancel": "S", "marking": "z", "do": {"skip": true}},
           {"child": "billing", "id": "'b-' + u", "with": {"n": "n + 1"}, "result": "b",
            "description": "c"},
           {"child": "audit", "detached": true},
           {"kill": "R", "as": "complete"}, {"call": "F"}]}}}
        """;

    String written = DocumentWriter.canonical(new DocumentReader().read("w.json", text));

    assertThat(written)
        .isEqualTo(
            JsonWriter.canonical(
                FieldReader.value(DocumentTree.read("w.json", text, JsonLimits.DEFAULT))));
  }

  @Test
  void schemas_of_payloads_and_results_are_written() {
    String text =
        """
        {"workflow": "w", "places": {"p": {"external": true, "input": {"required": ["by"]}}},
         "do": {"seq": [{"defer": [{"take": ["p"], "do": {"skip": true}}]},
          {"task": "a", "output": {"properties": {"n": {"type": "integer"}}}}]}}
        """;

    String written = DocumentWriter.canonical(new DocumentReader().read("w.json", text));

    assertThat(written)
        .isEqualTo(
            JsonWriter.canonical(
                FieldReader.value(DocumentTree.read("w.json", text, JsonLimits.DEFAULT))));
  }

  @Test
  void a_java_function_cannot_be_written_and_is_named() {
    WorkflowDefinition workflow = Flow.workflow("w", Flow.task("charge", context -> context));
    WorkflowDocument document =
        new WorkflowDocument(
            workflow, InputSchema.NONE, InputSchema.NONE, List.of(), RunLimits.NONE, Map.of());

    assertThatThrownBy(() -> DocumentWriter.canonical(document))
        .isInstanceOf(DocumentWriter.NotWritable.class)
        .hasMessage("the function of task 'charge' cannot be written in a document");
  }
}
