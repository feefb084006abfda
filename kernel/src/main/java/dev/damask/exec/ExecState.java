package dev.damask.exec;

import dev.damask.event.CancelledScope;
import dev.damask.event.EffectRequest;
import dev.damask.event.Failure;
import dev.damask.event.Outcome;
import dev.damask.event.ProcessView;
import dev.damask.event.StateView;
import dev.damask.event.Status;
import dev.damask.event.TokenId;
import dev.damask.program.Program;
import dev.damask.state.ExecutionCounts;
import dev.damask.state.Frame;
import dev.damask.state.GroupState;
import dev.damask.state.PartMarks;
import dev.damask.state.PlaceState;
import dev.damask.state.Ready;
import dev.damask.state.Timers;
import dev.damask.state.Token;
import dev.damask.state.TokenTable;
import dev.damask.state.WaitNames;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The whole state of one case. It has one owner; [Machine] alone changes it.
public final class ExecState {
  /// How many late failures are kept; the trace has them all.
  static final int LATE_MAX = 100;

  final Program program;
  Status status = Status.RUNNING;

  /// The last id given to a token or a frame; both come from one counter.
  int lastId;

  /// The number of the last wait.
  int lastWait;

  long steps;
  long clock;
  final Frame root;
  int live;
  @Nullable Context result;

  /// Why the case failed or was cancelled; null before its end.
  @Nullable Failure failure;

  /// The names of scopes whose last activation was cancelled; null when there are none.
  @Nullable TreeSet<String> cancelled;

  /// How often tasks were executed; null while each execution is the first one of its label.
  @Nullable ExecutionCounts executions;

  /// The failures of leftovers after the case had its result; null when there are none.
  @Nullable List<Failure> late;

  /// The token that moves next while it is the only one; the ready set is created at the first
  /// fork.
  @Nullable Token only;

  @Nullable Ready ready;
  PlaceState @Nullable [] places;
  @Nullable Timers timers;

  /// Open frames by the index of their name, each in the order they were opened.
  TreeMap<Integer, Frame> @Nullable [] named;

  /// Tokens that wait for an effect.
  @Nullable TokenTable effects;

  /// Tokens in an await, by the number of the wait.
  @Nullable TreeMap<Integer, Token> awaits;

  /// How many tokens wait at each address of an await; created on demand if there are many.
  @Nullable WaitNames awaitNames;

  /// Waits that a signal can end by itself, and processes that are held.
  int externalWaits;

  /// Waits of which every alternative with an external place also has another one.
  int mixedWaits;

  int expiringWaits;

  /// How many open sets of instances wait to be closed; not stored, as it follows from the frames.
  int openSets;

  /// Open nets with joins that settling must check, by id.
  @Nullable TreeMap<Integer, Frame> nets;

  /// Open outermost groups of process instances, by id.
  @Nullable TreeMap<Integer, Frame> groups;

  /// Effects to start and to interrupt since the caller last asked; not part of the stored state.
  private List<Token> started = List.of();

  private List<Integer> withdrawn = List.of();
  private List<ParkedToken> parked = List.of();
  private List<CancelledScope> cancelledSince = List.of();

  /// Frames that may have become empty, to be checked before the machine continues.
  java.util.@Nullable ArrayDeque<Frame> closing;

  boolean draining;

  /// How many arcs and instructions the possible-arrival analysis has looked at so far.
  long analysed;

  /// How often the state was settled since it was read; what [Frame#activeAt] compares with.
  int settlings;

  /// How many frames and tokens the last cancellation looked at.
  int visited;

  ExecState(Program program, Context context, long clock) {
    this.program = program;
    this.clock = clock;
    this.root = new Frame(++lastId, Frame.Kind.CASE, null, 0, context, 0);
  }

  /// A state with frames read from bytes.
  ExecState(Program program, Frame root, long clock) {
    this.program = program;
    this.clock = clock;
    this.root = root;
  }

  public Status status() {
    return status;
  }

  public boolean isDone() {
    return status.isEnded();
  }

  /// Whether no token can move until something comes from outside.
  public boolean isBlocked() {
    return status == Status.WAITING || status == Status.DEADLOCKED;
  }

  public long steps() {
    return steps;
  }

  public long clock() {
    return clock;
  }

  public Program program() {
    return program;
  }

  /// The final context of a completed case, or the entry context of one that has none.
  public Context result() {
    return result == null ? root.entry : result;
  }

  /// The result of an ended case, else what its tokens and finished branches have written so far.
  public Context context() {
    return status.isEnded() ? result() : PresentContext.of(this);
  }

  /// The oldest tokens as data, at most so many.
  public List<StateView.Token> tokenViews(int max) {
    return StateViews.tokens(this, max);
  }

