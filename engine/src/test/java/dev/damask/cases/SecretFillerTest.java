package dev.damask.cases;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.LogEffect;
import dev.damask.task.Context;
import dev.damask.task.Delivery;
import dev.damask.task.EffectId;
import dev.damask.task.Secrets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Who gets a secret, and who does not.
final class SecretFillerTest {
  private static final String SECRET = "open sesame";

  private static Object call(EffectHandler handler) throws Exception {
    Context with = Context.of("message", "say " + Secrets.marker("DOOR"));
    EffectCall call =
        new EffectCall(
            "c", new EffectId(1), "t", "x", "k", 1, Delivery.KEYED, with, Context.empty());
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
}
