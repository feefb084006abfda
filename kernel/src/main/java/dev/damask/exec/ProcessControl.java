package dev.damask.exec;

import dev.damask.event.ProcessEvent;
import dev.damask.event.Reply;
import dev.damask.event.TraceEvent;
import dev.damask.state.Frame;
import dev.damask.state.GroupState;
import dev.damask.state.Timers;
import dev.damask.state.Token;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// What callers can request of a case's processes, with signals of these names: `process.wake`,
/// `process.pause`, `process.resume`, and `process.deny`, which is only traced.
final class ProcessControl {
  static final String PREFIX = "process.";

  private enum Order {
    WAKE,
    PAUSE,
    RESUME,
    DENY;

    static @Nullable Order of(String name) {
      for (Order order : values()) {
        if (name.equals(PREFIX + order.name().toLowerCase(Locale.ROOT))) {
          return order;
        }
      }
      return null;
    }
  }

  private final Machine machine;
  private final Groups groups;

  ProcessControl(Machine machine, Groups groups) {
    this.machine = machine;
    this.groups = groups;
  }

  /// A message from outside to the processes of a state.
  Reply apply(ExecState state, String name, Context message) {
    Order order = Order.of(name);
    if (order == null) {
      return Reply.REJECTED;
    }
    int touched = 0;
    for (Frame root : List.copyOf(state.groups().values())) {
      switch (order) {
        case PAUSE -> GroupState.group(root).setPaused(true);
        case RESUME -> GroupState.group(root).setPaused(false);
        case WAKE, DENY -> {}
      }
      for (Token token : held(root)) {
        touched += order == Order.WAKE ? wake(state, token, message) : 0;
        if (order == Order.RESUME) {
          groups.release(state, token);
        }
      }
    }
    machine.trace(
        state,
        TraceEvent.Kind.SIGNALLED,
        "SIGNAL",
        null,
        name,
        new ProcessEvent.Received(tag(message), touched));
    return order == Order.WAKE && touched == 0 ? Reply.LOST : Reply.ACCEPTED;
  }

  private static String tag(Context message) {
    return message.get("tag") instanceof String text ? text : "";
  }

  /// Wakes a process if the message means it: its payload is merged into the context, and its time
  /// has come.
  private int wake(ExecState state, Token token, Context message) {
    boolean meant =
        message.has("process")
            ? message.get("process") instanceof Long number && number == GroupState.number(token)
            : GroupState.stepOf(token).equals(message.get("step"));
    if (!meant) {
      return 0;
    }
    if (message.get("payload") instanceof java.util.Map<?, ?> payload) {
      Context merged = token.context;
      for (var entry : payload.entrySet()) {
        if (entry.getKey() instanceof String key && !key.startsWith("_")) {
          merged = merged.with(key, entry.getValue());
        }
      }
      if (groups.weight(token.frame, merged) > machine.limits.contextBytes()) {
        return 0;
      }
      token.setContext(merged);
    }
    java.util.Objects.requireNonNull(token.wait).setDue(Timers.NEVER);
    machine.trace(
        state,
        TraceEvent.Kind.SIGNALLED,
        "SIGNAL",
        token,
        GroupState.stepOf(token),
        new ProcessEvent.Woken(GroupState.number(token)));
    groups.release(state, token);
    return 1;
  }

  /// The processes at their gates, in the order of their ids.
  private static List<Token> held(Frame root) {
    List<Token> held = new ArrayList<>(GroupState.all(root));
    held.removeIf(token -> token.state != Token.State.HELD);
    return held;
  }
}
