package dev.damask.exec;

import dev.damask.program.Program;
import dev.damask.state.Frame;
import dev.damask.state.JoinCounter;
import dev.damask.state.Part;
import dev.damask.state.PartMarks.Entries;
import dev.damask.state.Token;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The context that [PresentContext] reads from the whole state, kept up to date from the parts
/// that changed. A change costs the keys it wrote and the frames around it, whatever the number of
/// branches.
///
/// Every frame that contributes knows, for each key, which of its tokens, branches and children
/// have written it. The last of them in the order of [PresentContext] decides.
final class TrackedContext {
  private final Program program;
  private final ExecState state;
  private final IdentityHashMap<Frame, Tracked> frames = new IdentityHashMap<>();

  /// The frame to which the context of each token contributes.
  private final IdentityHashMap<Token, Tracked> placed = new IdentityHashMap<>();

  /// The frames whose contexts changed and whose parents do not have the new ones, innermost first.
  private final TreeSet<Tracked> changed =
      new TreeSet<>((one, other) ->
          one.depth != other.depth
              ? Integer.compare(other.depth, one.depth)
              : Integer.compare(one.frame.id, other.frame.id));

  private long writes;

  TrackedContext(ExecState state) {
    this.program = state.program;
    this.state = state;
    List<Part> all = new ArrayList<>(StateWalk.frames(state));
    all.addAll(StateWalk.tokens(state));
    update(all);
  }

  /// The present context of a case that has not ended.
  Context context() {
    Tracked root = frames.get(state.root);
    return root == null ? state.root.entry : root.context;
  }

  /// How many times a part has written a key so far.
  long writes() {
    return writes;
  }

  /// Some parts were changed, added or removed.
  void update(List<Part> touched) {
    for (Part part : touched) {
      if (part instanceof Frame frame) {
        update(frame);
      }
    }
    for (Part part : touched) {
      if (part instanceof Token token) {
        update(token);
      }
    }
    settle();
  }

  /// Some entries of a frame were added or removed.
  void update(Frame frame, long[] keys) {
    Tracked tracked = frames.get(frame);
    if (tracked != null && frame.join != null && tracked.join == frame.join) {
      for (long key : keys) {
        if (Entries.kind(key) == Entries.GOT) {
          tracked.deliver((int) Entries.number(key));
        }
      }
      settle();
    }
  }

  private void update(Frame frame) {
    Tracked known = frame.closed ? frames.remove(frame) : tracked(frame);
    if (known == null) {
      return;
    }
    if (frame.join != known.join) {
      known.join(frame.join);
    }
    changed.add(known);
  }

  private void update(Token token) {
    Tracked now = token.isGone() ? null : tracked(token.frame);
    Tracked before = now == null ? placed.remove(token) : placed.put(token, now);
    if (before != null && before != now) {
      before.put(Tracked.TOKEN, token.id, null);
    }
    if (now != null) {
      now.put(Tracked.TOKEN, token.id, token.context);
    }
  }

  /// Returns what is known of a frame; null if it is inside one that has contexts of its own.
  private @Nullable Tracked tracked(Frame frame) {
    Tracked known = frames.get(frame);
    if (known != null || frame.closed) {
      return known;
    }
    Frame parent = frame.parent;
    Tracked outer = parent == null ? null : tracked(parent);
    if (parent != null && (outer == null || outer.isApart)) {
      return null;
    }
    boolean isApart = PresentContext.hasOwnContexts(program, frame);
    Tracked created = new Tracked(frame, outer, isApart);
    frames.put(frame, created);
    if (frame.join != null) {
      created.join(frame.join);
    }
    changed.add(created);
    return created;
  }

  private void settle() {
    for (Tracked each = changed.pollFirst(); each != null; each = changed.pollFirst()) {
      if (each.outer != null) {
        Frame frame = each.frame;
        Context shown = frame.closed || frame.delivered ? null : each.context;
        each.outer.put(Tracked.CHILD, frame.id, shown);
      }
    }
  }

  /// What one part has done to a key.
  private record Write(@Nullable Object value, boolean isPresent) {}

  /// One open frame and what contributes to its context.
  private final class Tracked {
    // The order in which kinds of parts decide.
    private static final int BRANCH = 0;
    private static final int CHILD = 1;
    private static final int TOKEN = 2;

    private final Frame frame;
    private final @Nullable Tracked outer;
    private final boolean isApart;
    private final int depth;
    private final Map<Long, Context> parts = new HashMap<>();
    private final Map<String, TreeMap<Long, Write>> writers = new HashMap<>();
    private @Nullable JoinCounter join; // null if the frame has none
    private Context context;

    Tracked(Frame frame, @Nullable Tracked outer, boolean isApart) {
      this.frame = frame;
      this.outer = outer;
      this.isApart = isApart;
      this.depth = outer == null ? 0 : outer.depth + 1;
      this.context = frame.entry;
    }

    /// Takes over what a join has got.
    void join(@Nullable JoinCounter now) {
      JoinCounter before = join;
      for (int i = 0; before != null && i < before.got.length; i++) {
        put(BRANCH, i, null);
      }
      join = now;
      for (int i = 0; now != null && i < now.got.length; i++) {
        deliver(i);
      }
    }

    void deliver(int branch) {
      put(BRANCH, branch, Objects.requireNonNull(join).got[branch]);
    }

    /// Sets what a part has; null if it contributes no more.
    void put(int kind, int number, @Nullable Context now) {
      if (isApart) {
        return; // what runs inside has contexts of its own
      }
      long order = (long) kind << 32 | number;
      Context before = now == null ? parts.remove(order) : parts.put(order, now);
      Context from = before == null ? frame.entry : before;
      Context to = now == null ? frame.entry : now;
      to.changesSince(from, (key, value, isPresent) -> write(order, key, value, isPresent));
    }

    private void write(long order, String key, @Nullable Object value, boolean isPresent) {
      writes++;
      Context entry = frame.entry;
      boolean isSame = isPresent == entry.has(key) && Objects.equals(value, entry.get(key));
      TreeMap<Long, Write> all = writers.computeIfAbsent(key, _ -> new TreeMap<>());
      if (isSame) {
        all.remove(order);
      } else {
        all.put(order, new Write(value, isPresent));
      }
      Write last =
          all.isEmpty() ? new Write(entry.get(key), entry.has(key)) : all.lastEntry().getValue();
      if (all.isEmpty()) {
        writers.remove(key);
      }
      Context next = last.isPresent ? context.with(key, last.value) : context.without(key);
      if (next != context) {
        context = next;
        changed.add(this);
      }
    }
  }
}
