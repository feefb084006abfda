package dev.damask.intake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseOptions;
import dev.damask.program.ProgramHash;
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
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Stored messages and links of child cases stay readable.
final class GoldenMessageTest {
  private static final Path FILE = Path.of("src/test/resources/golden/rows/messages-1.txt");
  private static final EffectId TASK = new EffectId(0x6ca8ae763e8e2d74L);

  private static List<FamilyMessage> messages() {
    return List.of(
        new FamilyMessage.Start(
            "p:c",
            "p",
            TASK,
            "billing",
            Optional.of(new ProgramHash(1, 2)),
            3,
            true,
            true,
            Optional.of(List.of("child", "log")),
            "MIN",
            Context.of("n", 1),
            ""),
        new FamilyMessage.Start(
            "p:d",
            "p",
            TASK,
            "billing",
            Optional.empty(),
            1,
            false,
            false,
            Optional.empty(),
            "",
            Context.empty(),
            ""),
        new FamilyMessage.Started("p", "p:c", TASK),
        new FamilyMessage.Completed("p", "p:c", TASK, Context.of("m", 2)),
        new FamilyMessage.Failed("p", "p:c", TASK, "child", "it failed"),
        new FamilyMessage.Cancel("p:c", "p", TASK));
  }

  private static FamilyMessage signal() {
    return new FamilyMessage.Signalled(
        "p", new EffectId(3), "approved", Context.of("by", "eve"), "m-1", "00-1-2-01");
  }

  private static String line(TableRow row) {
    return row.kind() + " " + row.key() + " " + HexFormat.of().formatHex(row.value().toArray());
  }

  private static List<String> lines() {
    List<String> lines = new ArrayList<>();
    messages().forEach(each -> lines.add(line(each.row())));
    lines.add(line(ChildRow.of("p", "pay", (FamilyMessage.Start) messages().getFirst())));
    CaseTerms terms =
        CaseTerms.of(CaseOptions.DEFAULT, 0).withParent(new ParentLink("p", TASK, 2, false, true));
    lines.add("terms - " + HexFormat.of().formatHex(terms.encode().toArray()));
    return lines;
  }

  @Test
  void the_bytes_of_messages_and_links_are_those_of_the_first_version() throws IOException {
    List<String> golden = Files.readAllLines(FILE);

    assertThat(golden).isEqualTo(lines());
    for (int i = 0; i < messages().size(); i++) {
      String[] parts = golden.get(i).split(" ", -1);
      Bytes value = Bytes.of(HexFormat.of().parseHex(parts[2]));
      assertThat(FamilyMessage.of(new TableRow(parts[0], parts[1], 0, value)))
          .isEqualTo(messages().get(i));
    }
    byte[] terms = HexFormat.of().parseHex(golden.getLast().split(" ", -1)[2]);
    assertThat(CaseTerms.decode(Bytes.of(terms)).parent())
        .isEqualTo(new ParentLink("p", TASK, 2, false, true));
  }

  @Test
  void the_bytes_of_a_signal_that_waits_for_code_are_those_of_the_first_version()
      throws IOException {
    FamilyMessage signal = signal();
    Path file = Path.of("src/test/resources/golden/rows/messages-2.txt");

    assertThat(Files.readString(file).strip()).isEqualTo(line(signal.row()));
    assertThat(FamilyMessage.of(signal.row())).isEqualTo(signal);
    assertThat(signal.row().key()).startsWith(FamilyMessage.Signalled.prefix("p"));
  }

  private static FamilyMessage traced() {
    return new FamilyMessage.Start(
        "p:e",
        "p",
        TASK,
        "billing",
        Optional.empty(),
        1,
        false,
        false,
        Optional.empty(),
        "",
        Context.of("n", 1),
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  }

  @Test
  void the_bytes_of_a_start_with_a_tracing_context_are_those_of_the_first_version()
      throws IOException {
    Path file = Path.of("src/test/resources/golden/rows/messages-3.txt");

    assertThat(Files.readString(file).strip()).isEqualTo(line(traced().row()));
    assertThat(FamilyMessage.of(traced().row())).isEqualTo(traced());
  }

  /// Prints the golden files of the signal and of the start with a tracing context.
  public static void main(String[] arguments) {
    System.out.println(line(signal().row()));
    System.out.println(line(traced().row()));
  }
}
