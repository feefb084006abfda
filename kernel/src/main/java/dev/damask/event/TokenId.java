package dev.damask.event;

/// Names a token within its case. Ids grow in the order in which tokens are created.
public record TokenId(int number) {
  @Override
  public String toString() {
    return "t" + number;
  }
}
