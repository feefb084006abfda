package dev.damask.drawing;

import dev.damask.term.WorkflowDefinition;

/// Draws workflows as self-contained SVG without scripts, fonts or external resources.
///
/// The same workflow and marks always produce the same text. A workflow that is not well formed can
/// be drawn too, so a diagram can explain its errors.
public final class Drawing {
  private Drawing() {}

  /// Draws a workflow without marks.
  public static String svg(WorkflowDefinition workflow) {
    return svg(workflow, Marks.NONE);
  }

  /// Draws a workflow with the marks of a case or a counterexample.
  public static String svg(WorkflowDefinition workflow, Marks marks) {
    return svg(workflow, marks, Theme.AUTO);
  }

  /// Draws a workflow with marks in one theme.
  public static String svg(WorkflowDefinition workflow, Marks marks, Theme theme) {
    return SvgWriter.write(workflow, Trail.complete(new Page(workflow, marks).block()), theme);
  }
}
