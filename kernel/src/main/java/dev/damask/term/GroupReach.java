package dev.damask.term;

import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// Which steps a process can still bring about within its own join group.
///
/// Children without a join keep the group, and so does the target of a join; the producers of that
/// join get a group of their own. A target is reached only if enough of its sources can be reached
/// from the children of the branch that declares it. Both branches of a step count, because its
/// outcome is not known. All this follows from the text alone: a least fixed point over the joins.
public final class GroupReach {
  private final List<StepNode> steps;
  private final Map<String, Integer> index = new HashMap<>();

  /// Joins whose targets are known to be reached: two numbers a step, one for each branch.
  private final BitSet open = new BitSet();

  private BitSet[] reach = {};

  public GroupReach(List<StepNode> steps) {
    this.steps = steps;
    steps.forEach(step -> index.put(step.id(), index.size()));
    boolean grows = true;
    while (grows) {
      close();
      grows = false;
      for (int i = 0; i < steps.size() * 2; i++) {
        StepNode.Branch branch = branch(i);
        if (branch.join() != null && !open.get(i) && canFulfil(branch, branch.join())) {
          open.set(i);
          grows = true;
        }
      }
    }
  }

  private StepNode.Branch branch(int number) {
    StepNode step = steps.get(number / 2);
    return number % 2 == 0 ? step.onValid() : step.onInvalid();
  }

  /// For each step the steps a process at it can bring about in its group, itself included.
  public BitSet[] steps() {
    return reach;
  }

  /// Whether enough sources of a join can be reached from the children of its branch.
  public boolean canFulfil(StepNode.Branch branch, StepNode.GroupJoin join) {
    BitSet reached = new BitSet();
    branch.spawns().forEach(spawn -> reached.or(reach[at(spawn)]));
    long possible = join.from().stream().filter(from -> reached.get(at(from.step()))).count();
    return possible >= join.need();
  }

  private int at(String step) {
    return Objects.requireNonNull(index.get(step));
  }

  /// The transitive closure of the edges that are known so far.
  private void close() {
    int count = steps.size();
    BitSet[] direct = new BitSet[count];
    for (int i = 0; i < count; i++) {
      direct[i] = new BitSet(count);
      follow(2 * i, direct[i]);
      follow(2 * i + 1, direct[i]);
    }
    reach = new BitSet[count];
    for (int from = 0; from < count; from++) {
      BitSet seen = new BitSet(count);
      BitSet next = new BitSet(count);
      next.set(from);
      for (int at = from; at >= 0; at = next.nextSetBit(0)) {
        next.clear(at);
        seen.set(at);
        BitSet fresh = (BitSet) direct[at].clone();
        fresh.andNot(seen);
        next.or(fresh);
      }
      reach[from] = seen;
    }
  }

  private void follow(int number, BitSet edges) {
    StepNode.Branch branch = branch(number);
    StepNode.GroupJoin join = branch.join();
    if (join == null) {
      branch.spawns().forEach(spawn -> edges.set(at(spawn)));
    } else if (open.get(number)) {
      edges.set(at(join.target()));
    }
  }
}
