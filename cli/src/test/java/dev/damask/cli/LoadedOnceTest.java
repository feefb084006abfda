package dev.damask.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cli.command.Exit;
import dev.damask.cli.command.StoreFolder;
import dev.damask.json.JsonReader;
import dev.damask.store.Store;
import dev.damask.store.StoredProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedMethod;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A command parses, interprets, checks and compiles its document once. Flight Recorder counts the
/// calls.
final class LoadedOnceTest {
  private static final String COUNTED =
      "dev.damask.document.YamlTree::read;dev.damask.document.WorkflowReader::read"
          + ";dev.damask.check.TermCheck::check;dev.damask.compile.Compiler::run";
  private static final Map<String, Long> ONCE =
      Map.of("YamlTree", 1L, "WorkflowReader", 1L, "TermCheck", 1L, "Compiler", 1L);

  private static final String WORKFLOW =
      """
      workflow: small
      places:
        go: {external: true}
      do:
        - task: a
          set: {x: "1"}
        - defer:
            - take: go
              do: {task: b, set: {y: "2"}}
      """;

  @TempDir Path folder;

  private Path document() throws IOException {
    return Files.writeString(folder.resolve("small.yaml"), WORKFLOW);
  }

  private Map<String, Long> calls(int exit, String... arguments) throws IOException {
    Path file = folder.resolve("calls.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("jdk.MethodTiming").with("filter", COUNTED).with("period", "endChunk");
      recording.start();
      Shell done = Shell.damask(arguments);
      recording.stop();
      recording.dump(file);
      assertThat(done.exit()).as(done.err()).isEqualTo(exit);
    }
    Map<String, Long> calls = new TreeMap<>();
    for (RecordedEvent event : jdk.jfr.consumer.RecordingFile.readAllEvents(file)) {
      if (event.getEventType().getName().equals("jdk.MethodTiming")) {
        RecordedMethod method = event.getValue("method");
        String type = method.getType().getName();
        calls.merge(
            type.substring(type.lastIndexOf('.') + 1), event.getLong("invocations"), Long::sum);
      }
    }
    return calls;
  }

  @Test
  void a_run_on_a_store_loads_its_document_once() throws IOException {
    String store = folder.resolve("store").toString();

    assertThat(calls(Exit.WAITING, "run", document().toString(), "--store", store)).isEqualTo(ONCE);
  }

  @Test
  void a_traced_run_and_a_later_run_without_the_document_load_it_once() throws IOException {
    String store = folder.resolve("store").toString();
    String[] traced = {"run", document().toString(), "--store", store, "--trace", "full"};

    assertThat(calls(Exit.WAITING, traced)).isEqualTo(ONCE);
    assertThat(calls(Exit.WAITING, "run", "--store", store)).isEqualTo(ONCE);
  }

  @Test
  void other_commands_load_their_document_once() throws IOException {
    String store = folder.resolve("store").toString();
    Shell.damask("run", document().toString(), "--store", store, "--id", "one");

    assertThat(calls(Exit.WAITING, "run", document().toString())).isEqualTo(ONCE);
    assertThat(calls(Exit.OK, "compile", document().toString())).isEqualTo(ONCE);
    assertThat(calls(Exit.OK, "draw", document().toString())).isEqualTo(ONCE);
    assertThat(calls(Exit.OK, "check", document().toString())).isEqualTo(ONCE);
    assertThat(calls(Exit.OK, "show", store, "one")).isEqualTo(ONCE);
    assertThat(calls(Exit.OK, "cases", store)).isEqualTo(ONCE);
    assertThat(calls(Exit.OK, "signal", store, "one", "go")).isEqualTo(ONCE);
  }

  @Test
  void the_store_keeps_the_bytes_that_were_compiled() throws IOException {
    Path path = folder.resolve("store");
    Shell.damask("run", document().toString(), "--store", path.toString());

    try (Store store = new StoreFolder(path).open()) {
      assertThat(store.programs())
          .extracting(StoredProgram::source)
          .extracting(source -> JsonReader.decode(source.toArray()))
          .containsExactly(WORKFLOW);
    }
  }
}