  /// Tokens, scopes, branches, joins and places as data.
  public StateView view() {
    return StateViews.of(this);
  }

  /// Whether the last activation of a scope was cancelled; for `case` whether the case was.
  public boolean isCancelled(String scope) {
    return scope.equals("case") ? view().isCancelled(scope) : cancelledNames().contains(scope);
  }

  List<String> cancelledNames() {
    return cancelled == null ? List.of() : List.copyOf(cancelled);
  }

  /// A scope or set of instances is entered again or was cancelled.
  void setCancelled(String name, boolean isCancelled) {
    if (isCancelled) {
      if (cancelled == null) {
        cancelled = new TreeSet<>();
      }
      touchIf(cancelled.add(name), PartMarks.Entries.CANCELLED, 0);
    } else if (cancelled != null && cancelled.remove(name)) {
      touchIf(true, PartMarks.Entries.CANCELLED, 0);
      cancelled = cancelled.isEmpty() ? null : cancelled;
    }
  }

  private void touchIf(boolean isChanged, int kind, long number) {
    if (isChanged && root.marks.isOn()) {
      root.marks.ofCase().touch(PartMarks.Entries.key(kind, number));
    }
  }

  /// Why the case failed; empty when it did not.
  public Optional<Failure> failure() {
    return status == Status.FAILED ? Optional.ofNullable(failure) : Optional.empty();
  }

  /// The failures of leftovers after the case had its result, the first 100. They change nothing.
  public List<Failure> lateFailures() {
    return late == null ? List.of() : List.copyOf(late);
  }

  void noteLate(Failure failure) {
    if (late == null) {
      late = new ArrayList<>();
    }
    if (late.size() < LATE_MAX) {
      touchIf(true, PartMarks.Entries.LATE, late.size());
      late.add(failure);
    }
  }

  /// What was cancelled and why, if that ended the case.
  public Optional<Outcome.Cancelled> cancelled() {
    return status == Status.CANCELLED ? Optional.of(CancelCause.outcome(this)) : Optional.empty();
  }

  /// How many tokens a place of the case holds, those of open scopes that mark it included; -1 when
  /// there is no such place.
  public int marking(String place) {
    int index = program.placeIndex(place);
    return index < 0 || places == null ? -1 : places[index].tokens.size() + places[index].marks;
  }

  /// How many tokens there are.
  public int tokens() {
    return live;
  }

  /// How many tokens wait at each term, by the text of its path: those in tasks and those that wait
  /// for a place or a time.
  public SortedMap<String, Integer> waiting() {
    SortedMap<String, Integer> counts = new TreeMap<>();
    if (effects != null) {
      effects.inOrder().forEach(token -> count(token, counts));
    }
    if (awaits != null) {
      awaits.values().forEach(token -> count(token, counts));
    }
    return Collections.unmodifiableSortedMap(counts);
  }

  private void count(Token token, SortedMap<String, Integer> counts) {
    counts.merge(program.source().at(token.ip).toString(), 1, Integer::sum);
  }

  /// When the next timer is due.
  public OptionalLong nextDue() {
    Timers.Timer timer = timers == null ? null : timers.peek();
    return timer == null ? OptionalLong.empty() : OptionalLong.of(timer.due());
  }

  /// The tasks that wait for an effect, in the order they started to wait.
  public List<EffectRequest> pendingEffects() {
    List<EffectRequest> pending = new ArrayList<>();
    if (effects != null) {
      effects.inOrder().forEach(token -> pending.add(token.request(program)));
    }
    return pending;
  }

  /// Whether a token waits for an effect or for a function that runs outside.
  public boolean isWaiting(TokenId token) {
    return effects != null && effects.get(token.number()) != null;
  }

  /// What lies on an external place of the case, the oldest first; empty if there is no such place.
  public List<Context> signals(String place) {
    int index = program.placeIndex(place);
    return index < 0 || places == null || !program.pools().places()[index].place().external()
        ? List.of()
        : List.copyOf(places[index].tokens);
  }

  /// The task of a token that waits for an effect; empty if the token waits for none.
  public Optional<EffectRequest> pendingEffect(TokenId id) {
    Token token = effects == null ? null : effects.get(id.number());
    return token == null ? Optional.empty() : Optional.of(token.request(program));
  }

  /// The effects that have come up since this was last called and still wait.
  public List<EffectRequest> takeStarted() {
    if (started.isEmpty()) {
      return List.of();
    }
    List<EffectRequest> requests = new ArrayList<>();
    for (Token token : started) {
      if (token.state == Token.State.EFFECT) {
        requests.add(token.request(program));
      }
    }
    started = List.of();
    return requests;
  }

