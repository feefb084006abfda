package dev.damask.effect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.task.Delivery;
import dev.damask.task.EffectId;
import dev.damask.task.Secrets;
import dev.damask.value.Context;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Who gets a secret, and who does not.
final class SecretFillerTest {
  private static final String SECRET = "open sesame";

  private static Object call(EffectHandler handler) throws Exception {
    Context with = Context.of("message", "say " + Secrets.marker("DOOR"));
    EffectCall call =
        new EffectCall(
            "c",
            new Effect(new EffectId(1), "t", 1, "x", "k"),
            Delivery.KEYED,
            with,
            Context.empty());
    return String.valueOf(new SecretFiller(handler, _ -> SECRET).call(call));
  }

  @Test
  void a_handler_gets_the_secret_and_what_it_repeats_is_masked() throws Exception {
    List<Object> got = new ArrayList<>();

    Object told = call(call -> got.add(call.with().get("message")) ? call.with() : null);

    assertThat(got).containsExactly("say " + SECRET);
    assertThat(told).asString().contains(SecretFiller.MASK).doesNotContain(SECRET);
  }

  @Test
  void a_log_gets_the_marker() throws Exception {
    List<String> lines = new ArrayList<>();

    call(new LogEffect((_, line) -> lines.add(line)));

    assertThat(lines).containsExactly("say ${secret.DOOR}");
  }

  @SuppressWarnings("ArrayRecordComponent") // handlers may return such records
  private record Answer(String said, byte[] raw) {}

  private static @Nullable Object callWith(EffectHandler handler, String... secrets)
      throws Exception {
    Context with = Context.empty();
    for (int i = 0; i < secrets.length; i++) {
      with = with.with("s" + i, Secrets.marker("S" + i));
    }
    EffectCall call =
        new EffectCall(
            "c",
            new Effect(new EffectId(1), "t", 1, "x", "k"),
            Delivery.KEYED,
            with,
            Context.empty());
    return new SecretFiller(handler, name -> secrets[Integer.parseInt(name.substring(1))])
        .call(call);
  }

  @Test
  void a_secret_is_masked_in_records_bytes_sets_and_keys() throws Exception {
    byte[] raw = ("x" + SECRET + "é").getBytes(StandardCharsets.UTF_8);
    Object told =
        callWith(
            _ -> Map.of("r", new Answer(SECRET, raw), "set", Set.of(SECRET), SECRET, raw), SECRET);

    assertThat(Context.of("all", told).toString())
        .contains(SecretFiller.MASK)
        .doesNotContain(SECRET)
        .doesNotContain(HexFormat.of().formatHex(SECRET.getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void the_longest_secret_is_masked_first() throws Exception {
    Object told = callWith(_ -> "it is sesame-open", "sesame", "sesame-open");

    assertThat(told).isEqualTo("it is " + SecretFiller.MASK);
  }

  @Test
  void a_secret_is_masked_in_errors_of_every_class_and_in_reasons() {
    List<Throwable> all =
        List.of(
            new IllegalStateException(SECRET),
            new StackOverflowError(SECRET),
            new AssertionError(SECRET),
            new EffectException(SECRET, SECRET),
            new EffectNotSent(SECRET));
    for (Throwable each : all) {
      assertThatThrownBy(() ->
              callWith(
                  _ -> {
                    if (each instanceof Error error) {
                      throw error;
                    }
                    throw (Exception) each;
                  },
                  SECRET))
          .isInstanceOfSatisfying(
              EffectException.class,
              failed ->
                  assertThat(failed.reason() + failed.getMessage())
                      .contains(SecretFiller.MASK)
                      .doesNotContain(SECRET))
          .hasNoCause();
    }
  }

  @Test
  void a_secret_is_masked_in_numbers_that_have_its_digits() throws Exception {
    List<Number> all =
        List.of(
            73910284,
            73910284L,
            -73910284L,
            7.3910284E7,
            Float.valueOf("73910284"),
            new BigInteger("73910284"),
            new BigDecimal("73910284.00"),
            new AtomicLong(73910284));
    for (Number each : all) {
      assertThat(callWith(_ -> Map.of("pin", List.of(each)), "73910284"))
          .as("%s of %s", each, each.getClass())
          .isEqualTo(Map.of("pin", List.of(SecretFiller.MASK)));
    }
    assertThat(callWith(_ -> 7391L, "007391")).isEqualTo(SecretFiller.MASK);
    assertThat(callWith(_ -> new BigDecimal("12.50"), "12.5000")).isEqualTo(SecretFiller.MASK);
  }

  @Test
  void other_numbers_stay_numbers() throws Exception {
    assertThat(callWith(_ -> 73910285L, "73910284")).isEqualTo(73910285L);
    assertThat(callWith(_ -> 173910284L, "73910284")).isEqualTo(173910284L);
    assertThat(callWith(_ -> 123L, "123")).isEqualTo(123L); // too short to be masked
    assertThat(callWith(_ -> 1234L, "open sesame", "1e999999999")).isEqualTo(1234L);
    assertThat(callWith(_ -> Double.NaN, "73910284")).isEqualTo(Double.NaN);
  }

  @Test
  void an_exception_keeps_what_it_says_about_the_next_attempt() {
    List<EffectException> all =
        List.of(
            EffectException.permanent("refused", SECRET),
            EffectException.retryAfter("busy", SECRET, Duration.ofSeconds(7)),
            new EffectException("other", SECRET),
            new EffectNotSent(SECRET));
    for (EffectException each : all) {
      assertThatThrownBy(() ->
              callWith(
                  _ -> {
                    throw each;
                  },
                  SECRET))
          .isInstanceOfSatisfying(
              EffectException.class,
              failed -> {
                assertThat(failed.hint()).as("%s", each.reason()).isEqualTo(each.hint());
                assertThat(failed.reason()).isEqualTo(each.reason());
                assertThat(failed.getMessage()).isEqualTo(SecretFiller.MASK);
              })
          .hasSameClassAs(each);
    }
  }
}
