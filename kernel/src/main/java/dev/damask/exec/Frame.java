package dev.damask.exec;

import dev.damask.task.Context;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One activation of a block, branch, scope, call, set of instances, instance, net or join group,
/// or of the case.
///
/// ## Why frames
///
/// Two activations of the same text never share state, so everything that belongs to an activation
/// lives in its frame: the context it was entered with, what a join has got so far, what a scope
/// holds. The frames form a tree and a token belongs to exactly one frame; a join is found through
/// the token's frame, never by its address.
///
/// ## Delivered and closed
///
/// A frame is *delivered* when its main token has reached its end, and *closed* when it holds no
/// token and no open child. With `rest: drain` a block delivers first and closes later. Enclosing
/// constructs react to delivered; the end of the case and the release of held places react to
/// closed.
///
/// ## Costs
///
/// Tokens and children hang in linked lists, so entering, leaving and cancelling cost what they
/// touch and nothing else.
final class Frame {
  enum Kind {
    CASE,
    REGION,
    CALL,
    BLOCK,
    BRANCH,
    SET,
    INSTANCE,
    NET,
    GROUP
  }

  final int id;
  final Kind kind;

  /// Null for the case.
  final @Nullable Frame parent;

  /// Which entry of its pool it activates; the branch or instance number for those.
  final int spec;

  Context entry;
  Context entryStamps;
  long @Nullable [] loops;
  final long lineage;

  /// The node of the surrounding net it was opened in, or -1.
  int node = -1;

  boolean delivered;
  boolean closed;

  int tokens;
  @Nullable Token firstToken;
  @Nullable Token lastToken;
  int children;
  @Nullable Frame firstChild;
  @Nullable Frame lastChild;
  @Nullable Frame previous;
  @Nullable Frame next;

  /// What the kind needs beyond this; null for the others.
  @Nullable JoinCounter join;

  @Nullable InstanceSet set;
  @Nullable NetState net;
  @Nullable GroupState group;
  @Nullable Scope scope;

  /// The address behind the instruction that opened the frame.
  int returnAddress;

  /// How deep calls nest at a call frame.
  int depth;

  /// The undoing that must end before the frame does; null when there is none.
  @Nullable Undoing undoing;

  /// Tokens on the places local to a call; null when the definition has none.
  PlaceState @Nullable [] places;

  Frame(int id, Kind kind, @Nullable Frame parent, int spec, Context entry, long lineage) {
    this.id = id;
    this.kind = kind;
    this.parent = parent;
    this.spec = spec;
    this.entry = entry;
    this.entryStamps = Context.empty();
    this.lineage = lineage;
  }

  Frame outer() {
    Frame frame = parent;
    if (frame == null) {
      throw new IllegalStateException("the case has no outer frame");
    }
    return frame;
  }

  boolean isEmpty() {
    return tokens == 0 && children == 0;
  }

  void attach(Token token) {
    token.frame = this;
    token.previous = lastToken;
    token.next = null;
    if (lastToken == null) {
      firstToken = token;
    } else {
      lastToken.next = token;
    }
    lastToken = token;
    tokens++;
  }

  void detach(Token token) {
    if (token.previous == null) {
      firstToken = token.next;
    } else {
      token.previous.next = token.next;
    }
    if (token.next == null) {
      lastToken = token.previous;
    } else {
      token.next.previous = token.previous;
    }
    token.previous = null;
    token.next = null;
    tokens--;
  }

  void attach(Frame child) {
    child.previous = lastChild;
    if (lastChild == null) {
      firstChild = child;
    } else {
      lastChild.next = child;
    }
    lastChild = child;
    children++;
  }

  void detach(Frame child) {
    if (child.previous == null) {
      firstChild = child.next;
    } else {
      child.previous.next = child.next;
    }
    if (child.next == null) {
      lastChild = child.previous;
    } else {
      child.next.previous = child.previous;
    }
    child.previous = null;
    child.next = null;
    children--;
  }

  /// The children in the order they were opened; a copy, so that they may be closed meanwhile.
  List<Frame> childList() {
    List<Frame> list = new ArrayList<>(children);
    for (Frame child = firstChild; child != null; child = child.next) {
      list.add(child);
    }
    return list;
  }

  /// Whether this frame is, or stands somewhere inside, another.
  boolean isWithin(Frame other) {
    for (Frame frame = this; frame != null; frame = frame.parent) {
      if (frame == other) {
        return true;
      }
    }
    return false;
  }

  /// What a cancel scope keeps beyond what every frame keeps.
  static final class Scope {
    /// Payloads taken from the held places, in their order; empty until they are owned.
    List<Context> held = List.of();

    long due = Timers.NEVER;
    int dueOrder;

    /// Tasks completed in the scope that can be undone; null until there is one.
    @Nullable List<UndoEntry> undoLog;
  }

  /// A completed task that can be undone.
  record UndoEntry(
      long order, int address, Context context, Context stamps, long lineage, int task) {}
}
