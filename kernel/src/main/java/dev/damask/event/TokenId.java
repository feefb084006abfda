package dev.damask.event;

/// Names a token within its case. Ids grow in the order tokens are made.
public record TokenId(int number) {
  @Override
  public String toString() {
    return "t" + number;
  }
}
