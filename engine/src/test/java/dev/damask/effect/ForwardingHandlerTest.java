package dev.damask.effect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Handlers that wrap another handler.
final class ForwardingHandlerTest {
  /// Records which of its methods were called.
  private static final class Recording implements EffectHandler {
    final List<String> called = new ArrayList<>();

    @Override
    public @Nullable Object call(EffectCall call) {
      called.add("call");
      return null;
    }

    @Override
    public void cancel(EffectCall call) {
      called.add("cancel");
    }

    @Override
    public void hand(EffectCall call, EffectResult result, Runnable report) {
      called.add("hand");
    }

    @Override
    public boolean takesSecrets() {
      return false;
    }
  }

  @Test
  void a_wrapped_handler_is_called_and_cancelled_and_hands_its_results_over() throws Exception {
    EffectCall call = Calls.of("one", 1, "key");
    for (int kind = 0; kind < 3; kind++) {
      Recording own = new Recording();
      EffectHandler wrapper = wrapped(own, kind);

      wrapper.call(call);
      wrapper.cancel(call);
      wrapper.hand(call, new EffectResult.Ok(Context.empty()), () -> {});

      assertThat(own.called).as(wrapper.toString()).containsExactly("call", "cancel", "hand");
      assertThat(wrapper.takesSecrets()).isFalse();
    }
  }

  private static EffectHandler wrapped(EffectHandler handler, int kind) {
    return switch (kind) {
      case 0 -> EffectHandler.cpuBound(handler);
      case 1 -> (EffectHandler) EffectHandler.withCall(handler);
      default -> new SecretFiller(handler, name -> name);
    };
  }
}