  /// The tokens whose effects were cancelled since this was last called.
  public List<TokenId> takeWithdrawn() {
    if (withdrawn.isEmpty()) {
      return List.of(); // after nearly every step
    }
    List<TokenId> ids = withdrawn.stream().map(TokenId::new).toList();
    withdrawn = List.of();
    return ids;
  }

  /// Whether effects or cancelled scopes have come up that were not taken yet.
  boolean hasNews() {
    return !started.isEmpty()
        || !withdrawn.isEmpty()
        || !cancelledSince.isEmpty()
        || !parked.isEmpty();
  }

  /// A task that has become an incident.
  public record Parked(EffectRequest request, String reason) {}

  /// The tasks that have become incidents since this was last called and still are.
  public List<Parked> takeParked() {
    if (parked.isEmpty()) {
      return List.of();
    }
    List<Parked> requests = new ArrayList<>();
    for (ParkedToken each : parked) {
      if (each.token.wait != null && each.token.wait.isParked()) {
        requests.add(new Parked(each.token.request(program), each.reason));
      }
    }
    parked = List.of();
    return requests;
  }

  private record ParkedToken(Token token, String reason) {}

  void noteParked(Token token, String reason) {
    if (parked.isEmpty()) {
      parked = new ArrayList<>();
    }
    parked.add(new ParkedToken(token, reason));
  }

  void noteStarted(Token token) {
    if (started.isEmpty()) {
      started = new ArrayList<>();
    }
    started.add(token);
  }

  void noteCancelled(CancelledScope scope) {
    if (cancelledSince.isEmpty()) {
      cancelledSince = new ArrayList<>();
    }
    cancelledSince.add(scope);
  }

  /// The scopes and sets of instances with an activation that was cancelled since this was last
  /// called.
  public List<CancelledScope> takeCancelled() {
    List<CancelledScope> scopes = cancelledSince;
    cancelledSince = List.of();
    return scopes;
  }

  void noteWithdrawn(Token token) {
    if (withdrawn.isEmpty()) {
      withdrawn = new ArrayList<>();
    }
    withdrawn.add(token.id);
  }

  void setPlaces(PlaceState[] places) {
    this.places = places;
    PlaceState.own(places, root.marks, null);
  }

  Timers timers() {
    if (timers == null) {
      timers = new Timers();
    }
    return timers;
  }

  TokenTable effects() {
    if (effects == null) {
      effects = new TokenTable();
    }
    return effects;
  }

  TreeMap<Integer, Token> awaits() {
    if (awaits == null) {
      awaits = new TreeMap<>();
    }
    return awaits;
  }

  TreeMap<Integer, Frame> nets() {
    if (nets == null) {
      nets = new TreeMap<>();
    }
    return nets;
  }

  TreeMap<Integer, Frame> groups() {
    if (groups == null) {
      groups = new TreeMap<>();
    }
    return groups;
  }

  /// The processes that have not ended, in the order of their creation.
  public List<ProcessView> processes() {
    List<ProcessView> views = new ArrayList<>();
    if (groups != null) {
      for (Frame root : groups.values()) {
        GroupState.all(root).stream()
            .filter(token -> !GroupState.isSending(token))
            .forEach(token -> views.add(GroupState.view(token)));
      }
    }
    return views;
  }

  /// Whether processes are kept from beginning.
  public boolean isPaused() {
    return groups != null && groups.values().stream().anyMatch(f -> GroupState.group(f).paused);
  }

  /// The open frames of a name, by id.
  @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type has no other spelling
  TreeMap<Integer, Frame> named(int name) {
    if (named == null) {
      named = new TreeMap[program.pools().names().length];
    }
    TreeMap<Integer, Frame> frames = named[name];
    if (frames == null) {
      frames = new TreeMap<>();
      named[name] = frames;
    }
    return frames;
  }

  /// Makes a token ready to move.
  void wake(Token token) {
    token.setState(Token.State.READY);
    if (ready == null) {
      if (only == null) {
        only = token;
        return;
      }
      ready = new Ready();
      ready.add(only);
      only = null;
    }
    ready.add(token);
  }

  /// Takes the ready token with the smallest id; null when there is none.
  @Nullable Token poll() {
    if (ready != null) {
      return ready.poll();
    }
    Token token = only;
    only = null;
    return token != null && token.state == Token.State.READY ? token : null;
  }

  /// Whether any token can move.
  boolean hasReady() {
    return ready != null ? !ready.isEmpty() : only != null && only.state == Token.State.READY;
  }

  /// The number of an execution of a task that starts now.
  int nextExecution(Machine machine, Token token, String task) {
    if (executions == null) {
      if (!machine.repeats()) {
        return 1;
      }
      executions = new ExecutionCounts();
    }
    return executions.next(root.marks, task, token.frame.label());
  }
}
