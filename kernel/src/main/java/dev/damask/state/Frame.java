package dev.damask.state;

import dev.damask.program.Pool;
import dev.damask.task.EffectId;
import dev.damask.value.Context;
import dev.damask.value.Numbered;
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
public final class Frame extends Part {
  public enum Kind implements Numbered {
    CASE(0),
    REGION(1),
    CALL(2),
    BLOCK(3),
    BRANCH(4),
    SET(5),
    INSTANCE(6),
    NET(7),
    GROUP(8);

    private static final List<Kind> BY_NUMBER = Numbered.ordered(values());

    private final int number;

    Kind(int number) {
      this.number = number;
    }

    @Override
    public int number() {
      return number;
    }

    public static List<Kind> byNumber() {
      return BY_NUMBER;
    }
  }

  public final int id;
  public final Kind kind;

  /// Null for the case.
  public final @Nullable Frame parent;

  /// Which entry of its pool it activates; the branch or instance number for those.
  public final int spec;

  public Context entry;
  public Context entryStamps;

  /// The context at the fork of the innermost branch around it, with which its join compares; null
  /// outside of branches, and in instances, whose contexts meet nowhere.
  public final @Nullable Context base;

  public long @Nullable [] loops;
  public final long lineage;

  /// The node of the surrounding net it was opened in, or -1.
  public int node = -1;

  public boolean delivered;
  public boolean closed;

  public int tokens;
  public @Nullable Token firstToken;
  @Nullable Token lastToken;
  public int children;
  public @Nullable Frame firstChild;
  @Nullable Frame lastChild;
  @Nullable Frame previous;
  public @Nullable Frame next;

  /// What the kind needs beyond this; null for the others.
  public @Nullable JoinCounter join;

  public @Nullable InstanceSet set;
  public @Nullable NetState net;
  public @Nullable GroupState group;
  public @Nullable Scope scope;

  /// The entries of its growing lists; null until there is one.
  public PartMarks.@Nullable Entries entries;

  /// The address behind the instruction that opened the frame.
  public int returnAddress;

  /// Its number in the possible-arrival analysis that is being made; means nothing afterwards.
  public int order;

  /// The settling in which it was last found to hold a token, directly or inside.
  public int activeAt;

  /// How deep calls nest at a call frame.
  public int depth;

  /// The undoing that must end before the frame does; null when there is none.
  public @Nullable Undoing undoing;

  /// Tokens on the places local to a call; null when the definition has none.
  public PlaceState @Nullable [] places;

  public Frame(int id, Kind kind, @Nullable Frame parent, int spec, Context entry, long lineage) {
    super(parent == null ? new PartMarks() : parent.marks);
    this.id = id;
    this.kind = kind;
    this.parent = parent;
    this.spec = spec;
    this.entry = entry;
    this.entryStamps = Context.empty();
    this.base =
        switch (kind) {
          case BRANCH -> entry;
          case CASE, INSTANCE -> null;
          default -> parent == null ? null : parent.base;
        };
    this.lineage = lineage;
    touch();
  }

  public @Override boolean isGone() {
    return closed;
  }

  /// PartMarks an entry of one of its growing lists.
  void touch(int kind, long number) {
    if (marks.isOn()) {
      entries().touch(PartMarks.Entries.key(kind, number));
      marks.list(this);
    }
  }

  public PartMarks.Entries entries() {
    if (entries == null) {
      entries = new PartMarks.Entries();
    }
    return entries;
  }

  /// Lets everything that was built apart from it mark it.
  public void adopt() {
    own(join);
    own(set);
    own(net);
    own(group);
    own(scope);
    own(undoing);
    if (net != null) {
      net.adopt(this);
    }
    if (places != null) {
      PlaceState.own(places, this);
    }
  }

  private void own(@Nullable Owned fields) {
    if (fields != null) {
      fields.owner = this;
    }
  }

  public void setEntryStamps(Context entryStamps) {
    this.entryStamps = entryStamps;
    touch();
  }

  public void setLoops(long @Nullable [] loops) {
    this.loops = loops;
    touch();
  }

  public void setNode(int node) {
    this.node = node;
    touch();
  }

  public void setDelivered(boolean delivered) {
    this.delivered = delivered;
    touch();
  }

  public void setClosed(boolean closed) {
    this.closed = closed;
    touch();
  }

  public void setReturnAddress(int returnAddress) {
    this.returnAddress = returnAddress;
    touch();
  }

  public void setDepth(int depth) {
    this.depth = depth;
    touch();
  }

  public void setJoin(JoinCounter join) {
    this.join = join;
    own(join);
    touch();
  }

  public void setSet(InstanceSet set) {
    this.set = set;
    own(set);
    touch();
  }

  public void setNet(NetState net) {
    NetState before = this.net;
    if (before != null) {
      before.touchAll(this);
    }
    this.net = net;
    own(net);
    net.adopt(this);
    touch();
  }

  public void setGroup(GroupState group) {
    this.group = group;
    own(group);
    touch();
  }

  public void setScope(Scope scope) {
    this.scope = scope;
    own(scope);
    touch();
  }

