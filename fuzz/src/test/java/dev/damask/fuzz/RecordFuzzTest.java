package dev.damask.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.Receipt;
import dev.damask.exec.StateCodec;
import dev.damask.store.CaseRecord;
import dev.damask.value.Decoder;
import java.util.Arrays;
import java.util.function.Consumer;

/// What a store holds: read, or refused with `DamagedBytes`. What was read is written alike.
class RecordFuzzTest {
  private static final Quickly QUICKLY = new Quickly();

  @FuzzTest
  void records(byte[] data) {
    QUICKLY.run(() -> {
      attempt(data, bytes -> same(CaseRecord.decode("c", bytes).encode(), "c"));
      attempt(data, bytes -> same(EffectIntent.decode(bytes, _ -> null).encode(), "i"));
      attempt(data, bytes -> same(Receipt.decode(bytes, _ -> null).encode(), "r"));
      attempt(data, StateCodec::requireSound);
      attempt(data, bytes -> new Decoder(bytes).context());
    });
  }

  private static void attempt(byte[] data, Consumer<byte[]> reader) {
    try {
      reader.accept(data.clone());
    } catch (Decoder.DamagedBytes expected) {
      // refused
    }
  }

  /// Several spellings of a number may be read, but only one is ever written.
  private static void same(byte[] written, String kind) {
    byte[] again =
        switch (kind) {
          case "c" -> CaseRecord.decode("c", written).encode();
          case "i" -> EffectIntent.decode(written, _ -> null).encode();
          default -> Receipt.decode(written, _ -> null).encode();
        };
    if (!Arrays.equals(written, again)) {
      throw new AssertionError("written " + Arrays.toString(written));
    }
  }
}
