package dev.damask.exec;

import dev.damask.event.Failure;
import dev.damask.state.Frame;
import dev.damask.state.Frame.UndoEntry;
import dev.damask.state.GroupState;
import dev.damask.state.InstanceSet;
import dev.damask.state.JoinCounter;
import dev.damask.state.Timers;
import dev.damask.state.Token;
import dev.damask.state.Token.Lineage;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// Numbers the frames, tokens and waits of a state by what they are instead of by how they came
/// about, so that two states with the same future get the same numbers.
///
/// Siblings are ordered by a hash of everything below them, then by which waited first; which is
/// still equal is interchangeable. Two states that only differ in which instance did what therefore
/// become one. A hash collision can only keep equal states apart, never make different ones equal.
final class Canonical implements Numbering {
  private final Map<Frame, Long> hashes = new HashMap<>();
  private final Map<Frame, Integer> firstWaits = new HashMap<>();
  private final List<Frame> frames = new ArrayList<>();
  private final List<Token> tokens = new ArrayList<>();
  private final Map<Frame, Integer> frameIds = new HashMap<>();
  private final Map<Token, Integer> tokenIds = new HashMap<>();
  private final Map<Frame, Integer> instanceNumbers = new HashMap<>();
  private final Map<Token, Integer> waits = new HashMap<>();
  private final Map<Frame, Integer> scopeWaits = new HashMap<>();
  private final TreeMap<Long, Integer> undoOrders = new TreeMap<>();
  private int lastWait;

  Canonical(ExecState state) {
    if (state.root.closed) {
      return;
    }
    List<Frame> found = new ArrayList<>();
    found.add(state.root);
    for (int i = 0; i < found.size(); i++) {
      for (Frame child = found.get(i).firstChild; child != null; child = child.next) {
        found.add(child);
      }
    }
    for (int i = found.size() - 1; i >= 0; i--) {
      measure(found.get(i));
    }
    number(state.root);
    numberWaits(state);
  }

  /// All open frames, parents first.
  @Override
  public List<Frame> frames() {
    return frames;
  }

  @Override
  public List<Token> tokens() {
    return tokens;
  }

  @Override
  public int id(Frame frame) {
    return frameIds.getOrDefault(frame, 0);
  }

  @Override
  public int id(Token token) {
    return tokenIds.getOrDefault(token, 0);
  }

  @Override
  public int lastId() {
    return frames.size() + tokens.size();
  }

  @Override
  public int wait(Token token) {
    return waits.getOrDefault(token, 0);
  }

  @Override
  public int wait(Frame frame) {
    return scopeWaits.getOrDefault(frame, 0);
  }

  @Override
  public int lastWait() {
    return lastWait;
  }

  /// The number an instance gets among its siblings; the branch or pool index of other frames.
  @Override
  public int spec(Frame frame) {
    return instanceNumbers.getOrDefault(frame, frame.spec);
  }

  @Override
  public long undoOrder(UndoEntry entry) {
    return undoOrders.getOrDefault(entry.order(), 0);
  }

  @Override
  public boolean isComplete() {
    return false;
  }

  @Override
  public long steps() {
    return undoOrders.size();
  }

  /// Without contexts the tokens of one queue are all the same.
  @Override
  public List<Integer> queue(Collection<Token> queue) {
    return queue.stream().map(this::id).sorted().toList();
  }

  @Override
  public SetShape shape(Frame frame) {
    return counts(frame);
  }

  @Override
  public SortedMap<Integer, Context> delivered(Frame frame) {
    SortedMap<Integer, Context> delivered = new TreeMap<>();
    for (int number = 1; number <= counts(frame).got(); number++) {
      delivered.put(number, Context.empty());
    }
    return delivered;
  }

  @Override
  public long past(long number) {
    return 0;
  }

  @Override
  public String past(String text) {
    return "";
  }

  @Override
  public Context data(Context context) {
    return Context.empty();
  }

  /// That there is a failure decides what follows; which one it is only decides data.
  @Override
  public Failure data(Failure failure) {
    return new Failure("", "", "", 1, "");
  }

  @Override
  public boolean forgets(JoinCounter join) {
    return join.isDecided();
  }

