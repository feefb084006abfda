package dev.damask.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.compile.Compiler;
import dev.damask.document.DocumentReader;
import dev.damask.document.WorkflowDocument;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class TrialDataTest {
  @Test
  void variables_of_macros_get_no_value_and_fractions_are_tried_as_written() throws Exception {
    String text =
        """
        workflow: w
        do: {loop: {while: "l.exists(x, x.k == 'y') || ctx.a.b > 0.5"}, do: {task: A}}
        """;
    WorkflowDocument document =
        new DocumentReader().read("w.yaml", text.getBytes(StandardCharsets.UTF_8));
    TrialData data = TrialData.of(Compiler.compile(document.workflow()));
    SplittableRandom random = new SplittableRandom(1);
    Set<@Nullable Object> tried = new HashSet<>();

    for (int i = 1; i < 400; i++) {
      Map<String, Object> context = data.draft(random, i, 1).map(0);
      assertThat(context).containsOnlyKeys("a", "l");
      if (context.get("a") instanceof Map<?, ?> inner) {
        tried.add(inner.get("b"));
      }
    }

    assertThat(tried).contains(0.5, 1.5).doesNotContain(5L);
  }
}
