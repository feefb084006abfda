package dev.damask.program;

import dev.damask.term.Merge;
import dev.damask.term.StepNode;
import java.util.ArrayList;
import java.util.List;

/// The part of [ProgramIdentity] that writes graphs and process instances; frozen as well.
final class GraphIdentity {
  private GraphIdentity() {}

  static String net(Pool.Net net) {
    List<String> nodes = new ArrayList<>();
    for (int i = 0; i < net.nodes().length; i++) {
      nodes.add(node(net, i));
    }
    String merge =
        net.merge() == Merge.Standard.NEWEST ? "" : " merge " + ProgramIdentity.merge(net.merge());
    return ProgramIdentity.word(net.mode()) + merge + ProgramIdentity.suffix(nodes);
  }

  private static String node(Pool.Net net, int index) {
    Pool.Node node = net.nodes()[index];
    StringBuilder text = new StringBuilder(node.id()).append('@').append(node.body());
    if (node.kind() == Pool.JoinKind.MERGE) {
      return text.toString();
    }
    String[] sources = new String[node.arcs()];
    for (Pool.Arc arc : net.arcs()) {
      if (arc.target() == index && arc.position() >= 0) {
        int weight = node.weights()[arc.position()];
        sources[arc.position()] = source(net, arc) + (weight > 1 ? " x" + weight : "");
      }
    }
    text.append(
        switch (node.kind()) {
          case MERGE -> throw new IllegalStateException("a merge has no join");
          case AND -> " and";
          case OR -> " or";
          case BLOCKING -> " blocking " + node.k();
          case CANCELLING -> " cancelling " + node.k();
        });
    text.append(" of ").append(String.join(", ", sources));
    List<String> cancels = new ArrayList<>();
    for (int cancelled : node.cancels()) {
      cancels.add(net.nodes()[cancelled].id());
    }
    text.append(cancels.isEmpty() ? "" : " cancel " + ProgramIdentity.list(cancels));
    return text.append(node.abort() ? " abort" : "").toString();
  }

  private static String source(Pool.Net net, Pool.Arc arc) {
    return arc.source() < 0 ? "start" : net.nodes()[arc.source()].id();
  }

  static String arrive(Pool.Net net, int index) {
    Pool.Arc arc = net.arcs()[index];
    return source(net, arc) + " -> " + net.nodes()[arc.target()].id();
  }

  static String steps(Pool.Processes processes) {
    List<String> steps = new ArrayList<>();
    for (Pool.Step step : processes.steps()) {
      steps.add(step.id() + "@" + step.gate());
    }
    return ProgramIdentity.list(steps);
  }

  static String spawn(Pool.Processes processes, int index) {
    Pool.Step step = processes.steps()[index];
    return step.id()
        + " valid "
        + branch(processes, step.valid())
        + " invalid "
        + branch(processes, step.invalid());
  }

  private static String branch(Pool.Processes processes, Pool.Branch branch) {
    List<String> spawns = new ArrayList<>();
    for (int spawn : branch.spawns()) {
      spawns.add(processes.steps()[spawn].id());
    }
    if (branch.join() < 0) {
      return ProgramIdentity.list(spawns);
    }
    Pool.GroupJoin join = processes.joins()[branch.join()];
    List<String> from = new ArrayList<>();
    for (int i = 0; i < join.from().length; i++) {
      from.add(processes.steps()[join.from()[i]].id() + " " + word(join.when()[i]));
    }
    return ProgramIdentity.list(spawns)
        + " join "
        + processes.steps()[join.target()].id()
        + " "
        + join.need()
        + " of "
        + ProgramIdentity.list(from)
        + (join.kills() ? " kill" : " drain");
  }

  private static String word(StepNode.When when) {
    return switch (when) {
      case VALID -> "valid";
      case INVALID -> "invalid";
      case ANY -> "any";
    };
  }
}
