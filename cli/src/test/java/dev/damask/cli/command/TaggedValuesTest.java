package dev.damask.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cli.Shell;
import dev.damask.json.JsonWriter;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

final class TaggedValuesTest {
  @Test
  void every_kind_of_value_comes_back_the_same() {
    Context context =
        Context.of("null", null, "text", "a\"\\\n\t\u0001 ü 😀 \u007f")
            .with("flag", true)
            .with("long", Long.MIN_VALUE)
            .with("double", 1.0)
            .with("small", 4.9E-324)
            .with("negative zero", -0.0)
            .with("not a number", Double.NaN)
            .with("endless", Double.NEGATIVE_INFINITY)
            .with("decimal", new BigDecimal("12345678901234567890.5"))
            .with("bytes", Bytes.of((byte) 1, (byte) -1))
            .with("list", List.of(1L, 1.0, List.of()))
            .with("map", Map.of("$decimal", "1", "b", Map.of()))
            .with("tag", Map.of("$decimal", "no number"))
            .with("wrapped", Map.of("$map", Map.of("$map", 1L)));

    Object written = TaggedValues.write(context.toMap());
    Map<?, ?> read = (Map<?, ?>) TaggedValues.read(Shell.parse(JsonWriter.line(written)));

    Context again = Context.empty();
    for (Map.Entry<?, ?> entry : Objects.requireNonNull(read).entrySet()) {
      again = again.with(String.valueOf(entry.getKey()), entry.getValue());
    }
    assertThat(again).isEqualTo(context);
  }
}