  @Override
  public boolean forgets(GroupState group) {
    return group.closed;
  }

  @Override
  public long left(long due) {
    return 1;
  }

  @Override
  public int attempt(int attempt) {
    return 1;
  }

  @Override
  public int ended(int tokens) {
    return Math.min(1, tokens);
  }

  private static long mix(long hash, long value) {
    return Lineage.of(hash, value);
  }

  private void measure(Frame frame) {
    long hash = mix(frame.kind.number() + 1L, frame.kind == Frame.Kind.INSTANCE ? 0 : frame.spec);
    hash = mix(hash, frame.node * 4L + (frame.delivered ? 2 : 0) + (frame.undoing == null ? 0 : 1));
    hash = mix(hash, Arrays.hashCode(frame.loops) * 64L + frame.depth);
    hash = mix(hash, own(frame));
    int waiting = Integer.MAX_VALUE;
    long[] parts = new long[frame.tokens + frame.children];
    int count = 0;
    for (Token token = frame.firstToken; token != null; token = token.next) {
      parts[count++] = hash(token);
      waiting = Math.min(waiting, waitOf(token));
    }
    for (Frame child = frame.firstChild; child != null; child = child.next) {
      parts[count++] = hashes.getOrDefault(child, 0L);
      waiting = Math.min(waiting, firstWaits.getOrDefault(child, Integer.MAX_VALUE));
    }
    Arrays.sort(parts);
    for (long part : parts) {
      hash = mix(hash, part);
    }
    hashes.put(frame, hash);
    firstWaits.put(frame, waiting);
    noteUndos(frame);
  }

  /// Only what a canonical state keeps, so that a state and its canonical form get the same hash.
  private static long own(Frame frame) {
    if (frame.join != null) {
      long got = 0;
      for (int i = 0; i < frame.join.selected.length; i++) {
        got = mix(got, frame.join.selected[i] * 2L + (frame.join.got[i] == null ? 0 : 1));
      }
      long flags = (frame.join.fired ? 1L : 0) + (frame.join.aborted ? 2 : 0);
      return frame.join.isDecided() ? flags : mix(got, frame.join.dead * 4L + flags);
    }
    if (frame.set != null) {
      long flags = (frame.set.fired ? 1L : 0) + (frame.set.sealed ? 2 : 0);
      SetShape shape = counts(frame);
      long counts = mix(mix(shape.made(), shape.got()), shape.dead());
      return mix(counts, frame.set.need * 4 + flags);
    }
    if (frame.group != null) {
      long got = (frame.group.closed ? 1L : 0) + (frame.group.paused ? 2 : 0);
      for (Object piece : frame.group.got) {
        got = mix(got, frame.group.closed || piece == null ? 0 : 1);
      }
      return got;
    }
    if (frame.scope != null) {
      int log = frame.scope.undoLog == null ? 0 : frame.scope.undoLog.size();
      return frame.scope.held.size() * 64L + log;
    }
    return 0;
  }

  private static long hash(Token token) {
    long hash = mix(token.ip * 8L + token.state.number(), token.node * 65_536L + token.arc);
    return mix(hash, Arrays.hashCode(token.loops));
  }

  private static int waitOf(Token token) {
    return token.state == Token.State.AWAIT && token.wait != null
        ? token.wait.number
        : Integer.MAX_VALUE;
  }

  private void noteUndos(Frame frame) {
    if (frame.scope != null && frame.scope.undoLog != null) {
      frame.scope.undoLog.forEach(entry -> undoOrders.put(entry.order(), 0));
    }
    if (frame.undoing != null) {
      frame.undoing.rest.forEach(entry -> undoOrders.put(entry.order(), 0));
    }
  }

