package dev.damask.effect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.task.Delivery;
import dev.damask.task.EffectId;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import dev.damask.value.Decoder.DamagedBytes;
import dev.damask.value.SharedValue;
import dev.damask.value.Sum;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Stored receipts and intents stay readable, those that contain their values and those that refer
/// to them.
final class GoldenEffectTest {
  private static final Path FILE = Path.of("src/test/resources/golden/rows/effects-1.txt");
  private static final Effect EFFECT =
      new Effect(new EffectId(0x6ca8ae763e8e2d74L), "pay", 2, "http", "c:6ca8");
  private static final Context SMALL = Context.of("a", 1).with("b", "text");
  private static final Context LARGE = SMALL.with("c", "x".repeat(300));

  private static List<Receipt> receipts() {
    Receipt.Body plain = new Receipt.Body(EFFECT, 1_000, new Receipt.Result.Ok(SMALL));
    Receipt.Body shared =
        new Receipt.Body(
            EFFECT, 2_000, new Receipt.Result.Ok(LARGE), Receipt.hash("http", SMALL), 17);
    Receipt.Body late = new Receipt.Body(EFFECT, 3_000, new Receipt.Result.Late(LARGE));
    List<Receipt> chain = new ArrayList<>();
    ReceiptChain end = ReceiptChain.EMPTY;
    for (Receipt.Body body : List.of(plain, shared, late)) {
      Receipt next = end.next(body);
      chain.add(next);
      end = end.with(next);
    }
    // As older versions wrote it: the value is in the receipt.
    chain.add(new Receipt(4, late, Bytes.of(new byte[] {1, 2})));
    return chain;
  }

  private static List<EffectIntent> intents() {
    EffectIntent plain = EffectIntent.of(EFFECT, 7, false, Delivery.KEYED, SMALL);
    EffectIntent large = EffectIntent.of(EFFECT, 7, true, Delivery.AT_MOST_ONCE, LARGE);
    return List.of(plain, large, large.sharing(true), large.asStep().sharing(true));
  }

  private static List<String> lines() {
    List<String> lines = new ArrayList<>();
    receipts().forEach(each -> lines.add("receipt " + HexFormat.of().formatHex(each.encode())));
    intents().forEach(each -> lines.add("intent " + HexFormat.of().formatHex(each.encode())));
    return lines;
  }

  private static SharedValue.Source values() {
    Map<Sum, byte[]> values = new HashMap<>();
    receipts().get(1).values().forEach(value -> values.put(value.hash(), value.bytes()));
    return values::get;
  }

  @Test
  void the_bytes_of_receipts_and_intents_are_those_of_the_first_version() throws IOException {
    List<String> golden = Files.readAllLines(FILE);

    assertThat(golden).isEqualTo(lines());
    for (int i = 0; i < golden.size(); i++) {
      byte[] bytes = HexFormat.of().parseHex(golden.get(i).split(" ", -1)[1]);
      int at = i - receipts().size();
      if (at < 0) {
        assertThat(Receipt.decode(bytes, values())).isEqualTo(receipts().get(i));
      } else {
        assertThat(EffectIntent.decode(bytes, values())).isEqualTo(intents().get(at));
      }
    }
  }

  @Test
  void a_receipt_that_refers_to_a_value_does_not_contain_it_and_needs_it() {
    Receipt shared = receipts().get(1);

    assertThat(shared.isShared()).isTrue();
    assertThat(shared.encode()).hasSizeLessThan(200);
    assertThat(shared.values()).hasSize(1);
    assertThatThrownBy(() -> Receipt.decode(shared.encode(), _ -> null))
        .isInstanceOf(DamagedBytes.class)
        .hasMessageContaining("is missing");
    assertThatThrownBy(() -> Receipt.decode(shared.encode(), _ -> new byte[] {0}))
        .isInstanceOf(DamagedBytes.class)
        .hasMessageContaining("is corrupt");
    assertThat(receipts().getFirst().isShared()).isFalse();
  }
}
