package dev.damask.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.attribute.AttributeValue;
import dev.damask.attribute.CaseFacts;
import dev.damask.compile.Compiler;
import dev.damask.effect.Effect;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.Pause;
import dev.damask.program.Program;
import dev.damask.store.MemoryStore;
import dev.damask.store.RowChange;
import dev.damask.store.TableRow;
import dev.damask.task.Delivery;
import dev.damask.task.EffectId;
import dev.damask.task.EffectTemplate;
import dev.damask.term.Flow;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import dev.damask.value.Decoder;
import dev.damask.value.EffectSpec;
import dev.damask.value.Encoder;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/// Facts of cases, pauses of intents, and rows of incidents and signatures stay readable: their
/// bytes are compared with those of the first version.
final class GoldenRowsTest {
  private static final Path FILE = Path.of("src/test/resources/golden/rows/facts-1.txt");
  private static final long NOW = 1_700_000_000_000L;
  private static final Pause.Incident INCIDENT =
      new Pause.Incident(NOW, "pay[2]#1", "timeout", "the attempt timed out");
  private static final Pause.Permit PERMIT = new Pause.Permit(NOW + 1);

  /// The request of an effect with a signature.
  private record Signed(String signature) implements EffectTemplate {
    @Override
    public EffectSpec specFor(Context context) {
      return EffectSpec.of("pay");
    }
  }

  private static CaseFacts facts() {
    TreeMap<String, AttributeValue> values = new TreeMap<>();
    values.put("customer", new AttributeValue.Text("acme"));
    values.put("price", AttributeValue.of(new BigDecimal("42.50")));
    values.put("rush", AttributeValue.of(true));
    values.put("due", AttributeValue.of(Instant.ofEpochMilli(NOW)));
    TreeMap<String, String> problems = new TreeMap<>();
    problems.put("note", "it has 300 bytes, an attribute has at most 256");
    return new CaseFacts(values, problems, List.of("pay", "ship"));
  }

  private static EffectIntent parked() {
    Effect effect = new Effect(new EffectId(0x6ca8ae763e8e2d74L), "pay", 3, "bank", "one:6ca8");
    return EffectIntent.of(effect, 7, false, Delivery.KEYED, Context.of("n", 1)).parked(INCIDENT);
  }

  private static TableRow incident() {
    EffectIntent intent = parked();
    RowChange change =
        IncidentRows.changes(
                new IncidentRows.Subject("one", "order"),
                Map.of(intent.id(), Optional.empty()),
                _ -> intent)
            .getFirst();
    return change.row();
  }

  private static Program program(String signature) {
    return Compiler.compile(
        Flow.workflow("order", Flow.effect("pay", new Signed(signature), context -> null)));
  }

  private static TableRow signature() {
    MemoryStore store = new MemoryStore();
    assertThat(SignatureRows.update(store, program("(n: int) -> ()"), NOW)).isEmpty();
    return store.table().rows(SignatureRows.KIND, null, 2).getFirst();
  }

  private static String hex(Consumer<Encoder> writer) {
    Encoder out = new Encoder();
    writer.accept(out);
    return HexFormat.of().formatHex(out.toBytes());
  }

  private static String line(TableRow row) {
    return "%s %s/%s %s"
        .formatted(
            row.kind(),
            row.key().replace(' ', '_'),
            row.version(),
            HexFormat.of().formatHex(row.value().toArray()));
  }

  private static List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add("facts - " + hex(facts()::write));
    lines.add("pause - " + hex(out -> Pause.write(out, INCIDENT)));
    lines.add("pause - " + hex(out -> Pause.write(out, PERMIT)));
    lines.add(line(incident()));
    lines.add(line(signature()));
    return lines;
  }

  private static Decoder stored(List<String> golden, int line) {
    return new Decoder(HexFormat.of().parseHex(golden.get(line).split(" ", -1)[2]));
  }

  @Test
  void the_bytes_are_those_of_the_first_version_and_are_read() throws IOException {
    List<String> golden = Files.readAllLines(FILE);

    assertThat(golden).isEqualTo(lines());
    assertThat(CaseFacts.read(stored(golden, 0))).isEqualTo(facts());
    assertThat(Pause.read(stored(golden, 1))).isEqualTo(INCIDENT);
    assertThat(Pause.read(stored(golden, 2))).isEqualTo(PERMIT);
    assertThat(IncidentRows.read(incident()))
        .hasToString(
            "case one: task pay[2]#1 of workflow order is an incident after attempt 3: timeout:"
                + " the attempt timed out");
  }

  @Test
  void a_stored_signature_is_compared_with_that_of_the_code() throws IOException {
    String[] stored = Files.readAllLines(FILE).get(4).split(" ", -1);
    MemoryStore store = new MemoryStore();
    Bytes value = Bytes.of(HexFormat.of().parseHex(stored[2]));
    TableRow row = new TableRow(SignatureRows.KIND, stored[1].split("/", -1)[0], 1, value);
    store.commit(dev.damask.store.CommitBatch.ofRows(List.of(new RowChange.Put(row)))).join();

    SignatureRows.update(store, program("(n: int) -> ()"), NOW + 1);
    assertThat(store.table().rows(SignatureRows.KIND, null, 9)).containsExactly(row);
    SignatureRows.update(store, program("(n: long) -> ()"), NOW + 1);
    assertThat(store.table().rows(SignatureRows.KIND, null, 9)).hasSize(2);
  }

  /// Prints the golden file.
  public static void main(String[] arguments) {
    lines().forEach(System.out::println);
  }
}