  /// Lays the frames out, parents first, and then the tokens in the order of their frames.
  private void number(Frame root) {
    frames.add(root);
    Comparator<Frame> order =
        Comparator.<Frame>comparingLong(frame -> hashes.getOrDefault(frame, 0L))
            .thenComparingInt(frame -> firstWaits.getOrDefault(frame, 0))
            .thenComparingInt(frame -> frame.id);
    for (int i = 0; i < frames.size(); i++) {
      Frame frame = frames.get(i);
      List<Frame> children = frame.childList();
      if (children.size() > 1) {
        children.sort(order);
      }
      if (frame.set != null) {
        numberInstances(frame, children);
      }
      frames.addAll(children);
    }
    for (Frame frame : frames) {
      frameIds.put(frame, frameIds.size() + 1);
    }
    Comparator<Token> tokenOrder =
        Comparator.<Token>comparingLong(Canonical::hash)
            .thenComparingInt(Canonical::waitOf)
            .thenComparingInt(token -> token.id);
    for (Frame frame : frames) {
      int from = tokens.size();
      for (Token token = frame.firstToken; token != null; token = token.next) {
        tokens.add(token);
      }
      if (frame.tokens > 1) {
        tokens.subList(from, tokens.size()).sort(tokenOrder);
      }
    }
    for (Token token : tokens) {
      tokenIds.put(token, frames.size() + tokenIds.size() + 1);
    }
  }

  /// Instances that have delivered come first, then those that are gone, then those that run.
  private void numberInstances(Frame set, List<Frame> children) {
    int delivered = 0;
    int running = counts(set).made();
    for (Frame child : children) {
      instanceNumbers.put(child, child.delivered ? ++delivered : running--);
    }
  }

  /// The counts of a set of instances as far as they still matter.
  private static SetShape counts(Frame frame) {
    InstanceSet set = java.util.Objects.requireNonNull(frame.set);
    if (!set.sealed) {
      return new SetShape(set.made, set.got.size(), set.dead);
    }
    if (set.fired) {
      return new SetShape(frame.children, 0, 0);
    }
    // An instance that has delivered may still be open, to drain; it needs its own number.
    int draining = 0;
    for (Frame child = frame.firstChild; child != null; child = child.next) {
      draining += child.delivered ? 1 : 0;
    }
    int enough = set.need < 0 ? 1 : (int) Math.max(1, Math.min(set.got.size(), set.need));
    int got = Math.max(draining, Math.min(set.got.size(), enough));
    return new SetShape(set.alive() + got, got, 0);
  }

  /// Waits keep their order where one can get in the way of another: where they share a place, and
  /// among those that may expire.
  private void numberWaits(ExecState state) {
    Map<Object, Integer> groupOf = new HashMap<>();
    List<List<Token>> groups = new ArrayList<>();
    for (Token token : tokens) {
      if (token.state != Token.State.AWAIT || token.wait == null) {
        continue;
      }
      List<Object> keys = new ArrayList<>(Reports.awaited(state, token));
      if (token.wait.expires) {
        keys.add("expired");
      }
      int mine = groups.size();
      groups.add(new ArrayList<>(List.of(token)));
      for (Object key : keys) {
        Integer other = groupOf.put(key, mine);
        if (other != null && other != mine) {
          mine = merge(groups, groupOf, List.of(other, mine));
        }
      }
    }
    for (List<Token> each : groups) {
      each.sort(Comparator.comparingInt(Canonical::waitOf));
      each.forEach(token -> waits.put(token, ++lastWait));
    }
    for (Token token : tokens) {
      if (token.wait != null && !waits.containsKey(token)) {
        waits.put(token, ++lastWait);
      }
    }
    for (Frame frame : frames) {
      if (frame.scope != null && frame.scope.due != Timers.NEVER) {
        scopeWaits.put(frame, ++lastWait);
      }
    }
    int rank = 0;
    for (Map.Entry<Long, Integer> entry : undoOrders.entrySet()) {
      entry.setValue(++rank);
    }
  }

  /// Moves everything of one group into an earlier one.
  private static int merge(
      List<List<Token>> groups, Map<Object, Integer> groupOf, List<Integer> pair) {
    int keep = Collections.min(pair);
    int gone = Collections.max(pair);
    groups.get(keep).addAll(groups.get(gone));
    groups.get(gone).clear();
    groupOf.replaceAll((key, value) -> value == gone ? keep : value);
    return keep;
  }

  /// The canonical id of every token, by its own id.
  Map<Integer, Integer> tokenNumbers() {
    Map<Integer, Integer> numbers = new TreeMap<>();
    tokens.forEach(token -> numbers.put(token.id, id(token)));
    return numbers;
  }
}
