package dev.damask.exec;

import dev.damask.program.Program;
import dev.damask.state.Frame;
import dev.damask.state.JoinCounter;
import dev.damask.state.Token;
import dev.damask.value.Context;
import dev.damask.value.ContextEdit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;

/// The context of a case that has not ended: what its tokens and its finished branches have written
/// so far.
///
/// Where several tokens run side by side, what each of them changed is written over the context of
/// the activation around them, in the order of their ids. Instances and processes and calls with
/// arguments have contexts of their own; these show the context they were entered with.
final class PresentContext {
  private final IdentityHashMap<Frame, Context> known = new IdentityHashMap<>();

  private final Program program;

  private PresentContext(Program program) {
    this.program = program;
  }

  static Context of(ExecState state) {
    PresentContext present = new PresentContext(state.program);
    List<Frame> frames = present.frames(state);
    for (Frame frame : frames.reversed()) { // children first
      present.known.put(frame, present.of(frame));
    }
    return present.known.getOrDefault(state.root, state.root.entry);
  }

  /// The open frames that can contribute, parents first. What runs in a frame with contexts of its
  /// own is not visited, however much it is.
  private List<Frame> frames(ExecState state) {
    List<Frame> frames = new ArrayList<>();
    if (!state.root.closed) {
      frames.add(state.root);
    }
    for (int i = 0; i < frames.size(); i++) {
      if (!hasOwnContexts(frames.get(i))) {
        frames.addAll(frames.get(i).childList());
      }
    }
    return frames;
  }

  private boolean hasOwnContexts(Frame frame) {
    return hasOwnContexts(program, frame);
  }

  /// Whether what runs in a frame has contexts that are not written to the one around it.
  static boolean hasOwnContexts(Program program, Frame frame) {
    return frame.kind == Frame.Kind.SET
        || frame.kind == Frame.Kind.GROUP
        || Passings.of(program, frame) != null;
  }

  private Context of(Frame frame) {
    if (hasOwnContexts(frame)) {
      return frame.entry;
    }
    List<Context> parts = new ArrayList<>();
    JoinCounter join = frame.join;
    if (join != null) {
      for (Context got : join.got) {
        if (got != null) {
          parts.add(got);
        }
      }
    }
    for (Frame child : frame.childList()) {
      if (!child.delivered) {
        parts.add(known.getOrDefault(child, child.entry));
      }
    }
    List<Token> tokens = new ArrayList<>();
    for (Token token = frame.firstToken; token != null; token = token.next) {
      tokens.add(token);
    }
    tokens.sort(Comparator.comparingInt(token -> token.id)); // as after a restart
    tokens.forEach(token -> parts.add(token.context));
    if (parts.size() == 1) {
      return parts.getFirst();
    }
    Context context = frame.entry;
    for (Context part : parts) {
      context = written(context, frame.entry, part);
    }
    return context;
  }

  /// What a part has changed since the entry, written over a context.
  private static Context written(Context under, Context entry, Context part) {
    if (part == entry) {
      return under;
    }
    ContextEdit edit = under.edit();
    part.forEach((key, value) -> {
      if (!entry.has(key) || !java.util.Objects.equals(entry.get(key), value)) {
        edit.put(key, value);
      }
    });
    Context[] result = {edit.done()};
    entry.forEach((key, _) -> {
      if (!part.has(key)) {
        result[0] = result[0].without(key);
      }
    });
    return result[0];
  }
}
