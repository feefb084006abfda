package dev.damask.exec;

import dev.damask.program.Program;
import dev.damask.state.Frame;
import dev.damask.state.GroupState;
import dev.damask.state.Token;
import dev.damask.task.ProcessInfo;
import dev.damask.value.Context;
import dev.damask.value.Decoder;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The part of [StateReader] that reads join groups.
final class GroupReader {
  private final Decoder in;
  private final Program.Pools pools;
  private final Supplier<@Nullable Context> context;
  private final Map<Integer, Integer> targets = new TreeMap<>();

  GroupReader(Decoder in, Program.Pools pools, Supplier<@Nullable Context> context) {
    this.in = in;
    this.pools = pools;
    this.context = context;
  }

  GroupState read(Frame frame) {
    GroupState around = frame.outer().group;
    GroupState group =
        around == null
            ? new GroupState(pools.processes()[frame.spec], null, frame, -1)
            : new GroupState(around.processes, around.root, frame, frame.spec);
    group.closed = in.flag();
    int target = in.below(Integer.MAX_VALUE);
    if (target != 0) {
      targets.put(frame.id, target);
    }
    for (int i = 0; i < group.got.length; i++) {
      group.got[i] = context.get();
      group.gotCount += group.got[i] == null ? 0 : 1;
    }
    if (around == null) {
      group.made = in.below(Integer.MAX_VALUE);
      group.paused = in.flag();
      group.cost = in.natural();
      group.result = context.get();
    }
    return group;
  }

  ProcessInfo process(GroupState group) {
    GroupState root = GroupState.group(group.root);
    int beyond = root.made + 1;
    return new ProcessInfo(in.below(beyond), in.below(beyond), in.text(), Groups.common(root));
  }

  /// Finds the processes of a group again, and the one that waits for it.
  void index(ExecState state, Frame frame, Map<Integer, Token> tokens) {
    GroupState group = GroupState.group(frame);
    if (group.join < 0) {
      state.groups().put(frame.id, frame);
    }
    for (Token token = frame.firstToken; token != null; token = token.next) {
      if (GroupState.isSending(token)) {
        group.sending++;
        continue;
      }
      group.live[token.node]++;
      GroupState.group(group.root).running += GroupState.isRunning(token) ? 1 : 0;
    }
    if (group.isOpen()) {
      Token target = tokens.get(targets.getOrDefault(frame.id, 0));
      if (target == null || target.wait == null || target.frame != frame.parent) {
        throw in.damaged("no token waits for group " + frame.id);
      }
      group.target = target;
      target.wait.group = frame;
    }
  }
}
