package dev.damask.cli.check;

import dev.damask.document.WorkflowDocument;
import dev.damask.json.Position;
import dev.damask.registry.Orchestration;
import java.util.Optional;

/// Positions in a document, in the terms of its author.
interface SourcePositions {
  /// Nets have names only.
  SourcePositions NET =
      new SourcePositions() {
        @Override
        public Optional<Position> position(String path) {
          return Optional.empty();
        }

        @Override
        public String name(String path) {
          return path;
        }
      };

  /// The position of the term of a path; empty if the file does not have it.
  Optional<Position> position(String path);

  /// What the author calls it.
  String name(String path);

  /// Where the author has it within the document.
  default String path(String path) {
    return path;
  }

  /// Terms have the paths that the document shows.
  record Terms(WorkflowDocument document) implements SourcePositions {
    @Override
    public Optional<Position> position(String path) {
      return Optional.of(document.nearest(path));
    }

    @Override
    public String name(String path) {
      return path;
    }
  }

  /// Steps of a graph stand below `structure`; the machine has them elsewhere.
  record Steps(Orchestration graph) implements SourcePositions {
    private static final String WITHIN = ".steps.";

    @Override
    public Optional<Position> position(String path) {
      return graph.place(step(path)).map(place -> new Position(place.line(), place.column()));
    }

    @Override
    public String name(String path) {
      String step = step(path);
      return step.isEmpty() ? "" : "step " + step;
    }

    @Override
    public String path(String path) {
      return "structure." + step(path);
    }

    /// The step a path leads to; empty for the graph itself.
    private static String step(String path) {
      int at = path.indexOf(WITHIN);
      return at < 0 ? "" : path.substring(at + WITHIN.length());
    }
  }
}
