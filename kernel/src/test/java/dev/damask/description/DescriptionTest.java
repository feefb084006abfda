package dev.damask.description;

import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.otherwise;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.when;
import static dev.damask.term.Flow.workflow;
import static dev.damask.term.Flow.xor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.compile.Compiler;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.task.Guard;
import dev.damask.task.Retry;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.value.Decoder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class DescriptionTest {
  private static final Path GOLDEN =
      Path.of("src", "test", "resources", "golden", "description-1.txt");

  private static WorkflowDefinition order() {
    return workflow(
        "order",
        par(
            effect("charge", context -> null)
                .undo(context -> null)
                .retry(Retry.exponential(5).except("CardRefused")),
            effect("reserve", context -> null).timeout(Duration.ofMinutes(5))),
        xor(
            when(Guard.named("expensive", context -> true), task("warn", context -> context)),
            otherwise(skip())),
        defer(on("approved", effect("ship")), after(Duration.ofDays(2), skip())));
  }

  @Test
  void a_description_has_the_hash_and_the_names_of_the_original() {
    Program program = Compiler.compile(order());

    Program read = Description.compile(Description.read(Description.of(order())));

    assertThat(read.hash()).isEqualTo(program.hash());
    assertThat(Arrays.stream(read.pools().tasks()).map(Pool.Task::name))
        .containsExactlyElementsOf(
            Arrays.stream(program.pools().tasks()).map(Pool.Task::name).toList());
  }

  @Test
  void a_task_has_the_line_on_which_it_is_written_and_other_parts_that_of_their_first_task() {
    Map<String, String> lines = Description.lines(order());

    String charge = line("effect(\"charge\"");
    assertThat(lines).containsEntry("do.do[0].par[0]", charge);
    assertThat(lines).containsEntry("do.do[0]", charge);
    assertThat(lines).containsEntry("do.do[2].defer[0]", line("defer(on(\"approved\""));
    assertThat(Description.lines(Description.read(Description.of(order())))).isEqualTo(lines);
  }

  @Test
  void calling_a_function_of_a_description_tells_that_the_code_is_missing() {
    Program read = Description.compile(Description.read(Description.of(order())));
    Pool.Task warn =
        Arrays.stream(read.pools().tasks())
            .filter(task -> task.name().equals("warn"))
            .findFirst()
            .orElseThrow();

    assertThatThrownBy(() -> java.util.Objects.requireNonNull(warn.function()).run(Context.empty()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "'warn' is written in Java and a description does not contain it; open the engine with"
                + " the workflow");
  }

  @Test
  void a_deeply_nested_workflow_can_be_described() {
    Term term = skip();
    for (int i = 0; i < 20_000; i++) {
      term = xor(when(Guard.named("g", context -> true), term));
    }
    WorkflowDefinition deep = workflow("deep", term);

    assertThat(Description.of(Description.read(Description.of(deep))))
        .isEqualTo(Description.of(deep));
  }

  @Test
  void bytes_that_are_no_description_are_refused() {
    byte[] bytes = Description.of(order());

    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> Description.read(cut)).isInstanceOf(Decoder.DamagedBytes.class);
    }
    byte[] newer = bytes.clone();
    newer[0] = 99;
    assertThatThrownBy(() -> Description.read(newer))
        .isInstanceOf(Decoder.DamagedBytes.class)
        .hasMessageContaining("format 99");
  }

  @Test
  void the_keys_that_views_redact_are_described() {
    WorkflowDefinition secret = order().withDeclared(order().declared().withRedacted("iban"));

    WorkflowDefinition read = Description.read(Description.of(secret));

    assertThat(read.declared().redacted()).containsExactly("iban");
  }

  @Test
  void the_first_stored_format_is_read() throws IOException {
    byte[] stored = HexFormat.of().parseHex(Files.readString(GOLDEN).strip());

    WorkflowDefinition read = Description.read(stored);

    assertThat(Description.compile(read).hash()).isEqualTo(Compiler.compile(order()).hash());
    assertThat(Description.lines(read)).containsEntry("do.do[0].par[0]", "DescriptionTest.java:43");
  }

  /// Prints the golden file.
  public static void main(String[] arguments) {
    System.out.println(HexFormat.of().formatHex(Description.of(order())));
  }

  private static String line(String text) {
    try {
      var lines =
          Files.readAllLines(
              Path.of(
                  "src", "test", "java", "dev", "damask", "description", "DescriptionTest.java"));
      int index = 0;
      while (!lines.get(index).contains(text)) {
        index++;
      }
      return "DescriptionTest.java:" + (index + 1);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
