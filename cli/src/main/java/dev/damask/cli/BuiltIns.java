package dev.damask.cli;

import dev.damask.effect.Approval;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectFailed;
import dev.damask.effect.HttpEffect;
import dev.damask.effect.SleepEffect;
import dev.damask.effect.WaitingEffect;
import dev.damask.exec.EffectRequest;
import dev.damask.exec.Input;
import dev.damask.exec.TokenId;
import dev.damask.nursery.CancelReason;
import dev.damask.nursery.Child;
import dev.damask.nursery.Nursery;
import dev.damask.nursery.NurseryOptions;
import dev.damask.task.Context;
import dev.damask.task.EffectSpec;
import dev.damask.task.EffectTemplate;
import dev.damask.task.Expression;
import dev.damask.task.ExpressionFailure;
import dev.damask.task.Secrets;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The effects a case in memory performs by itself: `log`, `sleep`, `approval` and `http`. Only
/// `http` runs beside the case; a sleep and an approval are times at which a result comes in.
final class BuiltIns implements AutoCloseable {
  static final Set<String> TYPES = Set.of("approval", "http", "log", "sleep");

  private static final Map<String, WaitingEffect> WAITING =
      Map.of("approval", with -> Approval.of(with).plan(), "sleep", new SleepEffect());

  private final Progress progress;
  private final HttpEffect http;
  private final Nursery nursery = Nursery.open(NurseryOptions.named("http"));
  private final LinkedBlockingQueue<Finished> finished = new LinkedBlockingQueue<>();
  private final Map<TokenId, Wait> waiting = new HashMap<>();
  private final Map<TokenId, Child<?>> calling = new HashMap<>();

  private record Wait(long dueMillis, WaitingEffect.TimeUp then) {}

  private record Finished(TokenId token, Input input) {}

  BuiltIns(Progress progress, List<String> allow) {
    this.progress = progress;
    this.http = new HttpEffect(BuiltInHandlers.options(allow));
  }

  /// Starts an effect; the input is there when it ended at once.
  Optional<Input> start(EffectRequest request, long nowMillis) {
    EffectTemplate template = request.task().template();
    if (template == null || !TYPES.contains(template.type())) {
      return Optional.empty();
    }
    TokenId token = request.token();
    try {
      EffectSpec spec = template.specFor(request.context());
      switch (spec.type()) {
        case "log" -> {
          log(spec.with());
          return Optional.of(new Input.TaskDone(token, Context.empty()));
        }
        case "http" -> call(request, spec);
        default -> {
          WaitingEffect waits = Objects.requireNonNull(WAITING.get(spec.type()));
          WaitingEffect.Plan plan = waits.plan(spec.with());
          plan.within()
              .ifPresent(
                  time -> waiting.put(token, new Wait(nowMillis + time.toMillis(), plan.then())));
        }
      }
      return Optional.empty();
    } catch (ExpressionFailure e) {
      return Optional.of(new Input.TaskFailed(token, "expression", String.valueOf(e.getMessage())));
    } catch (EffectFailed e) {
      return Optional.of(failed(token, e));
    }
  }

  private static Input failed(TokenId token, EffectFailed why) {
    return new Input.TaskFailed(token, why.reason(), String.valueOf(why.getMessage()));
  }

  private void log(Context with) {
    Object message = shown(with.has("message") ? with.get("message") : "");
    Object level = with.has("level") ? with.get("level") : "info";
    String text = message instanceof String plain ? plain : Json.text(message);
    progress.message("info".equals(level) ? text : level + ": " + text);
  }

  /// A secret is never shown: its marker is.
  private static @Nullable Object shown(@Nullable Object value) {
    return Secrets.fill(value, Secrets::marker);
  }

  private void call(EffectRequest request, EffectSpec spec) {
    Expression expression = request.task().options().key();
    Object key = expression == null ? spec.key() : expression.value(request.context());
    EffectCall call =
        new EffectCall(
            "case",
            request.id(),
            request.task().name(),
            spec.type(),
            key == null ? "case:" + request.id() : key.toString(),
            request.attempt(),
            request.task().options().delivery(),
            filled(spec.with()),
            request.context());
    TokenId token = request.token();
    calling.put(
        token,
        nursery.launch(
            call.task(),
            _ -> {
              Input result;
              try {
                result = new Input.TaskDone(token, http.call(call));
              } catch (EffectFailed e) {
                result = failed(token, e);
              }
              finished.add(new Finished(token, result));
            }));
  }

  private static Context filled(Context with) {
    Context filled = Context.empty();
    for (Map.Entry<String, @Nullable Object> entry : with.toMap().entrySet()) {
      filled = filled.with(entry.getKey(), Secrets.fill(entry.getValue(), BuiltIns::secret));
    }
    return filled;
  }

  private static String secret(String name) {
    String secret = System.getenv(name);
    if (secret == null) {
      throw new Refusal("the environment has no secret " + name + ": set it and run again");
    }
    return secret;
  }

  void withdraw(Collection<TokenId> tokens) {
    tokens.forEach(this::forget);
  }

  void forget(TokenId token) {
    waiting.remove(token);
    Child<?> child = calling.remove(token);
    if (child != null) {
      child.cancel(CancelReason.explicit("the task was withdrawn"));
    }
  }

  /// The result of a call that has ended, or the end of a wait that is due.
  Optional<Input> due(long nowMillis) {
    for (Finished each = finished.poll(); each != null; each = finished.poll()) {
      if (calling.remove(each.token()) != null) {
        return Optional.of(each.input());
      }
    }
    return waiting.entrySet().stream()
        .filter(entry -> entry.getValue().dueMillis() <= nowMillis)
        .min(
            Map.Entry.<TokenId, Wait>comparingByValue(
                    java.util.Comparator.comparingLong(Wait::dueMillis))
                .thenComparingInt(entry -> entry.getKey().number()))
        .map(entry -> {
          waiting.remove(entry.getKey());
          return ended(entry.getKey(), entry.getValue().then());
        });
  }

  private static Input ended(TokenId token, WaitingEffect.TimeUp then) {
    return switch (then) {
      case WaitingEffect.TimeUp.Done(var result) -> new Input.TaskDone(token, result);
      case WaitingEffect.TimeUp.Failed(var reason, var detail) ->
          new Input.TaskFailed(token, reason, detail);
      case WaitingEffect.TimeUp.Withdrawn() -> new Input.CancelTask(token);
    };
  }

  OptionalLong nextDue() {
    return calling.isEmpty()
        ? waiting.values().stream().mapToLong(Wait::dueMillis).min()
        : OptionalLong.of(
            waiting.values().stream().mapToLong(Wait::dueMillis).min().orElse(Long.MAX_VALUE - 1));
  }

  boolean isBusy() {
    return !waiting.isEmpty() || !calling.isEmpty();
  }

  /// Waits for that long, or until a call has ended.
  void park(long millis) throws InterruptedException {
    Finished first = finished.poll(Math.max(1, millis), TimeUnit.MILLISECONDS);
    if (first != null) {
      finished.add(first);
    }
  }

  @Override
  public void close() {
    nursery.cancel("the case has ended");
    nursery.close();
  }
}
