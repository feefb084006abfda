package dev.damask.exec;

import dev.damask.term.StepNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Process instances as the specification tells them, without any thought of speed: the other
/// opinion in tests of the machine. It looks at every process of every group again and again until
/// nothing changes.
final class GroupModel {
  enum Status {
    WAITING,
    RUNNING,
    DONE,
    ABORTED
  }

  static final class Instance {
    final int number;
    final StepNode step;
    final Group home;
    long due;
    Status status = Status.WAITING;

    /// The group whose join it waits for; null for everybody else.
    @Nullable Group awaited;

    Map<String, Object> payload;

    Instance(int number, StepNode step, Group home, long due, Map<String, Object> payload) {
      this.number = number;
      this.step = step;
      this.home = home;
      this.due = due;
      this.payload = new TreeMap<>(payload);
    }

    boolean isLive() {
      return status == Status.WAITING || status == Status.RUNNING;
    }

    @Override
    public String toString() {
      String got = awaited == null ? "" : " got " + awaited.delivered();
      return number + " " + step.id() + (status == Status.RUNNING ? " running" : " waiting") + got;
    }
  }

  static final class Group {
    final StepNode.@Nullable GroupJoin join;
    final @Nullable Instance target;
    final Map<Integer, Map<String, Object>> inbox = new TreeMap<>();
    boolean closed;

    /// How often its join was fulfilled and how often it was given up.
    int fulfilled;

    int abandoned;

    Group(StepNode.@Nullable GroupJoin join, @Nullable Instance target) {
      this.join = join;
      this.target = target;
    }

    List<String> delivered() {
      return inbox.keySet().stream().map(i -> sources().get(i).step()).toList();
    }

    List<StepNode.Source> sources() {
      return join == null ? List.of() : join.from();
    }

    boolean isOpen() {
      return join != null && !closed;
    }

    boolean isShut() {
      return join != null && closed && join.kills();
    }
  }

  final List<Instance> processes = new ArrayList<>();
  final List<Group> groups = new ArrayList<>();
  private final Map<String, StepNode> steps = new LinkedHashMap<>();
  private final Map<String, Set<String>> reach = new LinkedHashMap<>();
  long now;

  GroupModel(List<StepNode> nodes, String entry) {
    nodes.forEach(node -> steps.put(node.id(), node));
    nodes.forEach(node -> reach.put(node.id(), new HashSet<>(Set.of(node.id()))));
    while (nodes.stream().anyMatch(this::grows)) {
      // until nothing can be reached any more
    }
    Group root = new Group(null, null);
    groups.add(root);
    start(entry, root, 0, Map.of());
    promote();
  }

  private boolean grows(StepNode node) {
    boolean grown = false;
    for (StepNode.Branch branch : List.of(node.onValid(), node.onInvalid())) {
      Set<String> far = new HashSet<>();
      branch.spawns().forEach(spawn -> far.addAll(of(spawn)));
      StepNode.GroupJoin join = branch.join();
      Set<String> more = far;
      if (join != null) {
        long can = join.from().stream().filter(from -> far.contains(from.step())).count();
        more = can >= join.need() ? of(join.target()) : Set.of();
      }
      grown |= of(node.id()).addAll(List.copyOf(more));
    }
    return grown;
  }

  private Set<String> of(String step) {
    return java.util.Objects.requireNonNull(reach.get(step));
  }

  private Instance start(String step, Group home, long due, Map<String, Object> payload) {
    StepNode node = java.util.Objects.requireNonNull(steps.get(step));
    Instance process = new Instance(processes.size() + 1, node, home, due, payload);
    processes.add(process);
    return process;
  }

  /// A running process was evaluated.
  ///
  /// @param word `valid`, `invalid` or `aborted`
  /// @param more what the evaluation adds to the payload
  void evaluated(int number, String word, long wait, Map<String, Object> more) {
    Instance process = processes.get(number - 1);
    Map<String, Object> payload = new TreeMap<>(process.payload);
    payload.putAll(more);
    if (word.equals("aborted")) {
      process.status = Status.ABORTED;
    } else {
      boolean valid = word.equals("valid");
      process.status = Status.DONE;
      deliver(process, valid, payload);
      StepNode.Branch branch = valid ? process.step.onValid() : process.step.onInvalid();
      if (!process.home.isShut()) {
        spawn(process.home, branch, now + wait, payload);
      }
    }
    settle();
    promote();
  }

  private void deliver(Instance process, boolean valid, Map<String, Object> payload) {
    Group group = process.home;
    for (int i = 0; group.isOpen() && i < group.sources().size(); i++) {
      StepNode.Source source = group.sources().get(i);
      boolean counts = source.when().accepts(valid) && source.step().equals(process.step.id());
      if (counts && !group.inbox.containsKey(i)) {
        group.inbox.put(i, payload);
        break;
      }
    }
    StepNode.GroupJoin join = group.join;
    Instance target = group.target;
    if (join != null && target != null && !group.closed && group.inbox.size() >= join.need()) {
      group.closed = true;
      group.fulfilled++;
      target.awaited = null;
      group.inbox.values().stream().limit(join.need()).forEach(target.payload::putAll);
    }
  }

  private void spawn(Group home, StepNode.Branch branch, long due, Map<String, Object> payload) {
    StepNode.GroupJoin join = branch.join();
    Group group = home;
    if (join != null) {
      Instance target = start(join.target(), home, due, payload);
      group = new Group(join, target);
      target.awaited = group;
      groups.add(group);
    }
    for (String step : branch.spawns()) {
      start(step, group, due, payload);
    }
  }

  private void settle() {
    boolean changed = true;
    while (changed) {
      changed = false;
      for (Group group : groups) {
        changed |= giveUp(group);
        changed |= stop(group);
      }
    }
  }

  private boolean giveUp(Group group) {
    Instance target = group.target;
    if (target == null || group.join == null || group.closed) {
      return false;
    }
    if (target.status == Status.ABORTED) {
      group.closed = true;
      return true;
    }
    long possible = 0;
    for (int i = 0; i < group.sources().size(); i++) {
      String step = group.sources().get(i).step();
      boolean canCome =
          processes.stream()
              .anyMatch(p -> p.home == group && p.isLive() && of(p.step.id()).contains(step));
      possible += !group.inbox.containsKey(i) && canCome ? 1 : 0;
    }
    if (group.inbox.size() + possible >= group.join.need()) {
      return false;
    }
    group.closed = true;
    group.abandoned++;
    target.awaited = null;
    target.status = Status.ABORTED;
    return true;
  }

  private boolean stop(Group group) {
    List<Instance> waiting =
        processes.stream()
            .filter(p -> p.home == group && p.status == Status.WAITING && group.isShut())
            .toList();
    waiting.forEach(process -> process.status = Status.ABORTED);
    return !waiting.isEmpty();
  }

  void advance(long millis) {
    now += millis;
    promote();
  }

  /// The time of a waiting process has come; one that waits for a join waits for it still.
  void wake(int number) {
    processes.get(number - 1).due = now;
    promote();
  }

  private void promote() {
    for (Instance process : processes) {
      if (process.status == Status.WAITING && process.awaited == null && process.due <= now) {
        process.status = Status.RUNNING;
      }
    }
  }

  List<Instance> live() {
    return processes.stream()
        .filter(Instance::isLive)
        .sorted(Comparator.comparingInt(process -> process.number))
        .toList();
  }
}
