package dev.damask.typed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.term.Workflow;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What the payload of a step may be.
@Timeout(60)
final class ScriptPayloadTest extends ScriptFlow {
  enum Size {
    SMALL,
    LARGE {
      @Override
      public String toString() {
        return "large";
      }
    }
  }

  record Pair<A, B>(A first, B second) {}

  record Plain(String name) {}

  @Test
  void a_payload_may_be_a_set_an_optional_a_generic_record_or_an_enum_with_a_body() {
    Plain plain = new Plain("p");
    List<Object> payloads =
        List.of(
            Size.LARGE,
            Optional.of(plain),
            Optional.empty(),
            new Pair<>(plain, List.of(1)),
            new LinkedHashSet<>(List.of(Size.SMALL, Size.LARGE)),
            List.of(Optional.of(Size.LARGE)),
            Map.of(Size.LARGE, new Pair<>("a", 1)));
    Workflow<Integer, String> flow =
        flow((n, script) -> {
          for (Object each : payloads) {
            script.call("a", String.class, each, call -> done("a"));
          }
          return "done";
        });

    assertThat(joined(flow, 1)).isEqualTo("done");
    assertThat(calls).hasSize(payloads.size());
  }

  @Test
  void a_payload_with_a_set_is_the_same_in_every_process() {
    assertThat(Codecs.stored(new LinkedHashSet<>(List.of("b", "c", "a"))))
        .isEqualTo(Codecs.stored(new LinkedHashSet<>(List.of("c", "a", "b"))));
  }
}
