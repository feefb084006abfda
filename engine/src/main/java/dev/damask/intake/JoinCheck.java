package dev.damask.intake;

import dev.damask.effect.EffectHandler;
import dev.damask.effect.TransactionalHandler;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.task.Delivery;
import dev.damask.task.EffectFunction;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Finds the tasks of a program that cannot be delivered exactly once: the store joins no
/// transactions, or the handler takes no connection.
public final class JoinCheck {
  private JoinCheck() {}

  /// Returns one sentence about the first task that cannot be delivered as it asks; null if all
  /// can.
  ///
  /// @param handlers the handlers of effect types
  /// @param isJoinable whether handlers can join the transactions of the store
  public static @Nullable String problem(
      Program program, Map<String, EffectHandler> handlers, boolean isJoinable) {
    for (Pool.Task task : program.pools().tasks()) {
      String problem = problem(task, handlers, isJoinable);
      if (problem != null) {
        return "workflow %s: task %s %s".formatted(program.name(), task.name(), problem);
      }
    }
    return null;
  }

  private static @Nullable String problem(
      Pool.Task task, Map<String, EffectHandler> handlers, boolean isJoinable) {
    EffectFunction own = task.handler();
    Object handler = own == null ? handlers.get(type(task)) : own;
    boolean isJoining = handler instanceof TransactionalHandler;
    boolean isOnce = task.options().delivery() == Delivery.EXACTLY_ONCE;
    if (isOnce && !isJoinable) {
      return "has delivery exactlyOnce, but this store joins no transactions; open the engine on"
          + " PostgreSQL, or use another delivery";
    }
    if (isOnce && handler != null && !isJoining) {
      return "has delivery exactlyOnce, but its handler accepts no connection; register a"
          + " TransactionalHandler, or use another delivery";
    }
    return isJoining && !isOnce
        ? "has a handler that accepts a connection; use delivery exactlyOnce"
        : null;
  }

  /// The type of an effect without a type is the name of its task.
  private static String type(Pool.Task task) {
    String type = task.template() == null ? "" : task.template().type();
    return type.isEmpty() ? task.name() : type;
  }
}