  public void setPlaces(PlaceState[] places) {
    this.places = places;
    PlaceState.own(places, this);
    for (int i = 0; i < places.length; i++) {
      for (int k = 0; k < places[i].tokens.size(); k++) {
        touch(PartMarks.Entries.PLACE, PartMarks.Entries.token(i, places[i].first + k));
      }
    }
    touch();
  }

  /// Replaces the undoing; what is left of the one before at the same distance from the end is the
  /// same.
  public void setUndoing(@Nullable Undoing undoing) {
    int before = this.undoing == null ? 0 : this.undoing.rest.size();
    int after = undoing == null ? 0 : undoing.rest.size();
    int same = undoing == null || this.undoing == null ? 0 : undoing.shared(this.undoing);
    for (int i = same; i < Math.max(before, after); i++) {
      touch(PartMarks.Entries.REST, i);
    }
    this.undoing = undoing;
    own(undoing);
    touch();
  }

  /// Drops all children, which were closed.
  public void dropChildren() {
    firstChild = null;
    lastChild = null;
    children = 0;
  }

  /// The instances around the frame, outermost first, such as `2.1`.
  public String label() {
    String label = "";
    for (Frame each = this; each != null; each = each.parent) {
      if (each.undoing != null && !each.undoing.rest.isEmpty()) {
        String undone = each.undoing.rest.getFirst().label();
        return undone.isEmpty() || label.isEmpty() ? undone + label : undone + "." + label;
      }
      if (each.kind == Kind.INSTANCE) {
        label = label.isEmpty() ? Integer.toString(each.spec) : each.spec + "." + label;
      }
    }
    return label;
  }

  /// The effect types that all scopes around it allow; null when none restricts them.
  @Nullable List<String> allowed(Pool.Region[] regions) {
    List<String> allowed = null;
    for (Frame frame = this; frame != null; frame = frame.parent) {
      List<String> own = frame.kind == Kind.REGION ? regions[frame.spec].allow() : null;
      if (own != null) {
        allowed = allowed == null ? own : allowed.stream().filter(own::contains).toList();
      }
    }
    return allowed;
  }

  /// The effect of the task that is being undone right here; null when none is.
  @Nullable EffectId undone() {
    return undoing == null || undoing.rest.isEmpty()
        ? null
        : new EffectId(undoing.rest.getFirst().lineage());
  }

  /// Whether it, or a frame around it, is being undone.
  boolean isUndone() {
    for (Frame frame = this; frame != null; frame = frame.parent) {
      if (frame.undoing != null) {
        return true;
      }
    }
    return false;
  }

  public Frame outer() {
    Frame frame = parent;
    if (frame == null) {
      throw new IllegalStateException("the case has no outer frame");
    }
    return frame;
  }

  public boolean isEmpty() {
    return tokens == 0 && children == 0;
  }

  public void attach(Token token) {
    token.setFrame(this);
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

  public void detach(Token token) {
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

  public void attach(Frame child) {
    child.previous = lastChild;
    if (lastChild == null) {
      firstChild = child;
    } else {
      lastChild.next = child;
    }
    lastChild = child;
    children++;
  }

  public void detach(Frame child) {
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
  public List<Frame> childList() {
    List<Frame> list = new ArrayList<>(children);
    for (Frame child = firstChild; child != null; child = child.next) {
      list.add(child);
    }
    return list;
  }

  /// Whether this frame is another one or is inside it.
  public boolean isWithin(Frame other) {
    for (Frame frame = this; frame != null; frame = frame.parent) {
      if (frame == other) {
        return true;
      }
    }
    return false;
  }

  /// What a cancel scope keeps beyond what every frame keeps.
  public static final class Scope extends Owned {
    /// Payloads taken from the held places, in their order; empty until they are owned.
    public List<Context> held = List.of();

    public long due = Timers.NEVER;
    public int dueOrder;

    /// Tasks completed in the scope that can be undone; null until there is one.
    public @Nullable List<UndoEntry> undoLog;

    public void setHeld(List<Context> held) {
      this.held = held;
      touch();
    }

    public void setDue(long due) {
      this.due = due;
      touch();
    }

    public void setDueOrder(int dueOrder) {
      this.dueOrder = dueOrder;
      touch();
    }

    /// Adds entries to the undo log.
    public void addUndo(Frame frame, List<UndoEntry> entries) {
      if (undoLog == null) {
        undoLog = new ArrayList<>();
      }
      for (int i = 0; i < entries.size(); i++) {
        frame.touch(PartMarks.Entries.UNDO, undoLog.size());
        undoLog.add(entries.get(i));
      }
    }

    /// Forgets the undo log.
    public void dropUndo(Frame frame) {
      for (int i = 0; undoLog != null && i < undoLog.size(); i++) {
        frame.touch(PartMarks.Entries.UNDO, i);
      }
      undoLog = null;
    }
  }

  /// A completed task that can be undone.
  ///
  /// @param label the instance it was completed in, such as `2.1`; empty outside of instances
  public record UndoEntry(
      long order,
      int address,
      Context context,
      Context stamps,
      long lineage,
      int task,
      String label) {}
}
