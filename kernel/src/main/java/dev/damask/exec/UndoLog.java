package dev.damask.exec;

import dev.damask.state.Frame;
import dev.damask.state.Frame.UndoEntry;
import dev.damask.state.Token;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The completed tasks that scopes may have to undo, each recorded with the innermost such scope.
final class UndoLog {
  private final Machine machine;

  UndoLog(Machine machine) {
    this.machine = machine;
  }

  /// Notes a completed task that can be undone with the innermost scope that undoes.
  void record(ExecState state, Token token, int task, long lineage) {
    Frame scope = undoScope(token.frame);
    if (scope != null) {
      UndoEntry entry =
          new UndoEntry(
              state.steps,
              machine.pools.tasks()[task].undo(),
              token.context,
              token.stamps,
              lineage,
              task,
              token.frame.label());
      add(scope, List.of(entry));
    }
  }

  private @Nullable Frame undoScope(Frame from) {
    for (Frame frame = from; frame != null; frame = frame.parent) {
      if (frame.undoing != null) {
        return null;
      }
      if (frame.kind == Frame.Kind.REGION && machine.pools.regions()[frame.spec].undo()) {
        return frame;
      }
    }
    return null;
  }

  private static void add(Frame scope, List<UndoEntry> entries) {
    Objects.requireNonNull(scope.scope).addUndo(scope, entries);
  }

  /// A token leaves a frame with its data: what the scopes it leaves have completed is not undone
  /// with them, but belongs to the scope around that frame.
  void keep(Frame from, Frame left) {
    for (Frame frame = from; frame != left.parent && frame != null; frame = frame.parent) {
      if (frame.scope != null && frame.scope.undoLog != null) {
        Frame outer = left.parent == null ? null : undoScope(left.parent);
        if (outer != null) {
          add(outer, frame.scope.undoLog);
        }
        frame.scope.dropUndo(frame);
      }
    }
  }

  /// What a scope completed, the scope around it may still have to undo.
  void pass(Frame frame) {
    if (frame.scope != null && frame.scope.undoLog != null) {
      Frame outer = undoScope(frame.outer());
      if (outer != null) {
        add(outer, frame.scope.undoLog);
      }
      frame.scope.dropUndo(frame);
    }
  }

  /// What a scope that has delivered completed belongs to the scope around it: it is undone only
  /// together with that one, also while something still drains.
  void take(Frame frame, Frame root, List<UndoEntry> undo) {
    if (frame.scope != null && frame.scope.undoLog != null) {
      Frame owner = frame.delivered ? undoScope(frame.outer()) : frame;
      while (owner != null && owner.delivered) {
        owner = undoScope(owner.outer());
      }
      if (owner != null && owner.isWithin(root)) {
        undo.addAll(frame.scope.undoLog);
      } else if (owner != null) {
        add(owner, List.copyOf(frame.scope.undoLog));
      }
      frame.scope.dropUndo(frame);
    }
    if (frame != root && frame.undoing != null) {
      undo.addAll(frame.undoing.rest);
    }
  }
}
