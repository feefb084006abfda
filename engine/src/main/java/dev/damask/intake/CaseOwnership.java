package dev.damask.intake;

import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectResult;
import dev.damask.task.EffectId;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Which cases an engine may move, and the way to the others.
public interface CaseOwnership {
  /// The ownership of an engine that does not share its store.
  CaseOwnership ALL = new CaseOwnership() {};

  /// Whether this engine may move a case.
  default boolean owns(String caseId) {
    return true;
  }

  /// Whether no case may move now, because another node may soon take over.
  default boolean isPaused() {
    return false;
  }

  /// Whether commits may be refused because a case has moved to another node.
  default boolean isShared() {
    return false;
  }

  /// Calls a handler now, or when the engine may.
  default void call(Runnable start) {
    start.run();
  }

  /// Returns the result of an earlier effect with the user's key of a call; null if there is none
  /// and the handler may be called. May wait for a call with the same key.
  ///
  /// @param finished looks for the receipt of an earlier effect
  default @Nullable EffectResult awaitKey(
      EffectCall call, Supplier<@Nullable EffectResult> finished) {
    return finished.get();
  }

  /// Whether a call runs for a case that this node has lost and got back.
  default boolean isCalling(String caseId, EffectId effect) {
    return false;
  }

  /// The engine closes: other nodes take its cases while its calls end.
  default void leave() {}

  /// The engine has stopped after a failure: other nodes take its cases over.
  default void stopped() {}

  /// Asks the owner of a case, which may be another node.
  ///
  /// @param local asks the shard of this engine
  default <T> CompletableFuture<T> ask(
      String caseId,
      Function<CompletableFuture<T>, Request> request,
      Function<Function<CompletableFuture<T>, Request>, CompletableFuture<T>> local) {
    return local.apply(request);
  }

  /// Passes the result of a call on to the owner of its case.
  ///
  /// @param local passes it on to the shard of this engine
  default void report(EffectCall call, EffectResult result, Consumer<Request.Report> local) {
    local.accept(new Request.Report(call, result, null));
  }
}
