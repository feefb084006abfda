package dev.damask.drawing;

import dev.damask.term.Schedule;
import dev.damask.term.WorkflowDefinition;
import org.jspecify.annotations.Nullable;

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
    return svg(workflow, marks, theme, null);
  }

  /// Draws a workflow with marks in one theme.
  ///
  /// @param schedule when its cases start by themselves; null if they do not
  public static String svg(
      WorkflowDefinition workflow, Marks marks, Theme theme, @Nullable Schedule schedule) {
    Page page = new Page(workflow, marks, schedule);
    return SvgWriter.write(workflow, Trail.complete(page.block()), theme);
  }
}
