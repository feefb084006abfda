package dev.damask.drawing;

import dev.damask.term.Workflow;

/// Draws workflows as SVG that stands on its own: no scripts, no fonts to load, nothing fetched.
///
/// The same workflow and marks always give the same text. A workflow need not be well formed to be
/// drawn, so a picture can also explain what is wrong with it.
public final class Drawing {
  private Drawing() {}

  public static String svg(Workflow workflow) {
    return svg(workflow, Marks.NONE);
  }

  /// Draws a workflow with what is known about a case, or about a counterexample, laid over it.
  public static String svg(Workflow workflow, Marks marks) {
    return SvgWriter.write(workflow, new Page(workflow, marks).block());
  }
}
