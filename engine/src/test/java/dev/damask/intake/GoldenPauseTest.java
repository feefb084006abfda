package dev.damask.intake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseOptions;
import dev.damask.caller.CaseOrigin;
import dev.damask.caller.CasePause;
import dev.damask.event.Input;
import dev.damask.event.TokenId;
import dev.damask.store.TableRow;
import dev.damask.task.EffectId;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/// What is stored of a paused case stays readable: its bytes are compared with those of the first
/// version.
final class GoldenPauseTest {
  private static final Path FILE = Path.of("src/test/resources/golden/rows/pauses-1.txt");
  private static final long NOW = 1_700_000_000_000L;

  private static List<Request> requests() {
    return List.of(
        new Request.Feed(
            "one", new Input.Signal("go", Context.of("n", 1)), "m-1", new CompletableFuture<>()),
        new Request.Feed(
            "one",
            new Input.ChangeData(new TokenId(3), Context.of("price", 2), "a typing error"),
            null,
            new CompletableFuture<>()),
        new Request.Answer(
            "one",
            new EffectId(77),
            new Request.Verdict.Done(Context.of("paid", true)),
            new CompletableFuture<>()));
  }

  private static CaseTerms terms() {
    return CaseTerms.of(CaseOptions.DEFAULT, NOW)
        .withPause(new CasePause(NOW, "a wrong order", 2, true))
        .withOrigin(new CaseOrigin("zero", 7));
  }

  private static List<StoredInput> inputs() {
    List<StoredInput> inputs = new ArrayList<>();
    for (Request request : requests()) {
      var message = Objects.requireNonNull(CaseMessages.of(request, ""));
      inputs.add(new StoredInput(inputs.size() + 1L, NOW + 5, message));
    }
    return inputs;
  }

  private static List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (StoredInput input : inputs()) {
      TableRow row = input.row();
      lines.add(
          "%s %d %s"
              .formatted(
                  row.key(), row.version(), HexFormat.of().formatHex(row.value().toArray())));
    }
    lines.add("terms 0 " + HexFormat.of().formatHex(terms().encode().toArray()));
    return lines;
  }

  @Test
  void the_bytes_of_stored_inputs_and_of_a_pause_are_those_of_the_first_version()
      throws IOException {
    List<String> golden = Files.readAllLines(FILE);

    assertThat(golden).isEqualTo(lines());
    for (int i = 0; i < inputs().size(); i++) {
      String[] parts = golden.get(i).split(" ", -1);
      Bytes value = Bytes.of(HexFormat.of().parseHex(parts[2]));
      TableRow row = new TableRow(StoredInput.KIND, parts[0], Long.parseLong(parts[1]), value);
      assertThat(StoredInput.of(row)).isEqualTo(inputs().get(i));
    }
    byte[] terms = HexFormat.of().parseHex(golden.getLast().split(" ", -1)[2]);
    assertThat(CaseTerms.decode(Bytes.of(terms))).isEqualTo(terms());
  }
}
